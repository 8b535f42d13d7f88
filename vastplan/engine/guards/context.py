"""The data that guards use: the matched objects, all actions of the plan, the consents, and counts from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import field
from datetime import datetime

from vastplan.engine.access.narrowing import Narrowing
from vastplan.engine.guards.losses import ObjectLoss, losses
from vastplan.engine.live.consent import AddressPatterns, Allowed, Approval, ChangeLimits, Consent
from vastplan.engine.live.groups import Split, group_split, on_any_site, undetermined_role
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live, Observed
from vastplan.engine.live.owners import Owners
from vastplan.engine.matching.contents import ContentsIndex, Holders, full_holders, index_contents
from vastplan.engine.matching.dependents import DependentsIndex
from vastplan.engine.matching.interrupted import standing_intent
from vastplan.engine.matching.originals import Originals, index_originals
from vastplan.engine.matching.referrers import Referrers
from vastplan.engine.matching.remote_directories import Ground, ground_of
from vastplan.engine.values.formers import goes_unasked
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Operation
from vastplan.model.plan import GOING, Action, Block, Verb
from vastplan.model.site_ledger import SiteLedger, latest_operations
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts
from vastplan.schema.references import fields_with_references

SiteKind = tuple[str, str]
CHANGING = (Verb.UPDATE, *GOING)


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a kind on a site a plan changes, and how much of that it deletes or replaces."""

    changed: int
    lost: int


@dataclass(frozen=True, slots=True)
class GuardContext:
    """The data that guards use, complete before the first guard runs. Created by `guard_context`."""

    consent: Consent
    matches: Matches
    actions: Mapping[Address, Action]
    referrers: Referrers
    dependents: DependentsIndex
    now: datetime
    allowed: Allowed
    owners: Owners
    """The other documents that own live objects."""
    contents: ContentsIndex = field(default_factory=ContentsIndex)
    losses: Mapping[Address, ObjectLoss] = field(default_factory=dict)
    """What goes with the objects that are deleted or replaced."""
    full: Holders = field(default_factory=dict)
    """What is to be deleted and has data in it, by what leads to that."""
    originals: Originals = field(default_factory=dict)
    """What new objects get their first data from."""
    ground: Ground = field(default_factory=Ground)
    """What exists where the systems would create directories."""
    limits: Mapping[str, ChangeLimits] = field(default_factory=dict)
    """The limits in force, by site."""
    owned: Mapping[SiteKind, Set[Address]] = field(default_factory=dict)
    """The addresses that the ledger owns."""
    gone: Mapping[SiteKind, Set[Address]] = field(default_factory=dict)
    """Owned addresses whose object is gone, without those that an interrupted apply was about to delete."""
    shares: Mapping[SiteKind, Share] = field(default_factory=dict)
    narrowings: Mapping[Address, Narrowing] = field(default_factory=dict)
    """By address, what an action cuts off from clients that use it, and the access rights that it removes."""
    reported_existing: Mapping[Address, Address] = field(default_factory=dict)
    """Owned addresses to which an entry of the document refers as `existing`, with that entry."""
    given: Mapping[Address, Mapping[str, Set[str]]] = field(default_factory=dict)
    """By entry and place, the digests of the values that the entry delivered there, through former objects too."""
    left: Mapping[str, Set[str]] = field(default_factory=dict)
    """By place, the digests of values delivered by what is no longer in the document: an entry may deliver there now."""
    part_of: Mapping[Address, str] = field(default_factory=dict)
    """By desired address, the composite entry that it is a part of."""
    composites: Set[str] = frozenset()
    """The composite entries of the document."""
    under_way: Mapping[str, Operation] = field(default_factory=dict)
    """The operations that have not ended, by the addresses that they cover."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The key of the digests in the ledger, by site."""
    splits: Mapping[Address, Split] = field(default_factory=dict)
    """Objects shared by several sites of which several members take writes."""
    changing: Mapping[Address, str] = field(default_factory=dict)
    """Objects shared by several sites whose source cannot be determined now, and why."""
    origins: Mapping[Address, str] = field(default_factory=dict)
    """By address of an object that several sites may share, the composite entry that it comes from; "" for an entry of its own."""
    standing: Mapping[str, tuple[Address, ...]] = field(default_factory=dict)
    """The addresses in `splits` and `changing`, by their own address and by their composite entry without its site."""
    unread: Mapping[SiteKind, tuple[str, str]] = field(default_factory=dict)
    """By site and kind, another kind that may refer to it and could not be read, and why."""

    def kind(self, action: Action) -> Kind:
        """The action's kind."""
        return self.matches.kinds[action.address.kind]

    def live(self, action: Action) -> Live | None:
        """The live object of the action."""
        return self.matches.match(action.address).live

    def holds_data(self, action: Action) -> bool:
        """Whether data goes with the action's object, as far as it is not known that there is none."""
        live, loss = self.live(action), self.losses.get(action.address)
        return self.kind(action).holds_data(None if live is None else live.values) and (
            loss is None or bool(loss.doubt)
        )

    def approval(self, action: Action) -> Approval | None:
        """The approval of the action's object, in force or not; one of another object that had the address is not meant."""
        of_address = self.allowed.approvals.get(str(action.address), ())
        return next((approval for approval in of_address if approval.id in ("", action.id)), None)

    def named(self, address: Address, patterns: AddressPatterns) -> bool:
        """Whether the patterns name an object, or the composite entry that it is a part of, such as a volume.

        The address of an entry that is an object itself, such as a project, means that object alone.
        """
        if address in patterns:
            return True
        owned = self.matches.owned.get(address)
        origin = self.part_of.get(address) or ("" if owned is None else owned.origin)
        if origin.count("/") < 2:  # it is not part of an entry, or comes from a setting of the site
            return False
        whole = Address.parse(origin)
        return whole.kind not in self.matches.kinds and whole in patterns

    def limit(self, site: str) -> ChangeLimits:
        """The limits in force on a site."""
        return self.limits.get(site, ChangeLimits())

    def share(self, action: Action) -> Share:
        """How much of the action's kind changes on its site."""
        return self.shares[action.address.site, action.address.kind]


