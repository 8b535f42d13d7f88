"""Guards of single fields: what only grows, what is never switched off or is fixed for now, and limits below what is used."""

from __future__ import annotations

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.floors import too_low
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.units import show_amount
from vastplan.model.value import Ref, from_json
from vastplan.schema.markers import Grows, Marker


def one_way(action: Action, context: GuardContext) -> Block | None:
    """Switches that only turn on, and sizes that only grow, some of them only where another object allows it."""
    kind = context.kind(action)
    for change in action.changes:
        field = kind.field(change.path.partition(".")[0])
        markers = field.markers
        before, after = change.before, change.after
        if Marker.ONE_WAY in markers and before is True:
            return Block("one-way", f"{change.path} cannot be switched off again", f"{change.path}: true")
        if Marker.GROW_ONLY in markers and isinstance(before, int) and isinstance(after, int) and after < before:
            wanted, has = show_amount(after, change.unit), show_amount(before, change.unit)
            return Block(
                "shrink",
                f"{change.path} cannot shrink from {has} to {wanted}",
                f"{change.path}: {has} or more, or create a new one of that size under another name",
            )
        grows = field.grows if action.verb in (Verb.UPDATE, Verb.ADOPT) and before is not None else None
        block = _cannot_grow(action, change.path, grows, context) if grows is not None else None
        if block is not None:
            return block
    return None


def fixed(action: Action, context: GuardContext) -> Block | None:
    """A field that the live object's state fixes is not changed."""
    live = context.live(action)
    if live is None or action.verb not in (Verb.UPDATE, Verb.ADOPT):
        return None
    for change in action.changes:
        rule = context.kind(action).field(change.path.partition(".")[0]).fixed_while
        if rule is None or not rule.refused(change.before, change.after):
            continue
        by = live.values.get(rule.by, live.metrics.get(rule.by))
        if by is True or (isinstance(by, int) and by > 0):
            text = f"{change.path} cannot {rule.cannot}: it is {rule.by}"
            return Block("fixed", text, "leave it as it is, or write another entry with another name")
    return None


def _cannot_grow(action: Action, path: str, grows: Grows, context: GuardContext) -> Block | None:
    """The block of a value that the system would refuse to let grow; `None` where nothing decides it."""
    live = context.live(action)
    if live is not None and live.metrics.get(grows.fact) == 0:
        return Block(
            "cannot-grow", f"{path} cannot grow yet: it is not {grows.fact}", f"plan again when it is {grows.fact}"
        )
    wanted = from_json(dict(action.desired)).get(grows.where)
    if not isinstance(wanted, Ref):
        return None
    change = context.actions.get(wanted.target) if wanted.managed else None
    if change is not None and change.verb is not Verb.DELETE and grows.switch in change.desired:
        allowed = change.desired[grows.switch]
    else:
        target = context.matches.referred(wanted)
        allowed = target is not None and target.values.get(grows.switch)
    if allowed:
        return None
    return Block(
        "cannot-grow",
        f"{path} cannot grow: {wanted.target} has no {grows.switch}",
        f"write {grows.switch}: true for {wanted.target}"
        if wanted.managed
        else f"set {grows.switch} of {wanted.target} there",
    )


def below_use(action: Action, context: GuardContext) -> Block | None:
    """A limit is not set below what is already used."""
    live = context.live(action)
    if live is None or action.verb not in (Verb.UPDATE, Verb.ADOPT):
        return None
    before = {change.path: change.before for change in action.changes}
    figures = {**live.metrics, **context.contents.of(live)} if live.kind.contents else live.metrics
    return too_low(context.kind(action), from_json(dict(action.desired)), before, figures)
