"""REP-11: restore points that may expire before the next one arrives."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.units import SECONDS, show_amount


def _run(facts: Facts) -> Iterator[Violation]:
    for policy in facts.objects.all("protection_policy"):
        for frame in policy.values["frames"]:
            keep_remote = frame.get("keep_remote")
            if keep_remote and keep_remote < 2 * frame["every"]:
                text = f"keep_remote {show_amount(keep_remote, SECONDS)} is less than twice every {show_amount(frame['every'], SECONDS)}"
                yield Violation(policy, text)


CHECK = Check(
    code="REP-11",
    title="restore points kept for less than two intervals",
    severity=Severity.WARNING,
    why="A restore point may expire while the next one is still on its way: until then there is nothing to fail over to.",
    fix="raise keep_remote to at least twice every",
    source="VAST knowledge base: the worst case is the schedule and the transfer together",
    run=_run,
)