Guard = Callable[[Action, GuardContext], Block | None]


def guard_context(
    consent: Consent,
    matches: Matches,
    actions: Mapping[Address, Action],
    referrers: Referrers,
    dependents: DependentsIndex,
    desired: Mapping[Address, Entry],
    narrowed: Mapping[Address, Narrowing],
    now: datetime,
    limits: Mapping[str, ChangeLimits],
    ledger: Mapping[str, SiteLedger],
    owners: Owners,
) -> GuardContext:
    """The context of all guards of a plan, indexed once."""
    owned: dict[SiteKind, set[Address]] = {}
    gone: dict[SiteKind, set[Address]] = {}
    given: dict[Address, dict[str, set[str]]] = {}
    left: dict[str, set[str]] = {}
    for address, record in matches.owned.items():
        if record.delivered:
            former = matches.formers.get(address)
            places = given.setdefault(address if former is None else former.of, {})
            for where, value in record.delivered.items():
                places.setdefault(where, set()).add(value)
                if former is None and address not in desired:
                    left.setdefault(where, set()).add(value)
        place = (address.site, address.kind)
        owned.setdefault(place, set()).add(address)
        if _gone(address, matches, ledger):
            gone.setdefault(place, set()).add(address)
    splits, busy = _groups(matches, dict.fromkeys((*matches.owned, *desired)))
    origins = {
        address: _origin(address, matches, desired)
        for address in (*matches.owned, *desired)
        if matches.kinds[address.kind].grouped is not None
    }
    contents = index_contents(matches.observed, matches.kinds, actions.values())
    return GuardContext(
        consent=consent,
        matches=matches,
        actions=actions,
        referrers=referrers,
        dependents=dependents,
        narrowings=narrowed,
        now=now,
        allowed=Allowed(consent),
        limits=limits,
        owned=owned,
        gone=gone,
        shares=_shares(matches, actions.values()),
        reported_existing=_reported_existing(matches, desired, actions.values()),
        given=given,
        left=left,
        part_of={address: entry.origin for address, entry in desired.items() if entry.origin},
        composites=frozenset(entry.origin for entry in desired.values()),
        under_way={
            address: operation
            for operation in latest_operations(ledger)
            if not operation.phase.closed
            for address in operation.covers
        },
        keys={site: part.key for site, part in ledger.items()},
        unread=_unread(matches.observed, matches.kinds),
        splits=splits,
        changing=busy,
        origins=origins,
        standing=_standing((*splits, *busy), origins),
        owners=owners,
        ground=ground_of(matches, actions.values()),
        contents=contents,
        losses=losses(matches, actions, contents),
        originals=index_originals(matches, actions, now),
        full=full_holders(matches, contents, actions.values()),
    )


