"""REP-11: replicas that are gone before the next one is sure to be there."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.units import SECONDS, show


def _run(facts: Facts) -> Iterator[Violation]:
    for policy in facts.objects.all("protection_policy"):
        for frame in policy.values["frames"]:
            kept = frame.get("keep_remote")
            if kept and kept < 2 * frame["every"]:
                text = f"keep_remote {show(kept, SECONDS)} is less than twice every {show(frame['every'], SECONDS)}"
                yield Violation(policy, text)


CHECK = Check(
    code="REP-11",
    title="replicas kept for less than two rounds",
    severity=Severity.WARNING,
    why="A replica expires while the next one may still be on its way: for a while there is nothing to fail over to.",
    fix="keep_remote of at least twice every",
    source="VAST knowledge base: the worst case is the schedule and the transfer together",
    run=_run,
)
