"""Entries by site and kind, and by what they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


class Index:
    """Entries by site and kind, and by what they refer to; each index is built when it is first needed."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_kind: dict[tuple[str, str], dict[str, Entry]] = {}
        for entry in entries:
            self._by_kind.setdefault((entry.address.site, entry.address.kind), {})[entry.address.name] = entry
        self._by_reference: dict[tuple[str, str, str], dict[Address, list[Entry]]] = {}

    def __iter__(self) -> Iterator[Entry]:
        for entries in self._by_kind.values():
            yield from entries.values()

    def on(self, site: str, kind: str) -> Mapping[str, Entry]:
        """The entries of a kind on a site, by name."""
        return self._by_kind.get((site, kind), {})

    def all(self, kind: str) -> Iterator[Entry]:
        """The entries of a kind on every site."""
        for (_, name), entries in self._by_kind.items():
            if name == kind:
                yield from entries.values()

    def get(self, ref: Any) -> Entry | None:
        """The entry that a reference names; `None` if it is not here, or the value is not a reference."""
        if not isinstance(ref, Ref):
            return None
        return self.on(ref.target.site, ref.target.kind).get(ref.target.name)

    def at(self, text: str) -> Entry:
        """The entry at an address, given as text. Raises `KeyError` if it is not here."""
        address = Address.parse(text)
        return self._by_kind[address.site, address.kind][address.name]

    def referring(self, site: str, kind: str, field: str, target: Any) -> list[Entry]:
        """The entries of a kind on a site whose `field` refers to `target` (an address or a reference)."""
        key = (site, kind, field)
        if key not in self._by_reference:
            by_target: dict[Address, list[Entry]] = {}
            for entry in self.on(site, kind).values():
                value = entry.values.get(field)
                if isinstance(value, Ref):
                    by_target.setdefault(value.target, []).append(entry)
            self._by_reference[key] = by_target
        return self._by_reference[key].get(target.target if isinstance(target, Ref) else target, [])
