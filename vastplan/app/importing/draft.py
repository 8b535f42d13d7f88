"""The stage that drafts the files of a round: flattens each object, recovers larger entries, and places them in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from vastplan.app.importing.world import ImportWorld
from vastplan.document.document_form import document_form, document_reference
from vastplan.document.scalars import flow
from vastplan.engine.live.observe import Live
from vastplan.importing.addresses import Addresses
from vastplan.importing.classify import leave
from vastplan.importing.comment import comments, rooms_of
from vastplan.importing.common_values import shared_values, take_out
from vastplan.importing.composition_choices import without_what_is_chosen
from vastplan.importing.document_defaults import over_defaults
from vastplan.importing.figures import value_counts
from vastplan.importing.flatten import Flat, flatten
from vastplan.importing.full_values import full_entries
from vastplan.importing.meaning import Changed, changed_meanings
from vastplan.importing.model import Degraded, EntryForm, Left, LeftReason, LiveKey, object_key
from vastplan.importing.place import place_entries
from vastplan.importing.recover import Written, recover_entries
from vastplan.importing.server_defaults import ServerDefaults
from vastplan.importing.write import Text, texts
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.import_result import ImportedValues
from vastplan.model.value import Ref
from vastplan.schema.entries import EntryType
from vastplan.schema.recovery import Sight

SCHEMA = "schemas/desired-state.schema.json"


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a round has to write: the entries, and how they refer to objects."""

    flats: tuple[Flat, ...]
    written: tuple[Written, ...]
    left: tuple[Left, ...]
    naming: Addresses
    of_address: Mapping[Address, Flat]
    kept: Mapping[Address, Live]
    """The live objects that the document already has."""
    changed: tuple[Changed, ...]
    """New entries that would change the meaning of an old one."""


@dataclass(frozen=True, slots=True)
class DraftFiles:
    texts: tuple[Text, ...]
    left: tuple[Left, ...]
    values: ImportedValues = field(default_factory=ImportedValues)
    changed: tuple[Changed, ...] = ()
    """New entries that would change the meaning of an old one; if there are any, `texts` is empty."""


def _gathered(world: ImportWorld, degraded: Degraded) -> Gathered:
    """Flatten each object by itself, then combine objects into entries."""
    registry, sites, detail = world.workspace.registry, world.workspace.document.sites(), world.options.detail
    out = {key for key, step in degraded.steps.items() if step is EntryForm.LEFT}
    live = [each for each in world.free if object_key(each) not in out]
    addresses = {object_key(each): Address(each.site, each.kind.name, world.keys[object_key(each)]) for each in live}
    probed = world.source.probed()  # a snapshot also has sites that left the document
    versions = {
        (name, system): str(probed[name][f"{system}_version"])
        for name, site in sites.items()
        for system in site.systems
        if f"{system}_version" in probed.get(name, {})
    }
    defaults = ServerDefaults(world.observed, versions)
    left: list[Left] = [
        leave(each, *degraded.why[object_key(each)], degraded.fixes.get(object_key(each), ""))
        for each in world.free
        if object_key(each) in out
    ]
    flats: list[Flat] = []
    unread: set[LiveKey] = set()
    while True:  # an object that depends on a left-out object is left out too
        naming = Addresses(world.observed, registry.kinds, {**world.managed, **addresses}, unread)
        results = [flatten(each, addresses[object_key(each)], naming, defaults, degraded, detail) for each in live]
        flats = [result for result in results if isinstance(result, Flat)]
        gone = [result for result in results if isinstance(result, Left)]
        if not gone:
            break
        left += gone
        lost = {(each.site, each.kind, each.id) for each in gone}
        unread |= {(each.site, each.kind, each.id) for each in gone if each.reason is LeftReason.UNREAD}
        live = [each for each in live if object_key(each) not in lost]
        addresses = {key: address for key, address in addresses.items() if key not in lost}
    existing = world.workspace.document.entries

    managed = [
        flatten(each, world.managed[object_key(each)], naming, defaults, degraded, detail) for each in world.kept
    ]
    kept = {world.managed[object_key(each)]: each for each in world.kept}

    def live_of(ref: Ref) -> Live | None:
        if ref.target in kept:
            return kept[ref.target]
        named = world.observed.named(ref.target.site, registry.kinds[ref.target.kind], ref.target.name)
        return named[0] if len(named) == 1 else None

    of_address = {flat.entry.address: flat for flat in flats}

    def find_live(ref: Ref) -> Live | None:
        return of_address[ref.target].live if ref.target in of_address else live_of(ref)

    def rooms(address: Address) -> Mapping[str, int] | None:
        return rooms_of(world.users, of_address[address].live)

    def fields_by_name(site: str, kind: str, name: str) -> Mapping[str, Any] | None:
        named = world.observed.named(site, registry.kinds[kind], name)
        return named[0].values if len(named) == 1 else None

    def unseen(site: str, kind: str) -> str:
        """Why a kind could not be read; "" where the site has no system for the kind: it was not asked, and has no such object."""
        return world.observed.error(site, kind) if registry.kinds[kind].system in sites[site].systems else ""

    sight = Sight(rooms, fields_by_name, world.options.close, unseen)
    have = [each for each in managed if isinstance(each, Flat)]
    recovered, unsaid = recover_entries(flats, sites, registry, existing, have, degraded, live_of, sight)
    changed = tuple(changed_meanings(recovered, existing, sites, registry, find_live))
    given = world.workspace.document.defaults
    written = without_what_is_chosen(recovered, existing, sites, registry, given)
    left += unsaid
    left += [fallen for flat in flats for fallen in flat.fallen]
    return Gathered(tuple(flats), tuple(written), tuple(left), naming, of_address, kept, changed)


