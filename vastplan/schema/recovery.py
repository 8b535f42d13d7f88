"""The way back: objects put together again into the entry that a person would write. The inverse of compositions. Pure.

Beside a `compose` stands its `recover`. What it answers is believed only where composing it again makes just the objects that
it claims, so a wrong one costs a longer document and never a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref, references
from vastplan.schema.entries import Entry, Site


@dataclass(frozen=True, slots=True)
class Recovered:
    """An entry, and the objects that it stands for: those are claimed by nothing else.

    With a `note` a person has to know what its text does not show: who uses the object, and this, which is for people.
    """

    entry: Entry
    stands_for: tuple[Address, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unsayable:
    """An object that no entry can say as it is; why, and what would change that, for people.

    Of several answers for one object the first that is believed counts. Without `why` it is why the one before was not.
    """

    address: Address
    why: str = ""
    fix: str = ""
    unread: str = ""
    """The kind that could not be read, and with which more could be told."""
    unasked: bool = False
    """Whether it is nothing that a document is about, so that nobody misses it."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a way back may know beside the objects that are to be written.

    `rooms` says of an address how many use the object, by the room that they are in; `None` where that could not be read.
    `live` finds the values of an object by its site, kind and name, as the system shows them, whatever becomes of it; `None`
    where it is not there, or several are. With `close` access is to be written as narrow as those allow who are seen.
    """

    rooms: Callable[[Address], Mapping[str, int] | None] = lambda _: {}
    live: Callable[[str, str, str], Mapping[str, Any] | None] = lambda *_: None
    close: bool = False
    unread: Callable[[str, str], str] = lambda *_: ""
    """Why the objects of a kind on a site could not be read, "" where they could."""


class Pieces:
    """The objects that are to be written, as the entries that a document would have of each alone; a round claims what it uses.

    In their values references are addresses, and nothing is there that need not be written. `full` are all values of an
    object, so that what was left out can be compared, too. `known` is what the document has already, as it says it: it can be
    referred to and asked of, and nothing claims it.
    """

    def __init__(
        self,
        sites: Mapping[str, Site],
        entries: Iterable[Entry],
        full: Mapping[Address, Mapping[str, Any]],
        sight: Sight | None = None,
        known: Mapping[Address, Entry] = MappingProxyType({}),
    ) -> None:
        self.sites = sites
        self.sight = sight or Sight()
        self._entries = {entry.address: entry for entry in entries}
        self._known = known
        self._known_of: dict[str, list[Entry]] | None = None
        self._full = full
        self._by_kind: dict[tuple[str, str], list[Entry]] = {}
        self._indexes: dict[tuple[str, str, tuple[str, ...]], dict[tuple[Any, ...], list[Entry]]] = {}
        self._referring: dict[Address, list[Address]] | None = None
        for entry in self._entries.values():
            self._by_kind.setdefault((entry.address.site, entry.address.kind), []).append(entry)

    def get(self, address: Address) -> Entry | None:
        """The entry at an address, claimed or not, also one that the document has already."""
        return self._entries.get(address) or self._known.get(address)

    def of(self, kind: str) -> Iterator[Entry]:
        """The entries of a kind on all sites."""
        for site in self.sites:
            yield from self._by_kind.get((site, kind), ())

    def known(self, address: Address) -> bool:
        """Whether the document has it already: what it says of it stays."""
        return address in self._known

    def around(self, kind: str) -> Iterator[Entry]:
        """The entries of a kind on all sites, also those that the document has already."""
        if self._known_of is None:
            self._known_of = {}
            for entry in self._known.values():
                self._known_of.setdefault(entry.address.kind, []).append(entry)
        yield from self.of(kind)
        yield from self._known_of.get(kind, ())

    def full(self, entry: Entry) -> Mapping[str, Any]:
        """All values of an object, also those that its entry need not say."""
        return self._full.get(entry.address, entry.values)

    def having(self, site: str, kind: str, **values: Any) -> list[Entry]:
        """The entries of a kind on a site with these values, those included that need not be said."""
        names = tuple(sorted(values))
        index = self._indexes.get((site, kind, names))
        if index is None:
            index = self._indexes[site, kind, names] = {}
            for entry in self._by_kind.get((site, kind), ()):
                said = self.full(entry)
                index.setdefault(tuple(_hashed(said.get(name)) for name in names), []).append(entry)
        return index.get(tuple(_hashed(values[name]) for name in names), [])

    def referring(self, address: Address) -> list[Address]:
        """What refers to an address."""
        if self._referring is None:
            self._referring = {}
            for entry in self._entries.values():
                for target in {ref.target for ref in references(self.full(entry))}:
                    self._referring.setdefault(target, []).append(entry.address)
        return self._referring.get(address, [])

    def tenant(self, entry: Entry, fields: Iterable[str]) -> Ref | None:
        """The tenant that an entry says, else that which all say which it names in these fields.

        `None` where they do not agree, or none is said.
        """
        own = entry.values.get("tenant")
        if isinstance(own, Ref) and self.get(own.target) is not None:
            return own
        said = set()
        for name in fields:
            ref = entry.values.get(name)
            if isinstance(ref, Ref):
                other = self.get(ref.target)
                owner = (
                    ref if ref.target.kind == "tenant" else other.values.get("tenant") if other is not None else None
                )
                said.add(owner if isinstance(owner, Ref) and self.get(owner.target) is not None else None)
        return next(iter(said)) if len(said) == 1 else None

    def name(self, ref: Ref) -> str:
        """What is referred to by its own name."""
        entry = self.get(ref.target)
        return entry.called if entry is not None else ref.target.name

    def entries(self) -> Iterator[Entry]:
        """All of them."""
        yield from self._entries.values()


def only(entries: list[Entry]) -> Entry | None:
    """The one entry, where there is just one."""
    return entries[0] if len(entries) == 1 else None


def _hashed(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_hashed, value))
    return tuple(sorted((key, _hashed(inner)) for key, inner in value.items())) if isinstance(value, dict) else value
