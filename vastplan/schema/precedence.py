"""Order that does not follow from references: what an object creates, on its own site or another, comes after the object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.dependents import Precedes
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_Key = tuple[str, tuple[Any, ...]]  # kind, and the values by which two objects belong together


def with_precedence(entries: Iterable[Entry], kinds: Mapping[str, Kind]) -> list[Entry]:
    """The entries, each with the objects that must precede it in `after`, by the facts of their kinds (`Precedes`).

    Where two objects would each create what the other starts from (a directory that each site replicates to the other), neither
    precedes the other: none of them could be first.
    """
    placed = _placed(list(entries), kinds, here=True)
    return _placed(placed, kinds, here=False)


def _placed(entries: list[Entry], kinds: Mapping[str, Kind], *, here: bool) -> list[Entry]:
    """The entries, each after what precedes it on its own site (`here`), or on other sites."""
    makers: dict[_Key, Entry] = {}
    facts_by_kind: dict[str, list[Precedes]] = {}
    starts: set[Address] = set()
    facts = {
        name: [fact for fact in kinds[name].precedes if fact.here is here]
        for name in {entry.address.kind for entry in entries}
    }
    for entry in entries:
        for fact in facts[entry.address.kind]:
            key = _key(entry, [maker_field for maker_field, _ in fact.same])
            if key is not None:
                makers.setdefault((fact.kind, key), entry)
                # What comes before the creating object on its own site is what it starts from: no other object creates that.
                starts.update(() if here else entry.after)
            kind_precedes = facts_by_kind.setdefault(fact.kind, [])
            if fact not in kind_precedes:
                kind_precedes.append(fact)
    if not makers:
        return entries
    return [
        _after_its_makers(entry, facts_by_kind[entry.address.kind], makers, starts)
        if entry.address.kind in facts_by_kind
        else entry
        for entry in entries
    ]


def _after_its_makers(
    entry: Entry, facts: Iterable[Precedes], makers: Mapping[_Key, Entry], starts: set[Address]
) -> Entry:
    if entry.address in starts:
        return entry
    after = list(entry.after)
    for fact in facts:
        key = _key(entry, [user_field for _, user_field in fact.same])
        maker = makers.get((fact.kind, key)) if key is not None else None
        if maker is not None and (maker.address.site == entry.address.site) is fact.here:
            after.append(maker.address)
    return replace(entry, after=tuple(dict.fromkeys(after))) if len(after) > len(entry.after) else entry


def _key(entry: Entry, fields: Iterable[str]) -> tuple[Any, ...] | None:
    """The values of the fields, for a reference its target; `None` where one is not given."""
    values = [entry.values.get(name) for name in fields]
    return None if None in values else tuple(value.target if isinstance(value, Ref) else value for value in values)
