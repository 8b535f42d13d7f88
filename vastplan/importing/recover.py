"""The stage that combines objects into larger entries: recover, compose, compare. What does not compose to the live objects is rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from vastplan.engine.live.observe import Live
from vastplan.importing.acceptance import rejected_field
from vastplan.importing.classify import leave
from vastplan.importing.flatten import Flat
from vastplan.importing.model import Degraded, EntryForm, Left, LeftReason, LiveKey, object_key
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope, composed
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, Site
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Marker, Refers
from vastplan.schema.recovery import Pieces, Recovered, Sight, Unsayable
from vastplan.schema.walk import leaves, map_references, same, value_at


@dataclass(frozen=True, slots=True)
class Written:
    """An entry to write, and the objects that it stands for; `note` is what a comment beside it has to say."""

    entry: Entry
    stands_for: tuple[LiveKey, ...]
    note: str = ""


def recover_entries(
    flats: Sequence[Flat],
    sites: Mapping[str, Site],
    registry: Registry,
    existing_entries: Iterable[Entry],
    managed: Sequence[Flat],
    degraded: Degraded,
    live_of: Callable[[Ref], Live | None],
    sight: Sight,
) -> tuple[list[Written], list[Left]]:
    """The entries, and the objects that no entry expresses, each with the reason.

    `existing_entries` are the entries of the document before the import, `managed` the objects that it has; `live_of` finds an object that is
    referred to and not imported.
    """
    existing_entries = tuple(existing_entries)
    of_address = {flat.entry.address: flat for flat in flats}
    full = {address: flat.full for address, flat in of_address.items()}
    entries = {address: flat.entry for address, flat in of_address.items()}
    parts: dict[Address, tuple[Address, ...]] = {address: (address,) for address in entries}
    scope = Scope(sites, [*existing_entries, *entries.values()])
    existing = {flat.entry.address: flat.entry for flat in managed} | {
        entry.address: entry for entry in existing_entries
    }
    full |= {flat.entry.address: flat.full for flat in managed}
    single = {flat.entry.address for flat in flats if degraded.step(object_key(flat.live)) is not EntryForm.COMPOSED}
    objects_of = {address: flat.live for address, flat in of_address.items()}
    trial = _Trial(scope, registry, lambda ref: objects_of.get(ref.target) or live_of(ref))
    notes: dict[Address, str] = {}
    unsaid: list[Left] = []
    objections: dict[Address, str] = {}
    for composition in sorted(_ways_back(registry), key=lambda composition: composition.rank):
        pieces = Pieces(sites, entries.values(), full, sight, existing)
        claimed: set[Address] = set()
        assert composition.recover is not None
        for candidate in composition.recover(pieces):
            if isinstance(candidate, Unsayable):
                if candidate.address not in claimed and entries.pop(candidate.address, None) is not None:
                    why = candidate.why or objections.get(candidate.address, "")
                    for part in parts[candidate.address] if candidate.unread else (candidate.address,):
                        live = of_address[part].live
                        missing, reason = candidate.unread, LeftReason.UNASKED if candidate.unasked else LeftReason.FORM
                        unsaid.append(_unread(live, missing) if missing else leave(live, reason, why, candidate.fix))
                continue
            if any(pieces.known(address) for address in candidate.stands_for):
                continue
            objects = tuple(dict.fromkeys(part for address in candidate.stands_for for part in parts[address]))
            if claimed.intersection(candidate.stands_for) or (len(objects) > 1 and single.intersection(objects)):
                continue
            address = candidate.entry.address
            before = entries.get(address)
            if before is not None and address not in candidate.stands_for:
                continue  # another object has its address
            scope.add(candidate.entry)
            objection = trial.objection(candidate, [of_address[each] for each in objects], composition)
            if objection:
                objections[address] = objection
                if before is not None:
                    scope.add(before)
                continue
            claimed.update(candidate.stands_for)
            for gone in candidate.stands_for:
                entries.pop(gone, None)
            entries[address] = candidate.entry
            parts[address] = objects
            notes[address] = candidate.note
    written = []
    for address, entry in entries.items():
        keys = tuple(object_key(of_address[part].live) for part in parts[address])
        if address.kind in registry.types:
            written.append(Written(entry, keys, notes.get(address, "")))
            unsaid += (left for part in parts[address] for left in _unsaid_keys(of_address[part], entry))
        else:
            live = of_address[address].live
            unreadable = sorted(kind for kind in registry.kinds if sight.unread(live.site, kind))
            if unreadable:
                unsaid.append(_unread(live, unreadable[0]))
            else:
                unsaid.append(leave(live, LeftReason.FORM, "no entry can express it"))
    return written, unsaid


def _unsaid_keys(flat: Flat, entry: Entry) -> Iterator[Left]:
    """The requested labels of a part: the entry that it is a part of has no place for them."""
    if flat.entry.address == entry.address:
        return
    for field in flat.live.kind.fields:
        if field.keys_of_others is not None and flat.entry.values.get(field.name):
            text = f"it is a part of {entry.address}, whose entry cannot set {field.name} of its parts"
            yield leave(flat.live, LeftReason.FORM, text, path=field.name)


def _unread(live: Live, kind: str) -> Left:
    text = f"cannot determine what it is a part of: {kind} could not be read"
    return leave(live, LeftReason.UNREAD, text, "import again when it can be read")


def _ways_back(registry: Registry) -> Iterator[Composition]:
    for name in registry.compositions:
        if registry.compositions[name].recover is not None:
            yield registry.compositions[name]


class _Trial:
    """Composes candidates and compares the result with the live objects."""

    def __init__(self, scope: Scope, registry: Registry, live_of: Callable[[Ref], Live | None]) -> None:
        self._scope, self._registry, self._live_of = scope, registry, live_of

    def objection(self, candidate: Recovered, objects: Sequence[Flat], composition: Composition) -> str:
        """Why an entry does not compose to exactly these objects, and to others only if those may be missing; "" if it does."""
        address = candidate.entry.address
        problem = rejected_field(self._registry.types[address.kind], address, candidate.entry.values)
        if problem is not None:
            return ": ".join(filter(None, problem))
        before = len(self._scope.findings)
        made = list(composed(candidate.entry, self._scope, self._registry.compositions, set()))
        findings = self._scope.findings[before:]
        if findings:
            del self._scope.findings[before:]
            return f"{findings[0].code}: {findings[0].message}"
        waiting = {flat.entry.address: flat for flat in objects}
        called: dict[Address, Address] = {}
        for entry in made:
            kind = self._registry.kinds.get(entry.address.kind)
            if kind is None:
                continue
            hit = next(
                (
                    flat
                    for flat in _likely(waiting, entry)
                    if self._covers(kind, entry, flat, called, composition.implied)
                ),
                None,
            )
            if hit is not None:
                called[entry.address] = hit.entry.address
                del waiting[hit.entry.address]
            elif entry.address.kind not in composition.adds and not entry.common:
                return f"{entry.address} would change"
        extra = next((address for address in waiting if not self._registry.kinds[address.kind].mirrored), None)
        return f"no entry creates {extra}" if extra is not None else ""

    def _covers(
        self,
        kind: Kind,
        entry: Entry,
        flat: Flat,
        called: Mapping[Address, Address],
        implied: Set[tuple[str, str]],
    ) -> bool:
        """Whether an object already is as the entry says, without a change."""

        def resolved(refers: Refers, value: Any) -> Any:
            if not isinstance(value, Ref):
                return value
            address = called.get(value.target, value.target)
            live = self._live_of(Ref(address, value.managed))
            return value.target.name if live is None else live.attributes.get(refers.attribute(address.kind))

        wanted, live = map_references(kind.fields, entry.values, resolved), flat.live.values
        stated = leaves(kind.fields, wanted)
        alone = {leaf.path for leaf in leaves(kind.fields, flat.entry.values)} - {leaf.path for leaf in stated}
        if any((kind.name, path[0]) not in implied and kind.field(path[0]).keys_of_others is None for path in alone):
            return False  # a value that the object's own entry would set would be lost
        return all(
            _same(leaf.field, leaf.value, value_at(live, leaf.path))
            for leaf in stated
            if leaf.path[0] in live or not leaf.field.has(Marker.WRITE_ONLY)
        ) and all(
            str(kind.field(name).meant(wanted.get(name))) == str(kind.field(name).meant(live.get(name)))
            for name in kind.identity
        )


def _same(field: Field, wanted: Any, live: Any) -> bool:
    """Whether a leaf is as desired; ids and names are compared as text, because the same one may be a number or a text."""
    return _texts(wanted) == _texts(live) if field.refers is not None else same(field, wanted, live)


def _texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return sorted({"" if item is None else str(item) for item in listed})


def _likely(waiting: Mapping[Address, Flat], entry: Entry) -> Iterator[Flat]:
    """The objects of the entry's kind and site, the one with the same address first."""
    same_address = waiting.get(entry.address)
    if same_address is not None:
        yield same_address
    for address, flat in list(waiting.items()):
        if address.kind == entry.address.kind and address.site == entry.address.site and flat is not same_address:
            yield flat
