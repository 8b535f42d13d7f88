"""Former objects of an entry: their value was replaced by another one or was lost. Pure.

Only kinds whose objects differ by their ids alone have them (`Kind.distinct_by_id`). Each has an address of its own, the entry's with the
object's id, and is deleted once its successor is in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from vastplan.engine.live.diff import digests, leaf_digest
from vastplan.engine.live.matches import Former, Matches, ValueFault
from vastplan.engine.live.observe import Live
from vastplan.engine.values.delivery import destination, fault, is_moved
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.site_ledger import NO_DIGESTS, Owned, SiteLedger
from vastplan.model.value import Ref, Unknown
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts
from vastplan.schema.markers import Marker

SEPARATOR = "#"
"""The separator between the name of an entry and the id of its former object: no key of an entry contains it."""


def former_address(address: Address, id: str) -> Address:
    """The address in the ledger of the object with that id once it is a former one of the entry."""
    return address._replace(name=f"{address.name}{SEPARATOR}{id}")


def entry_of(address: Address, owned: Owned) -> Address | None:
    """The entry of a former object, from its address; `None` for any other address."""
    name, separator, former_id = address.name.partition(SEPARATOR)
    return address._replace(name=name) if separator and former_id == owned.id else None


def formers(
    matches: Matches, ledger: Mapping[str, SiteLedger], desired: Mapping[Address, Entry]
) -> Iterator[tuple[Address, Former]]:
    """Every former object that is owned or that an interrupted apply may have created, each by its own address."""
    remade = {name for name, kind_facts in facts(matches.kinds).items() if kind_facts.distinct_by_id}
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
            yield address, Former(of, ValueFault.HOLDER if other else _was(kind, owned, desired[of], key))
    for part in ledger.values():
        if part.intents:
            yield from _unnoted(part, matches)


def _why(kind: Kind, owned: Owned, live: Live, entry: Entry, matches: Matches, key: str) -> ValueFault | None:
    assert kind.delivers is not None
    if _has_changed_hands(kind, live, entry, matches):
        return ValueFault.HOLDER
    return fault(kind, kind.delivers, owned, entry.values, matches, key)


def _has_changed_hands(kind: Kind, live: Live, entry: Entry, matches: Matches) -> bool:
    """Whether an object belongs to another user or place than its entry says now. A renamed user is the same one."""
    fixed = (field for field in map(kind.field, kind.identity) if field.has(Marker.IMMUTABLE))
    return any(_is_another(field, live, entry.values.get(field.name), matches) for field in fixed)


def _is_another(field: Field, live: Live, wanted: Any, matches: Matches) -> bool:
    """Whether a field of the entry names another object than the live one refers to; false where that cannot be determined."""
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


def _was(kind: Kind, owned: Owned, entry: Entry, key: str) -> ValueFault:
    """Why an object that the ledger has as a former one became one."""
    assert kind.delivers is not None
    if not owned.fields:
        return ValueFault.PRESUMED
    if not (owned.delivered_at or owned.imported):
        return ValueFault.LOST
    generation = kind.delivers.generation
    now = leaf_digest(key, kind.field(generation), entry.values.get(generation))
    if owned.fields.get(generation) not in (now, *NO_DIGESTS):
        return ValueFault.GENERATION
    return ValueFault.MOVED if is_moved(destination(kind.delivers, entry.values), owned) else ValueFault.GONE


def _unnoted(part: SiteLedger, matches: Matches) -> Iterator[tuple[Address, Former]]:
    """The objects that creates with an unknown outcome may have created."""
    for made in _cut_off(part, matches):
        for address, live in made.by.items():
            record = Owned(live.id, live.locator)
            yield former_address(address, record.id), Former(address, ValueFault.PRESUMED, unnoted=record)


def duplicate_findings(matches: Matches, ledger: Mapping[str, SiteLedger]) -> Iterator[Finding]:
    """VP335: a warning where more objects exist for one entry than interrupted creates can have created.

    Where they can have created all of them, these are matched and owned already.
    """
    for part in ledger.values():
        for made in _cut_off(part, matches) if part.intents else ():
            of = " and ".join(map(str, made.creates))
            ids = ", ".join(inert(live.id, 80) for live in made.objects)
            many = len(made.creates)
            text = f"an interrupted apply of {of} created {many} of these objects at most; vastplan touches none of them: id {ids}"
            fix = "delete those that nobody knows: their values are lost"
            yield Finding("VP335", Severity.WARNING, text, fix, str(made.creates[0]))


def made_by_creates_cut_off(matches: Matches, ledger: Mapping[str, SiteLedger]) -> Set[tuple[str, str, str]]:
    """Site, kind and id of all objects that creates without a recorded outcome may have created."""
    parts = [part for part in ledger.values() if part.intents]
    return {
        (live.site, live.kind.name, live.id)
        for part in parts
        for cut in _cut_off(part, matches)
        for live in cut.objects
    }


@dataclass(frozen=True, slots=True)
class _CutOff:
    """Creates of the same identity without a recorded outcome, and the new objects of that identity.

    `by` has the object for each create; it is empty where the creates cannot have created all of them.
    """

    creates: tuple[Address, ...]
    objects: tuple[Live, ...]
    by: Mapping[Address, Live]


def _cut_off(part: SiteLedger, matches: Matches) -> Iterator[_CutOff]:
    """The interrupted creates of a site by identity, where objects exist that are neither owned nor older than the creates."""
    begun: dict[tuple[str, tuple[str, ...]], dict[Address, Set[str]]] = {}
    for text, intent in part.intents.items():
        address = Address.parse(text)
        if intent.before is not None and address.kind in matches.kinds:
            same = entry_identity(matches.kinds[address.kind], intent.fields)
            begun.setdefault((address.kind, same), {})[address] = {*intent.before}
    owned = {(address.kind, record.id) for address, record in matches.owned.items() if address.site == part.site}
    existing = {
        name: objects_by_identity(matches, part.site, matches.kinds[name], part.key)
        for name in {name for name, _ in begun}
    }
    for (name, same), creates in begun.items():
        objects = [live for live in existing[name].get(same, ()) if (name, live.id) not in owned]
        objects = [live for live in objects if any(live.id not in before for before in creates.values())]
        if objects:
            yield _CutOff((*creates,), (*objects,), _shared_out(creates, objects))


def _shared_out(creates: Mapping[Address, Set[str]], objects: list[Live]) -> Mapping[Address, Live]:
    """Assign to each object a create that may have created it, and to each create at most one object; empty if that is impossible.

    A create did not create an object that existed when it began. The create to which the fewest of the objects were known
    chooses first, and takes the object that the fewest creates can have created.
    """
    left = {live.id: live for live in objects}
    by: dict[Address, Live] = {}
    for address, before in sorted(creates.items(), key=lambda create: len(create[1] & left.keys())):
        may = [made for made in left if made not in before]
        if may:
            fewest = min(may, key=lambda made: sum(made not in other for other in creates.values()))
            by[address] = left.pop(fewest)
    return {} if left else by


def entry_identity(kind: Kind, fields: Mapping[str, str]) -> tuple[str, ...]:
    """What distinguishes the objects of one entry from others, as the digests that the ledger would record."""
    return tuple(fields.get(name, "") for name in kind.identity)


def objects_by_identity(matches: Matches, site: str, kind: Kind, key: str) -> Mapping[tuple[str, ...], list[Live]]:
    """The objects of a kind on a site by `entry_identity`."""
    by_identity: dict[tuple[str, ...], list[Live]] = {}
    names = kind.identity
    for live in matches.observed.objects(site, kind.name):
        named = matches.symbolic(kind, live)
        fields = digests(kind, {name: named[name] for name in names if name in named}, key)
        by_identity.setdefault(entry_identity(kind, fields), []).append(live)
    return by_identity


ASKED = (ValueFault.GENERATION, ValueFault.LOST)
"""The reasons to delete a former object without consent: the document asks for another generation, or its value was never delivered."""


def goes_unasked(matches: Matches, address: Address) -> bool:
    """Whether the delete of an object ends a rotation: it needs no consent and loses nothing."""
    former = matches.formers.get(address)
    return former is not None and former.fault in ASKED and former.of in matches.desired


def first_of(matches: Matches, address: Address) -> Address | None:
    """The entry after which a former object is deleted in the same plan: its new object is still to be created."""
    former = matches.formers.get(address)
    return former.of if former is not None and former.of in matches.desired and former.of not in matches.owned else None
