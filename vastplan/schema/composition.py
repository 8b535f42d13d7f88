"""Compositions: what turns a composite entry into objects, and the document as they see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding, error
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry, Site
from vastplan.schema.kind import Kind
from vastplan.schema.recovery import Pieces, Recovered, Unsayable

_T = TypeVar("_T")


class Scope:
    """The whole document as compositions see it; it collects their findings."""

    def __init__(self, sites: Mapping[str, Site], entries: Iterable[Entry]) -> None:
        self.sites = sites
        self.findings: list[Finding] = []
        self.asked = False  # whether a composition used probed facts: offline its result may differ
        self._entries: dict[tuple[str, str], dict[str, Entry]] = {}
        self._by_tenant: dict[tuple[str, str], dict[Address, list[Entry]]] = {}
        self._by_name: dict[tuple[str, str], dict[str, list[Entry]]] = {}
        self._within: dict[tuple[str, str], dict[tuple[str, Address, str], Entry]] = {}
        self._indexes: dict[tuple[str, str], dict[Callable[..., Any], Any]] = {}
        for entry in entries:
            self.add(entry)

    def probed(self, site: str) -> Mapping[str, Any]:
        """The facts that were probed on a site; empty offline."""
        self.asked = True
        return self.sites[site].probed

    def add(self, entry: Entry) -> None:
        """Add an entry, so that later look-ups find it."""
        self._by_tenant.pop((entry.address.site, entry.address.kind), None)
        self._by_name.pop((entry.address.site, entry.address.kind), None)
        self._within.pop((entry.address.site, entry.address.kind), None)
        self._indexes.pop((entry.address.site, entry.address.kind), None)
        self._entries.setdefault((entry.address.site, entry.address.kind), {})[entry.address.name] = entry

    def drop(self, address: Address) -> None:
        """Remove an entry, so that later look-ups do not find it."""
        self._by_tenant.pop((address.site, address.kind), None)
        self._by_name.pop((address.site, address.kind), None)
        self._within.pop((address.site, address.kind), None)
        self._indexes.pop((address.site, address.kind), None)
        self._entries.get((address.site, address.kind), {}).pop(address.name, None)

    def get(self, address: Address) -> Entry | None:
        """The entry at an address."""
        return self._entries.get((address.site, address.kind), {}).get(address.name)

    def of(self, site: str, kind: str) -> Iterator[Entry]:
        """The entries of a kind on a site."""
        yield from self._entries.get((site, kind), {}).values()

    def owned_by(self, tenant: Ref | None, site: str, kind: str) -> list[Entry]:
        """The entries of a kind on a site that belong to `tenant`; empty where `tenant` is `None`."""
        if tenant is None:
            return []
        if (site, kind) not in self._by_tenant:
            index: dict[Address, list[Entry]] = {}
            for entry in self.of(site, kind):
                owner = entry.values.get("tenant")
                if isinstance(owner, Ref):
                    index.setdefault(owner.target, []).append(entry)
            self._by_tenant[site, kind] = index
        return self._by_tenant[site, kind].get(tenant.target, [])

    def called(self, site: str, kind: str, name: str) -> list[Entry]:
        """The entries of a kind on a site whose name in their system is `name`."""
        if (site, kind) not in self._by_name:
            index: dict[str, list[Entry]] = {}
            for entry in self.of(site, kind):
                index.setdefault(entry.called, []).append(entry)
            self._by_name[site, kind] = index
        return self._by_name[site, kind].get(name, [])

    def called_within(self, site: str, kind: str, field: str, of: Ref, name: str) -> Entry | None:
        """The entry of a kind on a site whose `field` refers to `of`, and whose name in its system is `name`."""
        if (site, kind) not in self._within:
            self._within[site, kind] = {
                (key, value.target, entry.called): entry
                for entry in self.of(site, kind)
                for key, value in entry.values.items()
                if isinstance(value, Ref)
            }
        return self._within[site, kind].get((field, of.target, name))

    def indexed(self, site: str, kind: str, by: Callable[[Iterable[Entry]], _T]) -> _T:
        """The result of `by` for all entries of a kind on a site. It must depend on these alone: it is computed once and kept."""
        indexes = self._indexes.setdefault((site, kind), {})
        if by not in indexes:
            indexes[by] = by(self.of(site, kind))
        index: _T = indexes[by]
        return index

    def refuse(self, entry: Entry, code: str, message: str, fix: str = "") -> None:
        """Record an error about an entry."""
        self.findings.append(error(code, message, fix=fix, address=str(entry.address), where=entry.where))

    def only(self, entry: Entry, field: str, kind: str, tenant: Ref | None) -> Ref | None:
        """A reference to the only entry of `kind` that belongs to `tenant`; `None`, and an error, for none or several."""
        candidates = self.owned_by(tenant, entry.address.site, kind)
        if len(candidates) == 1:
            return Ref(candidates[0].address)
        owner = f"tenant {tenant}" if tenant else "no tenant"
        if candidates:
            names = ", ".join(sorted(candidate.address.name for candidate in candidates))
            self.refuse(
                entry, "VP231", f"{field} is left out, and {owner} has several: {names}", f"write {field}: NAME"
            )
        else:
            text = f"{owner} has none" if tenant else "none can be chosen without a tenant"
            self.refuse(entry, "VP232", f"{field} is left out, and {text}", f"write {field}: NAME")
        return None


@dataclass(frozen=True, slots=True)
class Composition:
    """Turns one entry of type `of` into its objects, including the entry itself where that is an object.

    `creates` lists the kinds of those objects that have no section of their own. `recover` is the inverse, for an import
    (`schema/recovery.py`); `rank` is the order in which these run: entries inside others first. An import recovers the entry
    also where objects of the kinds in `adds` do not exist. `chooses` are the fields that the composition fills in where an
    entry leaves them out; `implied` are fields of its objects, by kind, that the system fills in. `keeps` returns the fields
    whose values follow from names, with these values: what to write in an entry that is renamed, or whose tenant is renamed,
    so that the live objects keep their names.
    """

    of: str
    compose: Callable[[Entry, Scope], Iterable[Entry]]
    creates: frozenset[str] = frozenset()
    recover: Callable[[Pieces], Iterable[Recovered | Unsayable]] | None = None
    rank: int = 0
    adds: frozenset[str] = frozenset()
    chooses: frozenset[str] = frozenset()
    implied: frozenset[tuple[str, str]] = frozenset()
    keeps: Callable[[Entry, Scope], Mapping[str, Any]] | None = None


def compose(
    scope: Scope, entries: Iterable[Entry], compositions: Mapping[str, Composition], kinds: Mapping[str, Kind]
) -> list[Entry]:
    """Returns all objects of the `entries`, in a stable order; what a composition returns is composed in turn."""
    objects: dict[Address, Entry] = {}
    composed_addresses: set[Address] = set()
    for written_entry in entries:
        for entry in composed(written_entry, scope, compositions, composed_addresses):
            if entry.address.kind not in kinds:
                continue
            other = objects.get(entry.address)
            if other is not None and other.values != entry.values:
                kind = kinds[entry.address.kind]
                same = all(entry.values.get(name) == other.values.get(name) for name in kind.identity)
                renamed = not same or "name" in kind.identity  # else under another name it is the same object
                fix = "give one of them another name" if renamed else keep_one(entry, other)
                scope.refuse(entry, "VP233", f"also comes from {other.origin or 'its own entry'}", fix)
            objects[entry.address] = entry
    return list(objects.values())


def keep_one(entry: Entry, other: Entry) -> str:
    """What to do about two entries that are the same object: where one of them comes from a composite entry, that can say what the
    other one sets."""
    if bool(entry.origin) == bool(other.origin):
        return "remove one of them"
    own, part = (entry, other) if other.origin else (other, entry)
    return f"remove {own.address}, and write what it sets in {part.origin}"


def composed(
    written: Entry, scope: Scope, compositions: Mapping[str, Composition], done: set[Address]
) -> Iterator[Entry]:
    """Yields the objects of one entry of the document, depth first; addresses in `done` are not composed again."""
    waiting = [written]
    while waiting:
        entry = waiting.pop()
        composition = compositions.get(entry.address.kind)
        if composition is not None and entry.address not in done:
            done.add(entry.address)
            waiting += list(composition.compose(entry, scope))[::-1]
        else:
            yield entry
