"""Former names: the name of each object before the renames that the document writes as `renamed_from`.

Each composition has its own way to name its parts after the entry and the objects that it refers to. So the document is
composed a second time under the former names, and the objects of each entry are paired by kind and position. This works
without knowledge of any composition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from vastplan.model.address import Address
from vastplan.model.value import Ref, references
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.composition import Composition, Scope, composed
from vastplan.schema.entries import Entry, Site

_Names = Mapping[Address, Address]
_ByKind = dict[str, list[Address]]


class FormerName(NamedTuple):
    """The address that an object had, and what to write, and where, so that the live object keeps its name ("" where nothing
    helps)."""

    former: Address
    kept_by: str


def with_former_names(
    sites: Mapping[str, Site],
    written: Iterable[Entry],
    objects: Iterable[Entry],
    compositions: Mapping[str, Composition],
) -> list[Entry]:
    """The composed `objects` of the `written` entries, each with its former name where that differs."""
    names, objects = former_names(sites, tuple(written), compositions), list(objects)
    if not names:
        return objects
    return [
        replace(entry, renamed_from=former_name.former.name, kept_by=former_name.kept_by)
        if (former_name := names.get(entry.address)) is not None
        else entry
        for entry in objects
    ]


def former_names(
    sites: Mapping[str, Site], written: tuple[Entry, ...], compositions: Mapping[str, Composition]
) -> dict[Address, FormerName]:
    """The objects of the `written` entries whose address the renames change, with their former names, by the new address."""
    former = former_addresses(written)
    names: dict[Address, FormerName] = {}
    if former:
        for kept_by, new, old in _pairs(sites, written, former, compositions):
            names.setdefault(new, FormerName(old, kept_by))
    return names


def former_addresses(written: Iterable[Entry]) -> dict[Address, Address]:
    """The renames as they are written: from the new address to the former one."""
    return {
        entry.address: entry.address._replace(name=entry.renamed_from)
        for entry in written
        if entry.renamed_from not in ("", entry.address.name)
    }


def _pairs(
    sites: Mapping[str, Site], written: tuple[Entry, ...], former: _Names, compositions: Mapping[str, Composition]
) -> Iterator[tuple[str, Address, Address]]:
    """Each object whose address has changed: what to write to keep its name, the new address, and the former one."""
    was = tuple(_under_former_name(entry, former) for entry in written)
    # Problems are reported for the document itself, so the findings of these two scopes are dropped.
    scope, scope_before = Scope(sites, written), Scope(sites, was)
    for entry, entry_before in zip(written, was, strict=True):
        # Each entry starts with an empty `done`: under their former names two entries may have the same address.
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
            if len(addresses) == len(addresses_before):  # otherwise they cannot be paired
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
        values = {**values, "name": address.name}  # the object has the name of its entry, and had its former name
    return (
        entry if values is entry.values and address is entry.address else replace(entry, address=address, values=values)
    )


def _renamed(value: Any, former: _Names) -> Any:
    """The value with every renamed target of a reference under its former name; the same value where nothing changes."""
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
    """What to write in an entry so that values that followed from former names stay; "" where none changes."""
    lines = [f"`{name}: {yaml_scalar(value)}`" for name, value in before.items() if value != now[name]]
    return f"{' and '.join(lines)} in {entry.address}" if lines else ""


def _keeping(entry: Entry, former: _Names) -> str:
    """What to write, and where, so that the live object keeps its name; "" where nothing can be written."""
    named_by = (entry.address,) if "name" in entry.values else ()  # otherwise its name follows from what it refers to
    for address in (*named_by, *(ref.target for ref in references(entry.values))):
        if address in former:
            return f"`name: {yaml_scalar(former[address].name)}` in {address}"
    return ""
