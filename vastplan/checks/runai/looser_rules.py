"""RAI-09: a project whose scheduling rules are looser than those of its department."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.live_values import mapping_of
from vastplan.model.finding import Severity
from vastplan.model.units import SECONDS, show_amount


def _run(facts: Facts) -> Iterator[Violation]:
    for project in facts.objects.all("project"):
        department = facts.objects.get(project.values.get("department"))
        above = mapping_of(department.values.get("scheduling_rules")) if department is not None else {}
        for name, own in mapping_of(project.values.get("scheduling_rules")).items():
            limit = above.get(name)
            if department is not None and own and limit and own > limit:
                own_text, limit_text = show_amount(own, SECONDS), show_amount(limit, SECONDS)
                yield Violation(
                    project,
                    f"{name} is {own_text}, and department {department.address.name} allows {limit_text} at most",
                )


CHECK = Check(
    code="RAI-09",
    title="a project with looser rules than its department",
    severity=Severity.ERROR,
    why="Rules of a department hold for its projects: Run:AI refuses a project that allows more.",
    fix="write a shorter time for the project, or a longer one for the department",
    source="Run:ai documentation, scheduling rules: a project can only be stricter than its department",
    run=_run,
)
