"""QTA-08: a clone that is smaller than its source."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.units import BYTES, show_alike


def _run(facts: Facts) -> Iterator[Violation]:
    for clone in facts.written.all("volume"):
        source = clone.values.get("source")
        if not source or "volume" not in source:
            continue
        address = Address(source.get("site", clone.address.site), "volume", source["volume"])
        of = facts.scope.get(address)
        size, whole = clone.values.get("size"), of.values.get("size") if of is not None else None
        if size and whole and size < whole:
            size_text, whole_text = show_alike(BYTES, size, whole)
            where = address.name if address.site == clone.address.site else str(address)
            yield Violation(clone, f"it has {size_text}, and its source {where} may hold {whole_text}")


CHECK = Check(
    code="QTA-08",
    title="a clone that is smaller than its source",
    severity=Severity.WARNING,
    why="A clone starts with all data of its source: where that is more than its size, it is full at once, or is not created.",
    fix="raise size to that of the source, unless you know that the snapshot holds less",
    source="VMS 5.5 document, snapshots/{id}/clone/; Kubernetes: a claim is at least as large as its VolumeSnapshot",
    run=_run,
)
