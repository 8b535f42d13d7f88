"""QOS-05: an IOPS limit that binds before the bandwidth limit beside it."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import QosLimit, all_qos_limits
from vastplan.model.finding import Severity

IO_SIZE = 64 * 1024  # bytes that VMS counts as one operation by default
_MEGABYTE = 10**6


def _run(facts: Facts) -> Iterator[Violation]:
    by_unit: dict[tuple[object, str, str], dict[str, QosLimit]] = {}
    for limit in all_qos_limits(facts):
        by_unit.setdefault((limit.entry.address, limit.path, limit.way), {})[limit.unit] = limit
    for units in by_unit.values():
        bandwidth, iops = units.get("bw_mbps"), units.get("iops")
        if (
            bandwidth is None
            or iops is None
            or not iops.ceiling
            or bandwidth.entry.values.get("limit_by") in ("BW", "IOPS")
        ):
            continue
        if iops.ceiling * IO_SIZE < bandwidth.ceiling * _MEGABYTE:
            iops_bandwidth = iops.ceiling * IO_SIZE / _MEGABYTE
            text = f"{iops.ceiling_name} {iops.ceiling} limits it to {iops_bandwidth:.4g} MB/s, below {bandwidth.ceiling_name} {bandwidth.ceiling}"
            yield Violation(bandwidth.entry, text)


CHECK = Check(
    code="QOS-05",
    title="an IOPS limit below the bandwidth limit",
    severity=Severity.WARNING,
    why="VMS counts 64 KiB as one operation: the limit that is reached first binds, and the other one has no effect.",
    fix="raise the IOPS limit to 15.3 for each MB/s, or remove one of the two limits",
    source="VMS 5.5 document, qospolicies.io_size_bytes: 64 KiB by default",
    run=_run,
)
