"""Budgets of checkpoints for a terminal: a line for each volume, and what a plan does to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from vastplan.model import formatting
from vastplan.model.budget import CheckpointBudget, Figure
from vastplan.model.escaping import inert
from vastplan.model.wording import some
from vastplan.report.json_report import ShownBudget

if TYPE_CHECKING:
    from vastplan.report.style import Style

_NAMED = 4


def budget_lines(budgets: Iterable[CheckpointBudget], style: Style) -> Iterator[str]:
    """The lines of all budgets; none if no volume sets what writes checkpoints to it."""
    for number, alike in enumerate(alike_budgets(budgets)):
        if not number:
            yield ""
            yield style.paint("Checkpoints", "bold")
        yield f"  {inert(volume_names(alike))}: {inert(alike[0].line, 600)}"
        for change in alike[0].changes:
            yield style.paint(f"      {inert(change, 600)}", "yellow")


def alike_budgets(budgets: Iterable[CheckpointBudget]) -> list[list[CheckpointBudget]]:
    """The budgets, those that report the same in one group."""
    alike: dict[tuple[object, ...], list[CheckpointBudget]] = {}
    for budget in budgets:
        alike.setdefault((budget.line, tuple(budget.changes)), []).append(budget)
    return [*alike.values()]


def volume_names(alike: Sequence[CheckpointBudget]) -> str:
    """The volume, or the number of several volumes and the first of them."""
    few = some([budget.address for budget in alike], _NAMED)
    return few if len(alike) == 1 else f"{len(alike)} volumes ({few})"


def budget_text(volume: ShownBudget, style: Style) -> str:
    """One volume's budget in full."""
    lines = [style.paint(inert(volume.address), "bold")]
    lines += [style.paint(f"  {inert(finding, 600)}", "yellow") for finding in volume.findings]
    if volume.budget is not None:
        lines.append(f"  {inert(volume.budget.line, 600)}")
        lines += [f"    {name:24} {inert(value)}" for name, value in figure_texts(volume.budget.figures)]
    lines += [f"  part {inert(address)}" for address in volume.parts]
    return "\n".join(lines) + "\n"


def figure_texts(figures: Mapping[str, Figure]) -> Iterator[tuple[str, str]]:
    """Each known figure: its name without the unit, and its value with it."""
    for name, value in figures.items():
        if value is not None:
            words, text = _figure_text(name, value)
            yield words.replace("_", " "), text


_UNITS = (("_bytes_per_second", formatting.rate), ("_bytes", formatting.size), ("_seconds", formatting.span))


def _figure_text(name: str, value: int | float | str) -> tuple[str, str]:
    if isinstance(value, str):
        return name, value
    for ending, unit_text in _UNITS:
        if name.endswith(ending):
            return name.removesuffix(ending), unit_text(value)
    return name, f"{value:,}" if isinstance(value, int) else formatting.share(value)
