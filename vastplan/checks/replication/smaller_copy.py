"""REP-18: a volume, a view or a bucket that is smaller or slower at the destination."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.kinds.compose._two_sites import SHARING
from vastplan.model.finding import Severity
from vastplan.model.units import BYTES, show_alike, show_amount
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    for copy in chain.from_iterable(map(facts.written.all, SHARING)):
        site, kind, name = copy.address
        active = copy.values.get("active")
        writer = facts.written.on(str(active), kind).get(name) if active is not None else None
        if writer is None or site == active:
            continue
        copy_size, writer_size = _size(copy), _size(writer)
        if copy_size and not writer_size:
            yield Violation(copy, f"it has {show_amount(copy_size, BYTES)} here, and no limit on {active}")
        elif copy_size and copy_size < writer_size:
            here, there = show_alike(BYTES, copy_size, writer_size)
            yield Violation(copy, f"it has {here} here and {there} on {active}")
        lower = sorted(_lower(copy.values.get("qos"), writer.values.get("qos")))
        if lower:
            yield Violation(copy, f"its QoS here is below that on {active}: {', '.join(lower)}")


def _size(entry: Entry) -> int:
    """How much it may hold, in bytes; 0 for no limit: a view needs no quota."""
    quota = entry.values.get("quota") or {}
    return int(entry.values.get("size") or quota.get("hard_limit") or 0)


def _lower(own: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """The limits that are lower here than there; a missing limit is not lower."""
    limits, others = (values if isinstance(values, Mapping) else {} for values in (own, theirs))
    for name, value in limits.items():
        other, limit_path = others.get(name), f"{path}{name}"
        if isinstance(value, Mapping):
            yield from _lower(value, other, f"{limit_path}.")
        elif isinstance(value, int) and not isinstance(value, bool) and value and (not other or value < other):
            yield limit_path


CHECK = Check(
    code="REP-18",
    title="a destination that is smaller or slower than the source",
    severity=Severity.WARNING,
    why="After a move the other site holds the same data and takes the same writes: a smaller quota refuses them, a lower limit slows them.",
    fix="write the same size and qos on both sites",
    source="VAST knowledge base: quotas and QoS are not replicated, and have to be created on the peer",
    run=_run,
)
