"""QOS-02: a burst that is not above its limit."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import all_qos_limits
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for limit in all_qos_limits(facts):
        if limit.burst and limit.burst <= limit.ceiling:
            yield Violation(
                limit.entry, f"{limit.burst_name} {limit.burst} is not above {limit.ceiling_name} {limit.ceiling}"
            )


CHECK = Check(
    code="QOS-02",
    title="a burst that is not above its limit",
    severity=Severity.ERROR,
    why="A burst is what clients may use for a while above the limit; VMS refuses a burst at or below the limit, or it has no effect.",
    fix="raise the burst (five times the limit is what VAST advises), or remove it",
    source="VAST knowledge base, QoS best practices: burst above max",
    run=_run,
)
