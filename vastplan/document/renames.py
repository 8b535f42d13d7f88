"""Renames that are impossible, as the document alone shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.model.finding import Finding, error
from vastplan.schema.entries import Entry
from vastplan.schema.former_names import former_addresses


def renamed_in_a_ring(entries: Iterable[Entry]) -> Iterator[Finding]:
    """VP218 for entries that swap names. After the apply the same renames would look new again, and be repeated."""
    renamed = {entry.address: entry for entry in entries if entry.renamed_from}
    former = former_addresses(renamed.values())
    visited = set()
    for start in former:
        path = []
        address = start
        while address in former and address not in visited:
            visited.add(address)
            path.append(address)
            address = former[address]
        if address in path:
            ring = sorted(path[path.index(address) :])
            names = ", ".join(address.name for address in ring)
            text = f"{names} are renamed to each other, which the ledger cannot record"
            fix = "rename one of them to an unused name, apply, and then rename the others"
            yield error("VP218", text, fix=fix, address=str(ring[0]), where=renamed[ring[0]].where)
