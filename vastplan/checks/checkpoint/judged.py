"""The budgets of all volumes that say what writes checkpoints to them: computed once, for the checks and for reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from vastplan.checks.checkpoint.budget import Budget
from vastplan.checks.checkpoint.document import evaluate_guards
from vastplan.checks.checkpoint.figures import figures, line
from vastplan.checks.checkpoint.findings import change, together
from vastplan.checks.checkpoint.live import before
from vastplan.checks.checkpoint.timely import Violation
from vastplan.checks.facts import Facts
from vastplan.model.budget import CheckpointBudget
from vastplan.schema.entries import Entry

WITH_BUDGET = "volume"
"""The kind whose entries may have a budget."""
_DIGITS = 6  # of a curve: it is drawn, and nobody computes with it


@dataclass(frozen=True, slots=True)
class Judged:
    """A volume, its budget (`None` where what is said makes no sense), and what that says."""

    volume: Entry
    budget: Budget | None
    findings: tuple[Violation, ...]


@lru_cache(maxsize=2)  # every check of checkpoints asks for the same
def judged(facts: Facts) -> tuple[Judged, ...]:
    """All volumes with a `checkpoint`, in the order of their addresses; what coincides is said of a site's first."""
    volumes = sorted(
        (one for one in facts.written.all(WITH_BUDGET) if "checkpoint" in one.values), key=lambda one: one.address
    )
    found = [Judged(one, *evaluate_guards(one, facts.scope, facts.capability(one.address.site))) for one in volumes]
    first = {one.volume.address.site: number for number, one in reversed(list(enumerate(found)))}
    for site, number in first.items():
        one = found[number]
        found[number] = Judged(one.volume, one.budget, (*one.findings, *together(_of_site(found, site))))
    return tuple(found)


def budgets(facts: Facts) -> tuple[CheckpointBudget, ...]:
    """Those that could be computed, as reports show them; with `facts.before` also what a plan changes."""
    return tuple(_told(one, one.budget, facts) for one in judged(facts) if one.budget is not None)


def _of_site(found: list[Judged], site: str) -> Mapping[str, Budget]:
    return {
        one.volume.address.name: one.budget
        for one in found
        if one.budget is not None and one.volume.address.site == site
    }


def _told(one: Judged, budget: Budget, facts: Facts) -> CheckpointBudget:
    was = before(facts, one.volume)
    curve = tuple((_rounded(interval), _rounded(cost)) for interval, cost in budget.curve)
    changes = change(was, budget) if was is not None else ()
    return CheckpointBudget(str(one.volume.address), line(budget), figures(budget), curve, changes)


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
