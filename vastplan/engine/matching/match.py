"""The live object of each address: by the ledger's id first, then by identity.

Everything is matched in one pass before it is used: the result is complete, never changes, and may be shared by threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from vastplan.engine.live.groups import group_key, owned_groups
from vastplan.engine.live.matches import UNMATCHED, Former, LiveKey, Match, Matches
from vastplan.engine.live.new_names import new_names
from vastplan.engine.live.observe import Live, Observed
from vastplan.engine.live.renames import resolve_renames
from vastplan.engine.live.twins import live_identity
from vastplan.engine.values.delivery import delivers_of, destination, existing_names
from vastplan.engine.values.formers import formers
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.plan import Verb
from vastplan.model.shell import word
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.model.value import Reason, Ref, Unknown, references
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind


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
    recorded = {
        parse(text): _record(part, text, record) for part in ledger.values() for text, record in part.entries.items()
    }
    unsettled = {parse(text) for part in ledger.values() for text in part.intents}
    renames = resolve_renames(recorded, unsettled, desired, typed)
    owned = renames.applied_to(recorded)
    addresses = {(address.site, address.kind, record.id): address for address, record in owned.items()}
    if len(addresses) != len(owned):  # the ledger has an object twice: the address in the document gets it
        addresses |= {
            (address.site, address.kind, record.id): address for address, record in owned.items() if address in desired
        }
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
    for address, former_object in former.items():
        if former_object.leaves:  # the object that the ledger has is a former one, and the entry needs a new one
            owned[address], matches[address] = owned.pop(former_object.of), matches.pop(former_object.of)
            matches[former_object.of], remade[former_object.of] = UNMATCHED, address
            addresses[address.site, address.kind, owned[address].id] = address
        elif former_object.unnoted is not None:
            owned[address] = former_object.unnoted
            matching.settle(address)
    for address, match in matches.items():
        if match.holder is not None and match.holder not in desired:
            wanted_as.setdefault(match.holder, address)
    renaming = {address: entry for address, entry in desired.items() if address not in kept} if kept else desired
    existing = {address: match.live for address, match in matches.items() if match.live}
    for _ in kinds:  # a name may be part of another, and that of a third: each pass carries it one further
        names = new_names(kinds, renaming, existing, whole.resolved)
        if names == coming:
            break
        coming.clear()
        coming.update(names)
    return whole


def _record(part: SiteLedger, address: str, record: Owned) -> Owned:
    """An entry of the ledger. One that an interrupted apply may have deleted is not waited for, though no read ever showed it."""
    intent = part.intents.get(address)
    deleting = record.answered and intent is not None and intent.verb == Verb.DELETE.value
    return replace(record, answered="") if deleting else record


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
            for needed in [each for each in targets if each in self._desired or each in self._whole.owned]:
                self.settle(needed)

    def _match(self, address: Address, kind: Kind, entry: Entry | None) -> Match:
        observed = self._whole.observed
        owned = self._whole.owned.get(address)
        problem, asked = observed.error(address.site, kind.name), observed.asked(address.site, kind.name)
        if problem and not asked:
            return Match(owned=owned, unknown=problem)
        if owned is not None and owned.answered:
            text = f"the system answered its creation with id {inert(owned.id, 80)} and does not show it yet"
            way = f"vastplan ledger forget {self._whole.typed} {word(address)} lets the next apply create another"
            return Match(owned=owned, unknown=f"{text} ({way})")
        if entry is None:
            looked_for = not problem or (owned is not None and owned.locator in asked)
            return Match(None, owned, "" if looked_for else problem)
        identity = self._identity(kind, entry)
        if isinstance(identity, Unknown):
            return Match(None, owned, "" if identity.reason is Reason.NOT_CREATED else identity.why)
        if problem and self._whole.locator(kind, entry) not in asked:
            return Match(owned=owned, unknown=problem)
        having = self._having(address.site, kind, identity)
        if kind.distinct_by_id:  # several may be alike: without a record, it is the one whose id the destination has
            named = existing_names(kind, entry.values, self._whole)
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
            first = self._groups.get((kind.name, group_key(live)))
            if first is not None and first.site != address.site:
                return Match(live, member_of=first)
        assert kind.grouped is not None
        for key, first in self._named.get((kind.name, address.name), ()):
            members = self._whole.observed.having(address.site, kind.name, kind.grouped.key, key)
            if first not in self._desired and (members or not candidates):  # of another site: this one is not owned
                return Match(members[0] if members else None, member_of=first)
        return None

    def _identity(self, kind: Kind, entry: Entry) -> tuple[str, ...] | Unknown:
        parts = []
        for name in kind.identity:
            value, field = entry.values.get(name), kind.field(name)
            if isinstance(value, Ref):
                assert field.refers is not None
                value = self._whole.resolve(value, field.refers.attribute(value.target.kind))
                if isinstance(value, Unknown):
                    return value
                if field.codec:
                    value = field.codec.read(field.codec.write(value))
            parts.append(str(field.meant(value)))
        return tuple(parts)

    def _having(self, site: str, kind: Kind, identity: tuple[str, ...]) -> list[Live]:
        if (site, kind.name) not in self._identities:
            index: dict[tuple[str, ...], list[Live]] = {}
            for live in self._whole.observed.objects(site, kind.name):
                index.setdefault(live_identity(live), []).append(live)
            self._identities[site, kind.name] = index
        return self._identities[site, kind.name].get(identity, [])

    def _free(self, live: Live, address: Address) -> bool:
        return self._addresses.get((live.site, live.kind.name, live.id), address) == address
