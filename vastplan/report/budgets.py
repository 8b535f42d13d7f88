"""Budgets of checkpoints for a terminal: a line for each volume, and what a plan does to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from vastplan.model.budget import CheckpointBudget
from vastplan.model.text import inert

if TYPE_CHECKING:
    from vastplan.report.text import Style


def budget_lines(budgets: Iterable[CheckpointBudget], style: Style) -> Iterator[str]:
    """Nothing where no volume says what writes checkpoints to it."""
    for number, one in enumerate(budgets):
        if not number:
            yield ""
            yield style.paint("Checkpoints", "bold")
        yield f"  {inert(one.address)}: {inert(one.line, 600)}"
        for change in one.changes:
            yield style.paint(f"      {inert(change, 600)}", "yellow")
