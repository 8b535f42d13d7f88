"""QOS-03: bandwidth limits too small to be kept well."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import all_qos_limits
from vastplan.model.finding import Severity

_LEAST = 100  # MB/s


def _run(facts: Facts) -> Iterator[Violation]:
    for limit in all_qos_limits(facts):
        if limit.unit == "bw_mbps" and 0 < limit.ceiling < _LEAST:
            yield Violation(limit.entry, f"{limit.ceiling_name} is {limit.ceiling} MB/s, below {_LEAST} MB/s")


CHECK = Check(
    code="QOS-03",
    title="a bandwidth limit below 100 MB/s",
    severity=Severity.WARNING,
    why="VMS keeps limits in windows of 0.1 s by adding latency: small limits let few requests through at a time, and stall clients.",
    fix="raise it to 100 MB/s or more; the unit is MB/s, not Mb/s",
    source="VAST knowledge base, QoS best practices: max of 100 MB/s at least",
    run=_run,
)
