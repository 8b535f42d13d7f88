"""Guards of single fields: what only grows, what is never switched off, and limits below what is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.engine.diff import leaves
from vastplan.engine.guards.context import GuardContext
from vastplan.engine.usage import Figure
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.site_ledger import path_text
from vastplan.model.units import show
from vastplan.model.value import Unknown, from_json
from vastplan.schema.kind import Kind, Values
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


def too_low(kind: Kind, desired: Values, before: Mapping[str, Any], metrics: Mapping[str, Any]) -> Block | None:
    """The block for the first limit that would be below what is used; `before` has the changed paths with their live values.

    Raising a limit is always allowed. Where what is used is `Unknown`, no limit may be lowered.
    """
    for leaf in leaves(kind.fields, desired):
        path, wanted = path_text(leaf.path), leaf.value
        if path not in before or wanted in leaf.field.cleared or not isinstance(wanted, int | float):
            continue
        had = before[path]
        if isinstance(had, int | float) and had not in leaf.field.cleared and wanted >= had:
            continue
        for figure, unit in _floors(kind, leaf.path, metrics):
            if isinstance(figure, Unknown):
                return Block(
                    "below-use",
                    f"{path}: cannot determine what is used: {figure.why}",
                    "plan again when the system reports it",
                )
            if wanted < figure:
                has, asked = show(figure, unit), show(wanted, unit)
                return Block("below-use", f"{path} {asked} is below what is used, {has}", "write a larger limit")
    return None


def _floors(kind: Kind, path: tuple[str, ...], metrics: Mapping[str, Any]) -> Iterator[tuple[Figure, str]]:
    """The figures to compare with the limit at a path, with their units; 0 for a key that a mapping of figures lacks.

    A figure that is not in `metrics` was compared when the apply began.
    """
    for pattern, name in kind.floors:
        steps = pattern.split(".")
        same = len(steps) == len(path) and all(step in ("*", here) for step, here in zip(steps, path, strict=True))
        if same and name in metrics:
            used = metrics[name]
            if isinstance(used, Mapping):
                used = used.get(path[steps.index("*")], 0)
            units = {fact.name: fact.unit for fact in kind.metrics} | {rule.name: rule.unit for rule in kind.contents}
            yield used, units[name]