def draft_files(world: ImportWorld, degraded: Degraded, *, folded: bool = False) -> DraftFiles:
    """The files of a round; with `folded`, values that the entries of a section share are under `defaults`."""
    registry, sites, detail = world.workspace.registry, world.workspace.document.sites(), world.options.detail
    gathered = _gathered(world, degraded)
    if gathered.changed:
        return DraftFiles((), (), changed=gathered.changed)
    of_address = gathered.of_address
    written = full_entries(gathered.written, of_address)
    entries = {each.entry.address for each in written}
    entries |= {entry.address for entry in world.workspace.document.entries}

    def reference(ref: Ref) -> Any:
        """The reference by the key of the object's entry, or by the object's live name if it has no entry."""
        flat = of_address.get(ref.target)
        live = flat.live if flat is not None else gathered.kept.get(ref.target)
        if live is not None and ref.managed and ref.target not in entries:
            return document_reference(gathered.naming.existing(live) or ref)
        return document_reference(ref)

    given = world.workspace.document.defaults

    def form(type_: EntryType, entry: Written) -> dict[str, Any]:
        flat = of_address.get(entry.entry.address)
        defaults = flat is not None and detail.whole(flat.live.kind)
        own, key = entry.entry.values, entry.entry.address.name
        typed = document_form(type_.fields, own, reference, key=key, defaults=defaults)
        if type_.section not in given:
            return typed
        values = {**(flat.full if flat is not None else {}), **own}
        whole = document_form(type_.fields, values, reference, key=key, defaults=flat is not None)
        return over_defaults(typed, whole, given[type_.section])

    sited = {section for section, values in given.items() if "sites" in values}
    files = place_entries(written, sites, registry, degraded, form, single=world.options.single, given_sites=sited)
    types = [registry.sections[name] for name in registry.sections]
    defaults: dict[str, Mapping[str, Any]] = {}
    if folded:
        filled_sections = {registry.types[entry.address.kind].section for entry in world.workspace.document.entries}
        defaults = shared_values(files, filled_sections, lambda values: len(flow(values)))
        take_out(files, defaults)
    made = texts(files, types, SCHEMA, comments(written, of_address, world.users), defaults)
    written_keys = {key for text in made for entry in text.entries.values() for key in entry.stands_for}
    values = value_counts(flat for flat in gathered.flats if object_key(flat.live) in written_keys)
    return DraftFiles(tuple(made), gathered.left, values)


def of_tenants(world: ImportWorld) -> ImportWorld:
    """Leave out the objects that are in no selected tenant, which is known only once the entries are recovered."""
    selection = world.options.selection
    if not selection.tenants:
        return world
    gathered = _gathered(world, Degraded())
    called = {address: flat.live.name for address, flat in gathered.of_address.items()}
    every = [live for collection in world.observed.collections.values() for live in collection.objects]
    called |= {world.managed[object_key(live)]: live.name for live in every if object_key(live) in world.managed}
    placed: set[LiveKey] = set()
    inside: set[Address] = set()
    for each in gathered.written:
        own, address = each.entry.values.get("tenant"), each.entry.address
        if world.workspace.registry.types[address.kind].contains:
            tenant: str | None = called.get(address, address.name)
        else:
            tenant = called.get(own.target, own.target.name) if isinstance(own, Ref) else None
        if selection.wants(tenant):
            placed.update(each.stands_for)
            inside.add(address)
    for each in gathered.written:  # and the objects inside a selected object, such as the data sources of a project
        kind = world.workspace.registry.kinds.get(each.entry.address.kind)
        within = each.entry.values.get(kind.keyed.within) if kind is not None else None
        if isinstance(within, Ref) and within.target in inside:
            placed.update(each.stands_for)
    out = tuple(
        leave(each, LeftReason.UNSELECTED, "--tenant leaves it out")
        for each in world.free
        if object_key(each) not in placed
    )
    return replace(
        world, free=tuple(each for each in world.free if object_key(each) in placed), left=(*world.left, *out)
    )
