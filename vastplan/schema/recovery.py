"""Recovery, the inverse of compositions: live objects become the entry that a person would write. Pure.

Each `compose` has its `recover`. The result of a `recover` is accepted only if composing it again yields exactly the objects
that it claims, so a wrong result makes the document longer, never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref, references
from vastplan.schema.entries import Entry, Site


@dataclass(frozen=True, slots=True)
class Recovered:
    """An entry, and the objects that it stands for: no other entry claims these.

    `note` is something that a person has to know and that the entry's text does not show; it is shown with the object's users.
    """

    entry: Entry
    stands_for: tuple[Address, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unsayable:
    """An object that no entry can express as it is; `why`, and in `fix` what would change that, for people.

    Of several results for one object the first that is accepted counts. Without `why`, the reason is why the previous result was
    not accepted.
    """

    address: Address
    why: str = ""
    fix: str = ""
    unread: str = ""
    """The kind that could not be read: without it this cannot be determined."""
    unasked: bool = False
    """Whether a document does not describe such objects at all, so that nobody misses this one."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a recovery may know besides the objects that are to be written.

    `rooms` returns how many users an address has, by the room (a namespace, a tenant) that they are in; `None` where that could
    not be read. `live` returns the values of an object by its site, kind and name, as the system shows them, whether it is
    written or not; `None` where it does not exist, or several do. With `close` access is written as narrow as the users that
    were seen allow.
    """

    rooms: Callable[[Address], Mapping[str, int] | None] = lambda _: {}
    live: Callable[[str, str, str], Mapping[str, Any] | None] = lambda *_: None
    close: bool = False
    unread: Callable[[str, str], str] = lambda *_: ""
    """Why the objects of a kind on a site could not be read, "" where they could."""


class Pieces:
    """The objects that are to be written, each as the entry that a document would have for it alone; a round of recovery claims
    those that it uses.

    References in their values are addresses, and values that need not be written are left out. `full` has all values of an
    object, so that the values that were left out can be compared too. `known` are the entries that the document has already:
    other entries can refer to them and look them up, and nothing claims them.
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
        """The entry at an address, claimed or not, including entries that the document has already."""
        return self._entries.get(address) or self._known.get(address)

    def of(self, kind: str) -> Iterator[Entry]:
        """The entries of a kind on all sites."""
        for site in self.sites:
            yield from self._by_kind.get((site, kind), ())

    def known(self, address: Address) -> bool:
        """Whether the document has an entry at this address already; that entry stays as it is."""
        return address in self._known

    def around(self, kind: str) -> Iterator[Entry]:
        """The entries of a kind on all sites, including those that the document has already."""
        if self._known_of is None:
            self._known_of = {}
            for entry in self._known.values():
                self._known_of.setdefault(entry.address.kind, []).append(entry)
        yield from self.of(kind)
        yield from self._known_of.get(kind, ())

    def full(self, entry: Entry) -> Mapping[str, Any]:
        """All values of an object, including those that its entry can leave out."""
        return self._full.get(entry.address, entry.values)

    def having(self, site: str, kind: str, **values: Any) -> list[Entry]:
        """The entries of a kind on a site with these values; values that an entry can leave out count too."""
        names = tuple(sorted(values))
        index = self._indexes.get((site, kind, names))
        if index is None:
            index = self._indexes[site, kind, names] = {}
            for entry in self._by_kind.get((site, kind), ()):
                full_values = self.full(entry)
                index.setdefault(tuple(_hashed(full_values.get(name)) for name in names), []).append(entry)
        return index.get(tuple(_hashed(values[name]) for name in names), [])

    def referring(self, address: Address) -> list[Address]:
        """The addresses of the entries that refer to an address."""
        if self._referring is None:
            self._referring = {}
            for entry in self._entries.values():
                for target in {ref.target for ref in references(self.full(entry))}:
                    self._referring.setdefault(target, []).append(entry.address)
        return self._referring.get(address, [])

    def tenant(self, entry: Entry, fields: Iterable[str]) -> Ref | None:
        """The tenant in an entry's own field, else the tenant that all objects have to which it refers in these fields.

        `None` where these do not agree, or have no tenant.
        """
        own = entry.values.get("tenant")
        if isinstance(own, Ref) and self.get(own.target) is not None:
            return own
        tenants = set()
        for name in fields:
            ref = entry.values.get(name)
            if isinstance(ref, Ref):
                other = self.get(ref.target)
                owner = (
                    ref if ref.target.kind == "tenant" else other.values.get("tenant") if other is not None else None
                )
                tenants.add(owner if isinstance(owner, Ref) and self.get(owner.target) is not None else None)
        return next(iter(tenants)) if len(tenants) == 1 else None

    def name(self, ref: Ref) -> str:
        """The name in its system of the object that a reference points to."""
        entry = self.get(ref.target)
        return entry.called if entry is not None else ref.target.name

    def entries(self) -> Iterator[Entry]:
        """All entries that are to be written."""
        yield from self._entries.values()


def only(entries: list[Entry]) -> Entry | None:
    """The only entry of a list, `None` where it has none or several."""
    return entries[0] if len(entries) == 1 else None


def _hashed(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_hashed, value))
    return tuple(sorted((key, _hashed(inner)) for key, inner in value.items())) if isinstance(value, dict) else value
