"""Limits below what is used: the figures that no limit may go below. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.engine.live.diff import leaves
from vastplan.model.plan import Block
from vastplan.model.site_ledger import path_text
from vastplan.model.units import show_amount
from vastplan.model.value import Unknown
from vastplan.schema.kind import Kind, Values

Figure = int | float | Unknown


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
                has, asked = show_amount(figure, unit), show_amount(wanted, unit)
                return Block("below-use", f"{path} {asked} is below what is used, {has}", "write a larger limit")
    return None


def _floors(kind: Kind, path: tuple[str, ...], metrics: Mapping[str, Any]) -> Iterator[tuple[Figure, str]]:
    """The figures to compare with the limit at a path, with their units; 0 for a key that a mapping of figures lacks.

    A figure that is not in `metrics` was compared when the apply began.
    """
    for pattern, name in kind.floors:
        steps = pattern.split(".")
        same = len(steps) == len(path) and all(step in ("*", key) for step, key in zip(steps, path, strict=True))
        if same and name in metrics:
            used = metrics[name]
            if isinstance(used, Mapping):
                used = used.get(path[steps.index("*")], 0)
            units = {fact.name: fact.unit for fact in kind.metrics} | {rule.name: rule.unit for rule in kind.contents}
            yield used, units[name]