def _groups(matches: Matches, addresses: Iterable[Address]) -> tuple[dict[Address, Split], dict[Address, str]]:
    """The addresses of which several members take writes, and those whose roles are changing."""
    splits, busy = {}, {}
    for address in addresses:
        live = matches.match(address).live if matches.kinds[address.kind].grouped is not None else None
        if live is None:
            continue
        if (torn := group_split(matches.observed, live)) is not None:
            splits[address] = torn
        elif why := undetermined_role(matches.observed, live):
            busy[address] = why
    return splits, busy


def _standing(addresses: Iterable[Address], origins: Mapping[Address, str]) -> dict[str, tuple[Address, ...]]:
    by_place: dict[str, list[Address]] = {}
    for address in addresses:
        for place in filter(None, (str(address), on_any_site(origins[address]))):
            by_place.setdefault(place, []).append(address)
    return {place: tuple(those) for place, those in by_place.items()}


def _origin(address: Address, matches: Matches, desired: Mapping[Address, Entry]) -> str:
    entry, owned = desired.get(address), matches.owned.get(address)
    return entry.origin if entry is not None else "" if owned is None else owned.origin


def _gone(address: Address, matches: Matches, ledger: Mapping[str, SiteLedger]) -> bool:
    match = matches.match(address)
    if match.live is not None or match.unknown:
        return False
    intent = standing_intent(matches, ledger, address)
    return intent is None or not intent.takes_away


def _reported_existing(
    matches: Matches, desired: Mapping[Address, Entry], actions: Iterable[Action]
) -> dict[Address, Address]:
    by_owner: dict[Address, Address] = {}
    if all(action.verb is not Verb.DELETE for action in actions):
        return by_owner  # only deletes need it: a plan without one reads no references
    for address, entry in desired.items():
        named_by_fields = (ref for _, ref in fields_with_references(matches.kinds[address.kind].fields, entry.values))
        for ref in (*named_by_fields, *entry.goes_by, *(ref for _, ref in entry.named)):
            target = ref.target
            if ref.managed:
                continue
            named = matches.observed.named(target.site, matches.kinds[target.kind], target.name)
            owner = matches.address_of(*named) if len(named) == 1 else None
            if owner is not None:
                by_owner.setdefault(owner, address)
    return by_owner


def _shares(matches: Matches, actions: Iterable[Action]) -> dict[SiteKind, Share]:
    """The shares by site and kind. The delete that ends a rotation is not counted."""
    changed: dict[SiteKind, int] = {}
    lost: dict[SiteKind, int] = {}
    for action in actions:
        if goes_unasked(matches, action.address):
            continue
        place = (action.address.site, action.address.kind)
        changed[place] = changed.get(place, 0) + (action.verb in CHANGING)
        lost[place] = lost.get(place, 0) + (action.verb in GOING)
    return {place: Share(changed[place], lost[place]) for place in changed}


def _unread(observed: Observed, kinds: Mapping[str, Kind]) -> dict[SiteKind, tuple[str, str]]:
    unread: dict[SiteKind, tuple[str, str]] = {}
    for name, kind_facts in facts(kinds).items():
        for site in observed.sites(name):
            read = observed.collections[site, name]
            problem = "" if read.absent or read.beside else read.error
            for target in kind_facts.targets if problem else ():
                unread.setdefault((site, target), (name, problem))
    return unread
