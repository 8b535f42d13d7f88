"""Objects that were an entry's and are not any more, because their value is another one now or was lost. Pure.

Only kinds whose objects are told by their ids alone have them (`Kind.remade`): each is at an address of its own, the entry's with
the object's id, and goes once its successor is in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vastplan.engine.delivery import Fault, destination, fault, is_moved
from vastplan.engine.diff import digests, leaf_digest
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.site_ledger import NO_DIGESTS, Owned, SiteLedger
from vastplan.model.value import Ref, Unknown
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Field, Kind
from vastplan.schema.markers import Marker

if TYPE_CHECKING:
    from vastplan.engine.match import Matches
    from vastplan.engine.observe import Live

MARK = "#"
"""Between the name of an entry and the id of its former object: no entry's key holds it."""


@dataclass(frozen=True, slots=True)
class Former:
    """A former object: whose it was, and why it is that no more.

    `leaves` says that the ledger has it under the entry's own address still, `unnoted` that the ledger does not have it.
    """

    of: Address
    fault: Fault
    leaves: bool = False
    unnoted: Owned | None = None


def former_address(address: Address, id: str) -> Address:
    """Where the ledger has the object of that id once it is not the entry's any more."""
    return address._replace(name=f"{address.name}{MARK}{id}")


def entry_of(address: Address, owned: Owned) -> Address | None:
    """The entry whose object it was, by such an address; `None` for any other address."""
    name, mark, its = address.name.partition(MARK)
    return address._replace(name=name) if mark and its == owned.id else None


def formers(
    matches: Matches, ledger: Mapping[str, SiteLedger], desired: Mapping[Address, Entry]
) -> Iterator[tuple[Address, Former]]:
    """Every former object that is owned, or that an apply which was cut off may have made; each by its own address."""
    remade = {name for name, kind in matches.kinds.items() if kind.remade}
    for address, owned in matches.owned.items():
        if address.kind not in remade:
            continue
        kind, entry = matches.kinds[address.kind], desired.get(address)
        key = ledger[address.site].key
        if entry is not None:
            live = matches.match(address).live
            why = _why(kind, owned, live, entry, matches, key) if live is not None else None
            if why is not None:
                yield former_address(address, owned.id), Former(address, why, leaves=True)
            continue
        of = entry_of(address, owned)
        if of is not None and of in desired:
            live = matches.match(address).live
            other = live is not None and _has_changed_hands(kind, live, desired[of], matches)
            yield address, Former(of, Fault.HOLDER if other else _was(kind, owned, desired[of], key))
    for part in ledger.values():
        if part.intents:
            yield from _unnoted(part, matches)


def _why(kind: Kind, owned: Owned, live: Live, entry: Entry, matches: Matches, key: str) -> Fault | None:
    assert kind.delivers is not None
    if _has_changed_hands(kind, live, entry, matches):
        return Fault.HOLDER
    return fault(kind, kind.delivers, owned, entry.values, matches, key)


def _has_changed_hands(kind: Kind, live: Live, entry: Entry, matches: Matches) -> bool:
    """Whether an object is of somebody else, or elsewhere, than its entry says now. Who is renamed is the same."""
    fixed = (field for field in map(kind.field, kind.identity) if field.has(Marker.IMMUTABLE))
    return any(_is_another(field, live, entry.values.get(field.name), matches) for field in fixed)


def _is_another(field: Field, live: Live, wanted: Any, matches: Matches) -> bool:
    """Whether a field names somebody else than the live object has; not, where that cannot be told."""
    raw = live.values.get(field.name)
    if field.refers is None or not isinstance(wanted, Ref):
        return bool(raw != wanted)
    attribute = field.refers.attribute(wanted.target.kind)
    if wanted.managed:
        match = matches.match(wanted.target)
        meant = match.live.attributes.get(attribute) if match.live is not None else None
        return not match.unknown and str(meant) != str(raw)
    meant = matches.resolve(wanted, attribute)
    return not isinstance(meant, Unknown) and str(meant) != str(raw)


def _was(kind: Kind, owned: Owned, entry: Entry, key: str) -> Fault:
    """Why an object is a former one already."""
    assert kind.delivers is not None
    if not owned.fields:
        return Fault.PRESUMED
    if not (owned.delivered_at or owned.imported):
        return Fault.LOST
    generation = kind.delivers.generation
    now = leaf_digest(key, kind.field(generation), entry.values.get(generation))
    if owned.fields.get(generation) not in (now, *NO_DIGESTS):
        return Fault.GENERATION
    return Fault.MOVED if is_moved(destination(kind.delivers, entry.values), owned) else Fault.GONE


