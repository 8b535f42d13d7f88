"""Former names: the name of each object before the renames that the document writes as `renamed_from`.

A composition names its parts after the entry and after what that refers to, in ways of its own. So the document is composed
once more as it would be under the former names, and the objects of each entry are paired by kind and place. That needs no
word about any composition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from vastplan.model.address import Address
from vastplan.model.value import Ref, references
from vastplan.model.yaml_text import scalar
from vastplan.schema.entries import Composition, Entry, Scope, Site, composed

_Names = Mapping[Address, Address]
_ByKind = dict[str, list[Address]]


class FormerName(NamedTuple):
    """The address that an object had, and what to write, and where, so that what is live keeps its name ("" for nothing)."""

    former: Address
    kept_by: str


def with_former_names(
    sites: Mapping[str, Site],
    written: Iterable[Entry],
    objects: Iterable[Entry],
    compositions: Mapping[str, Composition],
) -> list[Entry]:
    """The composed `objects` of the `written` entries, each with the name that it had before, where that was another."""
    names, objects = former_names(sites, tuple(written), compositions), list(objects)
    if not names:
        return objects
    return [
        replace(entry, renamed_from=found.former.name, kept_by=found.kept_by)
        if (found := names.get(entry.address)) is not None
        else entry
        for entry in objects
    ]


def former_names(
    sites: Mapping[str, Site], written: tuple[Entry, ...], compositions: Mapping[str, Composition]
) -> dict[Address, FormerName]:
    """The objects of the `written` entries that had another address before these were renamed, by that of today."""
    former = former_addresses(written)
    names: dict[Address, FormerName] = {}
    if former:
        for kept_by, new, old in _pairs(sites, written, former, compositions):
            names.setdefault(new, FormerName(old, kept_by))
    return names


def former_addresses(written: Iterable[Entry]) -> dict[Address, Address]:
    """The renames as they are written: from the address of today to the one before."""
    return {
        entry.address: entry.address._replace(name=entry.renamed_from)
        for entry in written
        if entry.renamed_from not in ("", entry.address.name)
    }


def _pairs(
    sites: Mapping[str, Site], written: tuple[Entry, ...], former: _Names, compositions: Mapping[str, Composition]
) -> Iterator[tuple[str, Address, Address]]:
    """Each object whose address has changed: what keeps it, its address, and the one before."""
    was = tuple(_under_former_name(entry, former) for entry in written)
    # What is wrong with the document is said of the document, not of what it was called.
    scope, scope_before = Scope(sites, written), Scope(sites, was)
    for entry, entry_before in zip(written, was, strict=True):
        # Nothing is `done` by another entry: under their former names two may have one address.
        after = _by_kind(composed(entry, scope, compositions, set()))
        before = _by_kind(composed(entry_before, scope_before, compositions, set()))
        composition = compositions.get(entry.address.kind)
        keeps = composition.keeps if composition is not None else None
        kept_by = (
            _keeping(entry, former)
            if keeps is None
            else _kept(entry, keeps(entry, scope), keeps(entry_before, scope_before))
        )
        for kind, addresses in after.items():
            addresses_before = before.get(kind, [])
            if len(addresses) == len(addresses_before):  # else there is no telling which is which
                for new, old in zip(addresses, addresses_before, strict=True):
                    if new != old:
                        yield kept_by, new, old


def _by_kind(objects: Iterable[Entry]) -> _ByKind:
    by_kind: _ByKind = {}
    for entry in objects:
        by_kind.setdefault(entry.address.kind, []).append(entry.address)
    return by_kind


def _under_former_name(entry: Entry, former: _Names) -> Entry:
    values = _renamed(entry.values, former)
    address = former.get(entry.address, entry.address)
    if address is not entry.address and values.get("name") == entry.address.name:
        values = {**values, "name": address.name}  # it is called like its entry, and so it was
    return (
        entry if values is entry.values and address is entry.address else replace(entry, address=address, values=values)
    )


def _renamed(value: Any, former: _Names) -> Any:
    """The value with every reference under its former name; itself where there is none."""
    if isinstance(value, Ref):
        target = former.get(value.target)
        return value if target is None else replace(value, target=target)
    if isinstance(value, dict):
        changed = {key: new for key, item in value.items() if (new := _renamed(item, former)) is not item}
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        items = [_renamed(item, former) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _kept(entry: Entry, now: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """What to write in an entry so that what followed from its names stays."""
    written = [f"`{name}: {scalar(value)}`" for name, value in before.items() if value != now[name]]
    return f"{' and '.join(written)} in {entry.address}" if written else ""


def _keeping(entry: Entry, former: _Names) -> str:
    """What to write, and where, so that what is live keeps its name; "" where nothing can be written."""
    named_by = (entry.address,) if "name" in entry.values else ()  # else it is called after what it refers to
    for address in (*named_by, *(ref.target for ref in references(entry.values))):
        if address in former:
            return f"`name: {scalar(former[address].name)}` in {address}"
    return ""
