"""Which live object is which address: by the ledger's id first, then by identity; and references both ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vastplan.engine.observe import Live, Observed
from vastplan.model.address import Address
from vastplan.model.errors import Refused
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Refers
from vastplan.schema.references import fields_with_references, map_references, raw_references


class NotYet(Exception):
    """A reference to something that does not exist yet."""


class NotKnown(Exception):
    """A reference to something in a collection that could not be read."""


class Ambiguous(NotKnown):
    """A reference by name that fits several objects: nobody can say which of them is meant, nor will the system."""


@dataclass(frozen=True, slots=True)
class Match:
    """What an address is matched with. `unknown` says why it cannot be told."""

    live: Live | None = None
    owned: Owned | None = None
    unknown: str = ""


class Matcher:
    """Matches addresses with objects, lazily, so that an identity may hold references to what is matched first."""

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        observed: Observed,
        ledger: Mapping[str, SiteLedger],
        desired: Mapping[Address, Entry],
    ) -> None:
        self.kinds = kinds
        self.observed = observed
        self._desired = desired
        self._owned: dict[Address, Owned] = {}
        self._by_id: dict[tuple[str, str, str], Address] = {}
        for part in ledger.values():
            for text, owned in part.entries.items():
                address = Address.parse(text)
                self._owned[address] = owned
        for address, entry in desired.items():  # a rename moves what is owned to the new address
            if entry.renamed_from:
                former = Address(address.site, address.kind, entry.renamed_from)
                if former in self._owned and former not in desired and address not in self._owned:
                    self._owned[address] = self._owned.pop(former)
        for address, owned in self._owned.items():
            self._by_id[address.site, address.kind, owned.id] = address
        self._matches: dict[Address, Match] = {}
        self._identities: dict[tuple[str, str], dict[tuple[str, ...], list[Live]]] = {}
        self._users: dict[str, dict[tuple[str, str], list[Live]]] = {}

    def owned(self) -> Mapping[Address, Owned]:
        """What the ledger owns, renames applied."""
        return self._owned

    def match(self, address: Address) -> Match:
        """The match of an address, of the document or of the ledger."""
        if address not in self._matches:
            self._matches[address] = Match(unknown="its identity refers to itself")
            found = self._matches[address] = self._match(address)
            if found.live is not None:
                self._by_id.setdefault((address.site, address.kind, found.live.id), address)
        return self._matches[address]

    def _match(self, address: Address) -> Match:
        kind = self.kinds[address.kind]
        problem = self.observed.error(address.site, kind.name)
        if problem:
            return Match(owned=self._owned.get(address), unknown=problem)
        owned = self._owned.get(address)
        if owned is not None:
            live = self.observed.by_id(address.site, kind.name, owned.id)
            if live is not None:
                return Match(live, owned)
        entry = self._desired.get(address)
        if entry is None:
            return Match(None, owned)
        try:
            key = self._identity(kind, entry)
        except NotYet:
            return Match(None, owned)
        except NotKnown as reason:
            return Match(None, owned, str(reason))
        found = [live for live in self._index(address.site, kind).get(key, []) if not self._taken(live, address)]
        if len(found) > 1:
            return Match(
                None, owned, f"{len(found)} live objects have its identity ({', '.join(live.id for live in found)})"
            )
        # The object that the ledger knew is gone, and another stands in its place: it is not ours.
        return Match(found[0] if found else None, None if found else owned)

    def _taken(self, live: Live, address: Address) -> bool:
        return self._by_id.get((live.site, live.kind.name, live.id), address) != address

    def _identity(self, kind: Kind, entry: Entry) -> tuple[str, ...]:
        parts = []
        for name in kind.identity:
            value = entry.values.get(name)
            field = kind.field(name)
            if isinstance(value, Ref):
                assert field.refers is not None
                value = self.resolve(value, field.refers.attribute(value.target.kind))
                if field.codec:
                    value = field.codec.read(field.codec.write(value))
            parts.append(str(value))
        return tuple(parts)

    def _index(self, site: str, kind: Kind) -> dict[tuple[str, ...], list[Live]]:
        if (site, kind.name) not in self._identities:
            index: dict[tuple[str, ...], list[Live]] = {}
            for live in self.observed.objects(site, kind.name):
                index.setdefault(tuple(str(live.values.get(name)) for name in kind.identity), []).append(live)
            self._identities[site, kind.name] = index
        return self._identities[site, kind.name]

    def resolve(self, ref: Ref, attribute: str) -> Any:
        """The wire value of a reference as things are now; raises `NotYet` or `NotKnown`."""
        address = ref.target
        kind = self.kinds[address.kind]
        problem = self.observed.error(address.site, kind.name)
        live: Live | None = None
        if address in self._desired or address in self._owned:
            found = self.match(address)
            if found.unknown:
                raise NotKnown(found.unknown)
            live = found.live
        elif self.observed.absent(address.site, kind.name) and attribute in ("name", "path"):
            return address.name  # the site's other systems know it by this name; there is nothing to look it up in
        elif problem:
            raise NotKnown(problem)
        else:
            several = self.observed.named(address.site, kind, address.name)
            if len(several) > 1:
                ids = ", ".join(sorted(one.id for one in several))
                raise Ambiguous(
                    f"{address.site} has {len(several)} of kind {kind.name} named {address.name} (ids {ids})"
                )
            live = several[0] if several else None
        value = None if live is None else live.attributes.get(attribute)
        if value is None:
            entry = self._desired.get(address)
            predict = kind.attribute(attribute).predict
            value = predict(self._resolved(kind, entry.values)) if entry is not None and predict is not None else None
        if value is None:
            raise NotYet(str(address))
        return value

    def _resolved(self, kind: Kind, values: Mapping[str, Any]) -> Values:
        """The values with those references resolved that can be: what an attribute may be predicted from."""

        def change(refers: Refers, value: Any) -> Any:
            try:
                return self.resolve(value, refers.attribute(value.target.kind)) if isinstance(value, Ref) else value
            except (NotYet, NotKnown):
                return value

        return map_references(kind.fields, dict(values), change)

    def symbolic(
        self,
        kind: Kind,
        live: Live,
        desired: Mapping[str, Any] | None = None,
        resolve: Callable[[Ref, str], Any] | None = None,
    ) -> Values:
        """The live values with raw references named: by what is desired there if it is that, else by address or name."""
        hints = [ref for _, ref in fields_with_references(kind.fields, desired or {})]

        def change(refers: Refers, raw: Any) -> Any:
            return raw if raw is None else self._name(live.site, refers, raw, hints, resolve or self.resolve)

        return map_references(kind.fields, live.values, change)

    def _name(self, site: str, refers: Refers, raw: Any, hints: list[Ref], resolve: Callable[[Ref, str], Any]) -> Any:
        for hint in hints:
            attribute = dict(refers.targets).get(hint.target.kind)
            if attribute is None or (attribute == "id" and hint.target.site != site):  # an id says nothing elsewhere
                continue
            try:
                if str(resolve(hint, attribute)) == str(raw):
                    return hint
            except (NotYet, NotKnown, Refused):
                continue
        for kind, attribute in refers.targets:
            for where in (site,) if attribute == "id" else dict.fromkeys((site, *self.observed.sites(kind))):
                found = self.observed.find(where, kind, attribute, raw)
                if found is not None:
                    return self.named(found)
        return raw

    def named(self, live: Live) -> Ref:
        """How to refer to a live object: by the address that it is matched with, else by its name."""
        address = self._by_id.get((live.site, live.kind.name, live.id))
        name = live.locator if live.kind.endpoint.namespaced else live.name
        return Ref(address) if address else Ref(Address(live.site, live.kind.name, name), managed=False)

    def address_of(self, live: Live) -> Address | None:
        """The address that a live object is matched with, if any."""
        return self._by_id.get((live.site, live.kind.name, live.id))

    def users(self, live: Live) -> list[Live]:
        """The live objects of the same site that refer to one."""
        if live.site not in self._users:
            index: dict[tuple[str, str], list[Live]] = {}
            for (site, _), collection in self.observed.collections.items():
                for one in collection.objects if site == live.site else ():
                    for _, refers, raw in raw_references(one.kind.fields, one.values):
                        for target, attribute in refers.targets:
                            other = self.observed.find(site, target, attribute, raw)
                            if other is not None:
                                index.setdefault((target, other.id), []).append(one)
            self._users[live.site] = index
        return self._users[live.site].get((live.kind.name, live.id), [])
