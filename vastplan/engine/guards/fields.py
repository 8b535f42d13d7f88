"""Guards of single fields: what only grows, what is never switched off, and limits below what is used."""

from __future__ import annotations

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.floors import too_low
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.units import show
from vastplan.model.value import from_json
from vastplan.schema.markers import Marker


def one_way(action: Action, context: GuardContext) -> Block | None:
    """Switches that only turn on, and sizes that only grow."""
    kind = context.kind(action)
    for change in action.changes:
        markers = kind.field(change.path.partition(".")[0]).markers
        before, after = change.before, change.after
        if Marker.ONE_WAY in markers and before is True:
            return Block("one-way", f"{change.path} cannot be switched off again", f"{change.path}: true")
        if Marker.GROW_ONLY in markers and isinstance(before, int) and isinstance(after, int) and after < before:
            wanted, has = show(after, change.unit), show(before, change.unit)
            return Block(
                "shrink",
                f"{change.path} cannot shrink from {has} to {wanted}",
                f"{change.path}: {has} or more, or create a new one of that size under another name",
            )
    return None


def below_use(action: Action, context: GuardContext) -> Block | None:
    """A limit is not set below what is already used."""
    live = context.live(action)
    if live is None or action.verb not in (Verb.UPDATE, Verb.ADOPT):
        return None
    before = {change.path: change.before for change in action.changes}
    figures = {**live.metrics, **context.contents.of(live)} if live.kind.contents else live.metrics
    return too_low(context.kind(action), from_json(dict(action.desired)), before, figures)