def _unnoted(part: SiteLedger, matches: Matches) -> Iterator[tuple[Address, Former]]:
    """What creates with an unknown outcome may have created."""
    for made in _cut_off(part, matches):
        for address, live in made.by.items():
            record = Owned(live.id, live.locator)
            yield former_address(address, record.id), Former(address, Fault.PRESUMED, unnoted=record)


def untold(matches: Matches, ledger: Mapping[str, SiteLedger]) -> Iterator[Finding]:
    """VP335: a warning where more is there of the same than creates that were cut off can have made.

    What they can have made is matched by now, and owned.
    """
    for part in ledger.values():
        for made in _cut_off(part, matches) if part.intents else ():
            of = " and ".join(map(str, made.creates))
            ids = ", ".join(inert(live.id, 80) for live in made.found)
            many = len(made.creates)
            text = f"an interrupted apply of {of} created {many} of these objects at most; vastplan touches none of them: id {ids}"
            fix = "delete those that nobody knows: their values are lost"
            yield Finding("VP335", Severity.WARNING, text, fix, str(made.creates[0]))


def made_by_creates_cut_off(matches: Matches, ledger: Mapping[str, SiteLedger]) -> Set[tuple[str, str, str]]:
    """Site, kind and id of all that creates whose outcome nobody could note may have made."""
    parts = [part for part in ledger.values() if part.intents]
    return {
        (live.site, live.kind.name, live.id) for part in parts for cut in _cut_off(part, matches) for live in cut.found
    }


@dataclass(frozen=True, slots=True)
class _CutOff:
    """Creates of the same whose outcome nobody could note, and what is there of it and was not before; who made which, if anybody can have."""

    creates: tuple[Address, ...]
    found: tuple[Live, ...]
    by: Mapping[Address, Live]


def _cut_off(part: SiteLedger, matches: Matches) -> Iterator[_CutOff]:
    """By what tells the objects of one entry from others; where nothing is new, nothing."""
    begun: dict[tuple[str, tuple[str, ...]], dict[Address, Set[str]]] = {}
    for text, intent in part.intents.items():
        address = Address.parse(text)
        if intent.before is not None and address.kind in matches.kinds:
            same = identity_of(matches.kinds[address.kind], intent.fields)
            begun.setdefault((address.kind, same), {})[address] = {*intent.before}
    owned = {(address.kind, one.id) for address, one in matches.owned.items() if address.site == part.site}
    there = {name: alike(matches, part.site, matches.kinds[name], part.key) for name in {name for name, _ in begun}}
    for (name, same), creates in begun.items():
        found = [live for live in there[name].get(same, ()) if (name, live.id) not in owned]
        found = [live for live in found if any(live.id not in before for before in creates.values())]
        if found:
            yield _CutOff((*creates,), (*found,), _shared_out(creates, found))


def _shared_out(creates: Mapping[Address, Set[str]], found: list[Live]) -> Mapping[Address, Live]:
    """To each object a create that may have made it, and to each create one object at most; none at all where that cannot be.

    What was there when a create began is not what it made. Whoever knows least of what was there can have made most, and chooses
    first, what the fewest others can have made.
    """
    left = {live.id: live for live in found}
    by: dict[Address, Live] = {}
    for address, before in sorted(creates.items(), key=lambda create: len(create[1] & left.keys())):
        may = [made for made in left if made not in before]
        if may:
            fewest = min(may, key=lambda made: sum(made not in other for other in creates.values()))
            by[address] = left.pop(fewest)
    return {} if left else by


def identity_of(kind: Kind, fields: Mapping[str, str]) -> tuple[str, ...]:
    """What tells the objects of one entry from others, by the digests that the ledger would note of them."""
    return tuple(fields.get(name, "") for name in kind.identity)


def alike(matches: Matches, site: str, kind: Kind, key: str) -> Mapping[tuple[str, ...], list[Live]]:
    """The objects of a kind on a site by `identity_of`."""
    found: dict[tuple[str, ...], list[Live]] = {}
    names = kind.identity
    for live in matches.observed.objects(site, kind.name):
        named = matches.symbolic(kind, live)
        fields = digests(kind, {name: named[name] for name in names if name in named}, key)
        found.setdefault(identity_of(kind, fields), []).append(live)
    return found


ASKED = (Fault.GENERATION, Fault.LOST)
"""Why a former object is deleted without consent: the document asks for another generation, or its value was never delivered."""


def goes_unasked(matches: Matches, address: Address) -> bool:
    """Whether the delete of an object ends a rotation: it needs no consent and loses nothing."""
    former = matches.formers.get(address)
    return former is not None and former.fault in ASKED and former.of in matches.desired


def first_of(matches: Matches, address: Address) -> Address | None:
    """What a former object is deleted after in the same plan: the entry whose new object is still to be created."""
    former = matches.formers.get(address)
    return former.of if former is not None and former.of in matches.desired and former.of not in matches.owned else None
