"""The live object of each address: by the ledger's id first, then by identity; and references in both directions.

Everything is matched in one pass before it is used: the result is complete, never changes, and may be shared by threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from vastplan.engine.delivery import delivers_of, destination, named_there
from vastplan.engine.formers import Former, formers
from vastplan.engine.groups import key_of, owned_groups
from vastplan.engine.meant import meant
from vastplan.engine.new_names import new_names
from vastplan.engine.observe import Live, Observed
from vastplan.engine.renames import NO_RENAMES, Renames, resolve_renames
from vastplan.engine.twins import identity_of
from vastplan.model.address import Address
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.model.value import Reason, Ref, Unknown, references
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


_NOTHING = Match()
_AS_IT_IS: Mapping[str, Any] = MappingProxyType({})


class Resolve(Protocol):
    """The wire value of a reference's attribute, or `Unknown`."""

    def __call__(self, ref: Ref, attribute: str) -> Any:
        """See `Matches.resolve`."""


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
        return self._matches.get(address, _NOTHING)

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
        known = kind.attribute(attribute)
        value = known.predicted(self.resolved(kind, entry.values)) if entry is not None and known.of else None
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
                here = meant(self.observed, live, kind, attribute, raw) if where == site else ()
                target = next(iter(here), None) if where == site else self.observed.find(where, kind, attribute, raw)
                if target is not None:
                    named = self.named(target)
                    # the object will have another name
                    return raw if attribute in self.coming.get(named.target, _AS_IT_IS) else named
        return raw


def match(
    kinds: Mapping[str, Kind],
    observed: Observed,
    ledger: Mapping[str, SiteLedger],
    desired: Mapping[Address, Entry],
    kept: Set[Address] = frozenset(),
    typed: str = "PATH",
) -> Matches:
    """Match every address of the document and of the ledger. Objects in `kept` keep their live names.

    `typed` is the document as words of the commands in messages.
    """
    parse = Address.parse
    recorded = {parse(text): record for part in ledger.values() for text, record in part.entries.items()}
    unsettled = {parse(text) for part in ledger.values() for text in part.intents}
    renames = resolve_renames(recorded, unsettled, desired, typed)
    owned = renames.applied_to(recorded)
    addresses = {(address.site, address.kind, record.id): address for address, record in owned.items()}
    if len(addresses) != len(owned):  # the ledger has an object twice: the address in the document gets it
        addresses |= {(one.site, one.kind, record.id): one for one, record in owned.items() if one in desired}
    matches: dict[Address, Match] = {}
    wanted_as: dict[Address, Address] = {}
    coming: dict[Address, Mapping[str, Any]] = {}
    former: dict[Address, Former] = {}
    remade: dict[Address, Address] = {}
    whole = Matches(
        kinds, observed, MappingProxyType(owned), desired, MappingProxyType(matches), MappingProxyType(addresses),
        renames, MappingProxyType(wanted_as), MappingProxyType(coming), typed,
        MappingProxyType(former), MappingProxyType(remade),
    )  # fmt: skip
    matching = _Matching(whole, matches, addresses, desired)
    for address in (*desired, *owned):
        matching.settle(address)
    former.update(formers(whole, ledger, desired))
    for address, one in former.items():
        if one.leaves:  # the object that the ledger has is a former one, and the entry needs a new one
            owned[address], matches[address] = owned.pop(one.of), matches.pop(one.of)
            matches[one.of], remade[one.of] = _NOTHING, address
            addresses[address.site, address.kind, owned[address].id] = address
        elif one.unnoted is not None:
            owned[address] = one.unnoted
            matching.settle(address)
    for address, match in matches.items():
        if match.holder is not None and match.holder not in desired:
            wanted_as.setdefault(match.holder, address)
    renaming = {address: entry for address, entry in desired.items() if address not in kept} if kept else desired
    there = {address: match.live for address, match in matches.items() if match.live}
    for _ in kinds:  # a name may be part of another, and that of a third: each pass carries it one further
        names = new_names(kinds, renaming, there, whole.resolved)
        if names == coming:
            break
        coming.clear()
        coming.update(names)
    return whole


