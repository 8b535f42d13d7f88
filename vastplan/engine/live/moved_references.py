"""Digests of references to renamed objects: they contain the address, and a rename does not change the referrer. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.live.diff import leaf_digest, leaves, value_at
from vastplan.model.address import Address
from vastplan.model.site_ledger import SiteLedger, path_text
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Refers
from vastplan.schema.references import fields_with_references, map_references

Digests = dict[str, dict[str, str]]  # by address and path


def moved_references(
    kinds: Mapping[str, Kind],
    entries: Iterable[Entry],
    parts: Mapping[str, SiteLedger],
    moves: Mapping[Address, Address],
) -> dict[str, Digests]:
    """By site, the new digests of leaves that differ from what was applied only by the renames (from old to new).

    The entries have their new names, the parts the old ones; the addresses of the result are new. A leaf that was applied
    with another value keeps its digest, and so still counts as changed by the document.
    """
    former = {new: old for old, new in moves.items()}
    digests: dict[str, Digests] = {}
    for entry in entries if moves else ():
        kind, part = kinds[entry.address.kind], parts.get(entry.address.site)
        refers = any(ref.target in former for _, ref in fields_with_references(kind.fields, entry.values))
        owned = part.entries.get(str(former.get(entry.address, entry.address))) if part and refers else None
        if part is None or owned is None:
            continue
        moved = {
            text: leaf_digest(part.key, leaf.field, value_at(entry.values, leaf.path))
            for leaf in leaves(kind.fields, _renamed(kind, entry.values, former))
            if leaf.field.has_references
            and owned.fields.get(text := path_text(leaf.path)) == leaf_digest(part.key, leaf.field, leaf.value)
        }
        if moved:
            digests.setdefault(entry.address.site, {})[str(entry.address)] = moved
    return digests


def under_new_names(
    kinds: Mapping[str, Kind], entries: Iterable[Entry], moves: Mapping[Address, Address]
) -> Iterator[Entry]:
    """The entries under their new names, where the document may still have the old ones."""
    for entry in entries:
        values = _renamed(kinds[entry.address.kind], entry.values, moves)
        yield replace(entry, address=moves.get(entry.address, entry.address), values=values)


def _renamed(kind: Kind, values: Values, names: Mapping[Address, Address]) -> Values:
    def change(_: Refers, value: Any) -> Any:
        return Ref(names.get(value.target, value.target), value.managed) if isinstance(value, Ref) else value

    return map_references(kind.fields, values, change)
