"""QOS-05: an IOPS limit that binds before the bandwidth limit beside it."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import Limit, all_of
from vastplan.model.finding import Severity

IO_SIZE = 64 * 1024  # bytes: what VMS counts as one operation unless it was told otherwise
_MEGABYTE = 10**6


def _run(facts: Facts) -> Iterator[Violation]:
    held: dict[tuple[object, str, str], dict[str, Limit]] = {}
    for limit in all_of(facts):
        held.setdefault((limit.entry.address, limit.path, limit.way), {})[limit.unit] = limit
    for units in held.values():
        width, rate = units.get("bw_mbps"), units.get("iops")
        if width is None or rate is None or not rate.ceiling or width.entry.values.get("limit_by") in ("BW", "IOPS"):
            continue
        if rate.ceiling * IO_SIZE < width.ceiling * _MEGABYTE:
            reached = rate.ceiling * IO_SIZE / _MEGABYTE
            text = f"{rate.ceiling_name} {rate.ceiling} holds it to {reached:.4g} MB/s, below {width.ceiling_name} {width.ceiling}"
            yield Violation(width.entry, text)


CHECK = Check(
    code="QOS-05",
    title="an IOPS limit below the bandwidth limit",
    severity=Severity.WARNING,
    why="VMS counts 64 KiB as one operation: whichever limit is reached first binds, and the other one is never seen.",
    fix="raise the IOPS limit to 15.3 for each MB/s, or leave one of the two out",
    source="VMS 5.5 document, qospolicies.io_size_bytes: 64 KiB by default",
    run=_run,
)