class _Matching:
    """The one pass: fills the tables of `Matches` before anything else reads them.

    An identity may contain references (a view is a path and a tenant), so their targets are matched first.
    """

    def __init__(
        self,
        whole: Matches,
        matches: dict[Address, Match],
        addresses: dict[LiveKey, Address],
        desired: Mapping[Address, Entry],
    ) -> None:
        self._whole, self._matches, self._addresses, self._desired = whole, matches, addresses, desired
        self._identities: dict[tuple[str, str], dict[tuple[str, ...], list[Live]]] = {}
        self._groups = owned_groups(whole.kinds, whole.observed, whole.owned)
        self._named: dict[tuple[str, str], list[tuple[str, Address]]] = {}
        for (name, key), first in self._groups.items():
            self._named.setdefault((name, first.name), []).append((key, first))
        self._kinds = {name: whole.kinds[name] for name in {address.kind for address in (*desired, *whole.owned)}}

    def settle(self, address: Address) -> None:
        """Match one address, after the targets of its identity."""
        if address in self._matches or self._settle_by_id(address):
            return
        self._matches[address] = Match(unknown="its identity refers to itself")  # only while it is being matched
        entry, kind = self._desired.get(address), self._kinds[address.kind]
        for name in kind.identity if entry is not None else ():
            value = entry.values.get(name) if entry is not None else None
            if isinstance(value, Ref):
                self._settle_reference(value.target)
        delivers = delivers_of(kind, entry.values) if entry is not None else None
        if delivers is not None and entry is not None:
            self._settle_reference(destination(delivers, entry.values).target.target)
        match = self._matches[address] = self._match(address, kind, entry)
        if match.live is not None:
            self._addresses.setdefault((address.site, address.kind, match.live.id), address)

    def _settle_by_id(self, address: Address) -> bool:
        """Match an owned object that exists by its id, which covers nearly all addresses and needs nothing else."""
        record = self._whole.owned.get(address)
        if record is None or (
            self._whole.observed.error(address.site, address.kind)
            and record.locator not in self._whole.observed.asked(address.site, address.kind)
        ):
            return False
        live = self._whole.observed.by_id(address.site, address.kind, record.id)
        if live is None:
            return False
        self._matches[address] = Match(live, record)
        self._addresses.setdefault((address.site, address.kind, record.id), address)
        return True

    def _settle_reference(self, target: Address) -> None:
        if target not in self._desired and target not in self._whole.owned:
            return
        self.settle(target)
        entry = self._desired.get(target)
        if entry is not None and self._matches[target].live is None:  # what it will be is predicted from its own values
            targets = (ref.target for ref in references(entry.values))
            for known in [each for each in targets if each in self._desired or each in self._whole.owned]:
                self.settle(known)

    def _match(self, address: Address, kind: Kind, entry: Entry | None) -> Match:
        observed = self._whole.observed
        owned = self._whole.owned.get(address)
        problem, asked = observed.error(address.site, kind.name), observed.asked(address.site, kind.name)
        if problem and not asked:
            return Match(owned=owned, unknown=problem)
        if entry is None:
            looked_for = not problem or (owned is not None and owned.locator in asked)
            return Match(None, owned, "" if looked_for else problem)
        identity = self._identity(kind, entry)
        if isinstance(identity, Unknown):
            return Match(None, owned, "" if identity.reason is Reason.NOT_CREATED else identity.why)
        if problem and self._whole.locator(kind, entry) not in asked:
            return Match(owned=owned, unknown=problem)
        having = self._having(address.site, kind, identity)
        if kind.remade:  # several may be alike: without a record, it is the one whose id the destination has
            named = named_there(kind, entry.values, self._whole)
            having = [live for live in having if owned is None and live.id == named and self._free(live, address)]
        candidates = [live for live in having if self._free(live, address)]
        if kind.grouped is not None and owned is None:
            member = self._member(address, kind, candidates)
            if member is not None:
                return member
        if len(candidates) > 1:
            ids = ", ".join(live.id for live in candidates)
            return Match(None, owned, f"{len(candidates)} live objects have its identity ({ids})")
        # The object that the ledger knew is gone, and another one has its identity: that one is not owned.
        if candidates:
            return Match(candidates[0])
        holder = self._addresses.get((address.site, kind.name, having[0].id)) if having else None
        return Match(None, owned, holder=holder)

    def _member(self, address: Address, kind: Kind, candidates: list[Live]) -> Match | None:
        """The live member of a group of which the ledger owns a member on another site, under any name."""
        for live in candidates:
            first = self._groups.get((kind.name, key_of(live)))
            if first is not None and first.site != address.site:
                return Match(live, member_of=first)
        assert kind.grouped is not None
        for key, first in self._named.get((kind.name, address.name), ()):
            found = self._whole.observed.having(address.site, kind.name, kind.grouped.key, key)
            if first not in self._desired and (found or not candidates):  # of another site: this one is not owned
                return Match(found[0] if found else None, member_of=first)
        return None

    def _identity(self, kind: Kind, entry: Entry) -> tuple[str, ...] | Unknown:
        parts = []
        for name in kind.identity:
            value = entry.values.get(name)
            if isinstance(value, Ref):
                field = kind.field(name)
                assert field.refers is not None
                value = self._whole.resolve(value, field.refers.attribute(value.target.kind))
                if isinstance(value, Unknown):
                    return value
                if field.codec:
                    value = field.codec.read(field.codec.write(value))
            parts.append(str(value))
        return tuple(parts)

    def _having(self, site: str, kind: Kind, identity: tuple[str, ...]) -> list[Live]:
        if (site, kind.name) not in self._identities:
            index: dict[tuple[str, ...], list[Live]] = {}
            for live in self._whole.observed.objects(site, kind.name):
                index.setdefault(identity_of(live), []).append(live)
            self._identities[site, kind.name] = index
        return self._identities[site, kind.name].get(identity, [])

    def _free(self, live: Live, address: Address) -> bool:
        return self._addresses.get((live.site, live.kind.name, live.id), address) == address
