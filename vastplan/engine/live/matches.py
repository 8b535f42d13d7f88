"""The live object of each address, and references in both directions: a value that is complete and never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import field
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from vastplan.engine.live.namesakes import referred_objects
from vastplan.engine.live.observe import Live, Observed
from vastplan.engine.live.renames import NO_RENAMES, Renames
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.site_ledger import Owned
from vastplan.model.value import Reason, Ref, Unknown
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Refers
from vastplan.schema.references import OF_A_SITE, map_references

LiveKey = tuple[str, str, str]  # site, kind, id


class Match(NamedTuple):
    """What an address is matched with. `unknown` says why it cannot be determined."""

    live: Live | None = None
    owned: Owned | None = None
    unknown: str = ""
    holder: Address | None = None  # the address whose object has the identity of this one
    member_of: Address | None = None  # the address on another site that the ledger owns of the same group


UNMATCHED = Match()
_AS_IT_IS: Mapping[str, Any] = MappingProxyType({})


class Resolve(Protocol):
    """The wire value of a reference's attribute, or `Unknown`."""

    def __call__(self, ref: Ref, attribute: str) -> Any:
        """See `Matches.resolve`."""


class ValueFault(Enum):
    """Why another value has to be created."""

    HOLDER = "holder"  # the document names another user or place for it
    GENERATION = "generation"  # the document asks for another one
    LOST = "lost"  # the apply that created it ended before it was delivered
    MOVED = "moved"  # it was delivered, and the document has another destination now
    GONE = "gone"  # it was delivered, and its place is now empty or has another value
    DELETED = "deleted"  # it was delivered, and vastplan has deleted the object that it was delivered into
    OTHER = "other"  # a value delivered with it has changed, such as the name of the user who logs in with it
    PRESUMED = "presumed"  # probably created by an apply that could not record it


@dataclass(frozen=True, slots=True)
class Former:
    """A former object: the entry that it belonged to, and why it no longer does.

    `leaves` says that the ledger still has it under the entry's own address. `unnoted` is its record where the ledger has none.
    """

    of: Address
    fault: ValueFault
    leaves: bool = False
    unnoted: Owned | None = None


