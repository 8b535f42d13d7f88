"""Entries that refer to one another in a circle, so that none can be created first: reported before any connection is opened."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from vastplan.model.address import Address
from vastplan.model.finding import Finding, error
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.references import fields_with_references

_Named = TypeVar("_Named", bound=Hashable)


def circular(kinds: Mapping[str, Kind], entries: Iterable[Entry]) -> list[Finding]:
    """A finding for entries that need one another, so that none can be created first; at most one ring is named."""
    desired = {entry.address: entry for entry in entries}
    between: dict[str, set[str]] = {}
    for address, entry in desired.items():
        between.setdefault(address.kind, set()).update(target.kind for target in entry.after)
    for name, targets in between.items():
        targets |= _needed_kinds(kinds[name].fields)
    if _ring(between) is None:
        return []  # without a ring of kinds no ring of entries exists, so thousands of entries need no check
    needs = {
        address: {
            *(ref.target for field, ref in fields_with_references(kinds[address.kind].fields, entry.values)
              if not (field.refers and field.refers.shields)),
            *entry.after,
        } & desired.keys()
        for address, entry in desired.items()
    }  # fmt: skip
    ring = _ring(needs)
    return [] if ring is None else [ring_finding(ring, desired)]


def _ring(needs: Mapping[_Named, Iterable[_Named]]) -> list[_Named] | None:
    sorter: TopologicalSorter[_Named] = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as ring:
        return list(ring.args[1])
    return None


def _needed_kinds(fields: tuple[Field, ...]) -> set[str]:
    needed: set[str] = set()
    for field in fields:
        if field.refers is not None and not field.refers.shields:
            needed |= {kind for kind, _ in field.refers.targets}
        needed |= _needed_kinds(field.fields)
    return needed


def ring_finding(ring: list[Address], desired: Mapping[Address, Entry]) -> Finding:
    """The finding (VP301) for entries that the sorter returned as a ring."""
    # the sorter names what comes first before what needs it; the arrows say "needs"
    steps = list(dict.fromkeys(reversed(ring)))
    first = min(steps)
    turn = steps.index(first)
    path = " → ".join(map(str, (*steps[turn:], *steps[:turn], first)))
    where = desired[first].where if first in desired else None
    fix = "remove one of these references: none of these objects can be created first"
    return error("VP301", f"these refer to one another in a circle: {path}", fix=fix, where=where)
