"""QOS-04: a burst without credit, or with credit for far less or more than a minute."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import all_qos_limits
from vastplan.model.finding import Severity

_SHORTEST, _LONGEST = 30, 120  # seconds: within a factor of two of the minute that VAST advises


def _run(facts: Facts) -> Iterator[Violation]:
    for limit in all_qos_limits(facts):
        beyond = limit.burst - limit.ceiling
        if not limit.ceiling or beyond <= 0:
            continue
        if not limit.loan:
            yield Violation(limit.entry, f"{limit.burst_name} has no credit (burst_{limit.way}loan)")
        elif not _SHORTEST * beyond <= limit.loan <= _LONGEST * beyond:
            seconds = limit.loan / beyond
            yield Violation(limit.entry, f"{limit.burst_name} has credit for {seconds:.3g} s, not for about 60 s")


CHECK = Check(
    code="QOS-04",
    title="a burst whose credit is not about a minute",
    severity=Severity.WARNING,
    why="A burst lasts as long as its credit divided by what it adds to the limit: without credit there is no burst, with too much there is no limit.",
    fix="set burst_*_loan_* to 60 x (burst - limit)",
    source="VAST knowledge base, QoS best practices: credit of 60 s",
    run=_run,
)