@dataclass(frozen=True, slots=True)
class Matches:
    """All addresses of a document and a ledger with their matches. Created by `match`."""

    kinds: Mapping[str, Kind]
    observed: Observed
    owned: Mapping[Address, Owned]
    """What the ledger owns, renames applied."""
    _desired: Mapping[Address, Entry]
    _matches: Mapping[Address, Match]
    _addresses: Mapping[LiveKey, Address]
    renames: Renames = NO_RENAMES
    """Which entries of the ledger move to which addresses."""
    wanted_as: Mapping[Address, Address] = field(default_factory=dict)
    """Owned addresses that the document no longer has and whose object has the identity of an entry, with that entry's address."""
    coming: Mapping[Address, Mapping[str, Any]] = field(default_factory=dict)
    """By address of a live object, the new values of attributes that others refer to it by, where the plan changes them."""
    typed: str = "PATH"
    """The document as words of a command."""
    formers: Mapping[Address, Former] = field(default_factory=dict)
    """The former objects of entries, which are to be deleted, by their own addresses."""
    remade: Mapping[Address, Address] = field(default_factory=dict)
    """The entries whose object becomes a former one with this plan, with the address of that object."""

    def match(self, address: Address) -> Match:
        """The match of an address of the document or of the ledger; an empty match for any other."""
        return self._matches.get(address, UNMATCHED)

    def address_of(self, live: Live) -> Address | None:
        """The address that a live object is matched with, if any."""
        return self._addresses.get((live.site, live.kind.name, live.id))

    @property
    def desired(self) -> Set[Address]:
        """The addresses of the document."""
        return self._desired.keys()

    def desires(self, live: Live) -> bool:
        """Whether the document has an entry for a live object."""
        return self.address_of(live) in self._desired

    def named(self, live: Live) -> Ref:
        """How to refer to a live object: by the address that it is matched with, else by its name."""
        address = self.address_of(live)
        name = live.locator if live.kind.endpoint.namespaced else live.name
        if address is None:
            address = Address(live.site, live.kind.name, name)
            if address in self._matches:  # an entry of that name has another object
                address = address._replace(name=f"{name} (id {live.id})")
            return Ref(address, managed=False)
        return Ref(address)

    def resolve(self, ref: Ref, attribute: str) -> Any:
        """The wire value of a reference, or `Unknown`: the live value, or the new one where the plan changes it.

        Actions that refer to a renamed object come after its rename.
        """
        address = ref.target
        match = self._matches.get(address) if ref.managed else None
        if match is not None and match.unknown:
            return Unknown(match.unknown, Reason.UNREAD)
        live = self._existing(address, attribute) if match is None else match.live
        if isinstance(live, Unknown | str):
            return live
        value = None if live is None else live.attributes.get(attribute)
        if self.coming:
            value = self.coming.get(address, _AS_IT_IS).get(attribute, value)
        return self._predicted(address, attribute) if value is None else value

    def referred(self, ref: Ref) -> Live | None:
        """The live object that a reference means; `None` where none is known."""
        if ref.managed:
            return self.match(ref.target).live
        existing = self._existing(ref.target, "name")
        return existing if isinstance(existing, Live) else None

    def _existing(self, address: Address, attribute: str) -> Live | Unknown | str:
        """The live object of a reference that is not managed; the name itself where the site has no such system."""
        kind, site = self.kinds[address.kind], address.site
        if self.observed.absent(site, kind.name) and attribute in ("name", "path"):
            return address.name  # the site's other systems know it by this name
        problem = self.observed.error(site, kind.name)
        if problem and address.name not in self.observed.asked(site, kind.name):
            return Unknown(problem, Reason.UNREAD)
        candidates = self.observed.named(site, kind, address.name)
        if len(candidates) > 1:
            ids = ", ".join(sorted(live.id for live in candidates))
            text = f"{site} has {len(candidates)} of kind {kind.name} named {address.name} (ids {ids})"
            return Unknown(text, Reason.AMBIGUOUS)
        return candidates[0] if candidates else Unknown(str(address), Reason.NOT_CREATED)

    def _predicted(self, address: Address, attribute: str) -> Any:
        """The value that an attribute will have, where it follows from the document alone; else `Unknown`."""
        kind, entry = self.kinds[address.kind], self._desired.get(address)
        declared = kind.attribute(attribute)
        value = declared.predicted(self.resolved(kind, entry.values)) if entry is not None and declared.of else None
        return Unknown(str(address), Reason.NOT_CREATED) if value is None else value

    def locator(self, kind: Kind, entry: Entry) -> str | None:
        """The locator of an entry's object, where it follows from the entry's values."""
        locator: str | None = kind.attribute("path").predicted(self.resolved(kind, entry.values))
        return locator

    def unread(self, ref: Ref) -> str:
        """Why the target of a reference is unknown; "" where it was looked for, or is only a name for another system."""
        site, kind = ref.target.site, ref.target.kind
        problem, asked = self.observed.error(site, kind), self.observed.asked(site, kind)
        if not problem or (not ref.managed and self.observed.absent(site, kind)):
            return ""
        match = self._matches.get(ref.target)
        if match is not None and asked:
            return match.unknown
        return "" if ref.target.name in asked else problem

    def resolved(self, kind: Kind, values: Mapping[str, Any]) -> Values:
        """The values with references resolved as far as possible; attributes are predicted from these."""

        def change(refers: Refers, value: Any) -> Any:
            resolved = self.resolve(value, refers.attribute(value.target.kind)) if isinstance(value, Ref) else value
            return value if isinstance(resolved, Unknown) else resolved

        return map_references(kind.fields, dict(values), change)

    def symbolic(self, kind: Kind, live: Live, desired: Iterable[Ref] = (), resolve: Resolve | None = None) -> Values:
        """The live values with raw references named: by a `desired` reference to the same object, else by address or name."""
        hints, attribute_of = tuple(desired), resolve or self.resolve

        def change(refers: Refers, raw: Any) -> Any:
            return raw if raw is None else self._name(live, refers, raw, hints, attribute_of)

        return map_references(kind.fields, live.values, change)

    def _name(self, live: Live, refers: Refers, raw: Any, hints: tuple[Ref, ...], resolve: Resolve) -> Any:
        site, text = live.site, str(raw)
        for hint in hints:
            attribute = refers.attributes.get(hint.target.kind)
            if attribute is None or (attribute in OF_A_SITE and hint.target.site != site):
                continue
            value = resolve(hint, attribute)
            if not isinstance(value, Unknown) and str(value) == text:
                return hint
        for kind, attribute in refers.targets:
            for where in (site,) if attribute in OF_A_SITE else dict.fromkeys((site, *self.observed.sites(kind))):
                candidates = referred_objects(self.observed, live, kind, attribute, raw) if where == site else ()
                target = (
                    next(iter(candidates), None) if where == site else self.observed.find(where, kind, attribute, raw)
                )
                if target is not None:
                    named = self.named(target)
                    # the object will have another name
                    return raw if attribute in self.coming.get(named.target, _AS_IT_IS) else named
        return raw
