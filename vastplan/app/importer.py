"""`vastplan import`: what is live as a document, whose plan takes all of it over and changes nothing. Sends nothing but reads."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from vastplan.app.importing.files import Contents, contents, write_all
from vastplan.app.importing.result import taken_objects, told
from vastplan.app.importing.terraform import Found, StateFile, handovers, labels, look_up
from vastplan.app.importing.uncovered import uncovered
from vastplan.app.importing.unseen import unseen
from vastplan.app.importing.verify import Line, Verified, verify
from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.source import RecordedSystems
from vastplan.app.record import record
from vastplan.app.workspace import Workspace
from vastplan.document import merge
from vastplan.document.instantiate import nearest
from vastplan.document.load import folder_of
from vastplan.document.scalars import flow
from vastplan.document.typed import by_name, document_form
from vastplan.engine.guards.owner import owners
from vastplan.engine.match import match
from vastplan.engine.observe import Live, Observed
from vastplan.engine.users import UsersIndex, index_users
from vastplan.importing.chosen import without_what_is_chosen
from vastplan.importing.classify import classify, leave
from vastplan.importing.comment import comments, rooms_of
from vastplan.importing.defaults import over_defaults
from vastplan.importing.figures import figures
from vastplan.importing.flatten import Addresses, Defaults, Flat, flatten
from vastplan.importing.full import in_full
from vastplan.importing.lookup import Lookup
from vastplan.importing.meaning import Changed, changed_meanings, without
from vastplan.importing.model import Degraded, Detail, Left, LiveKey, Reason, Selection, Step, key_of
from vastplan.importing.name import names
from vastplan.importing.place import place
from vastplan.importing.recover import Written, recover
from vastplan.importing.shared import shared, take_out
from vastplan.importing.write import Text, texts
from vastplan.model import gc_pause
from vastplan.model.address import Address
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import Finding
from vastplan.model.imported import Import, LeftObject
from vastplan.model.snapshot import Snapshot
from vastplan.model.value import Ref
from vastplan.model.wording import counted
from vastplan.schema.entries import EntryType
from vastplan.schema.recovery import Sight

SCHEMA = "schemas/desired-state.schema.json"
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What to import, and where the files go."""

    sites: tuple[str, ...]
    snapshot: Snapshot | None = None
    selection: Selection = field(default_factory=Selection)
    detail: Detail = field(default_factory=Detail)
    single: bool = False
    census: bool = False
    defaults: bool = False
    connections: Path | None = None
    close: bool = False
    """Whether access is written as narrow as those allow who are seen."""
    states: tuple[StateFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What is to be written, and what is told of it."""

    texts: tuple[Text, ...]
    result: Import
    paths: tuple[Path, ...] = ()
    contents: Contents = field(default_factory=dict)
    """What the document's files held when it was read."""


@dataclass(frozen=True, slots=True)
class _World:
    """What one import is made from: read once, the same for every round."""

    workspace: Workspace
    options: ImportOptions
    snapshot: Snapshot
    source: RecordedSystems
    observed: Observed
    lookup: Lookup
    managed: Mapping[LiveKey, Address]
    kept: tuple[Live, ...]
    left: tuple[Left, ...]
    free: tuple[Any, ...]
    users: UsersIndex
    contents: Contents
    keys: Mapping[LiveKey, str]
    found: tuple[Found, ...]


@gc_pause.paused()
def import_live(
    workspace: Workspace, options: ImportOptions, progress: Callable[[str], None] = lambda _: None
) -> Imported:
    """Read, write in memory, plan what was written, and write it otherwise until its plan changes nothing.

    Raises `Invalid` for a document that is wrong already, and `VastplanError` where nothing can be written that would do.
    """
    world = _of_tenants(_read(workspace, options, progress))
    degraded = Degraded()
    for number in range(1, _ROUNDS + 1):
        draft = _draft(world, degraded)
        while draft.changed:
            degraded = without(draft.changed, degraded)
            draft = _draft(world, degraded)
        entries = counted(sum(len(text.entries) for text in draft.texts), "entry")
        progress(f"round {number}: planning {entries} against what was read")
        verified = _hold(world, draft, degraded, patient=number < _ROUNDS - 1)
        if not verified.changed:
            if verified.refused:
                raise Invalid(list(verified.refused))
            return _imported(world, *_folded(world, draft, verified, degraded), number)
        degraded = verified.degraded
    raise VastplanError(f"after {_ROUNDS} rounds there is still something that would change; nothing was written")


def _folded(world: _World, draft: _Draft, verified: Verified, degraded: Degraded) -> tuple[_Draft, Verified]:
    """With `--defaults` the same, said with less, where that means the same."""
    if world.options.defaults:
        shorter = _draft(world, degraded, folded=True)
        held = _hold(world, shorter, degraded)
        if held.planned is not None and not held.changed and not held.refused:
            return shorter, held
    return draft, verified


def _read(workspace: Workspace, options: ImportOptions, progress: Callable[[str], None]) -> _World:
    """One observation, live or recorded: both are a snapshot from here on."""
    held = contents(workspace.document.paths)
    _refuse_unknown(options, workspace.registry.kinds)
    if options.census and options.snapshot is not None:
        raise VastplanError("--census asks the systems, which a snapshot is not: leave out one of the two")
    snapshot = options.snapshot or record(workspace, options.sites, labels=options.detail.labels, progress=progress)
    source = RecordedSystems(workspace, snapshot)
    ledger = source.ledger(options.sites)
    systems, kinds = workspace.systems(), workspace.registry.kinds
    keys = [(site, name) for site in options.sites for name, kind in kinds.items() if kind.system in systems[site]]
    observed = source.observe(keys, ledger, {})
    entries = {entry.address: entry for entry in workspace.composed().entries}
    matches = match(kinds, observed, ledger, entries)
    lookup = Lookup(observed)
    others = owners(workspace.name, source.claims(options.sites))
    registry = workspace.registry
    importable = {*registry.types} | {
        name for made in registry.compositions for name in registry.compositions[made].makes
    }
    classified = classify(lookup, matches, others, options.selection, importable & kinds.keys())
    known: dict[str, set[str]] = {}
    for entry in workspace.document.entries:
        known.setdefault(entry.address.kind, set()).add(entry.address.name)
    found = look_up(options.states, observed)
    named = names(classified.free, lookup, known, labels(found))
    nameless = tuple(
        leave(each, Reason.TWINS, f"nothing but an id tells it from another {each.kind.name}")
        for each in classified.free
        if key_of(each) not in named
    )
    return _World(
        workspace,
        options,
        snapshot,
        source,
        observed,
        lookup,
        classified.managed,
        classified.kept,
        (*classified.left, *nameless),
        tuple(each for each in classified.free if key_of(each) in named),
        index_users(observed, kinds.values()),
        held,
        named,
        found,
    )


def _refuse_unknown(options: ImportOptions, kinds: Iterable[str]) -> None:
    """Raises `VastplanError` for a kind that there is none of."""
    for option, patterns in (("--kind", options.selection.kinds), ("--full", options.detail.full)):
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in kinds):
                raise VastplanError(f"{option} {pattern}: there is no such kind {nearest(pattern, kinds)}".rstrip())


def _of_tenants(world: _World) -> _World:
    """Without what is placed in no tenant that was asked for: that is known once all is put together."""
    selection = world.options.selection
    if not selection.tenants:
        return world
    gathered = _gathered(world, Degraded())
    called = {address: flat.live.name for address, flat in gathered.of_address.items()}
    every = [live for collection in world.observed.collections.values() for live in collection.objects]
    called |= {world.managed[key_of(live)]: live.name for live in every if key_of(live) in world.managed}
    placed: set[LiveKey] = set()
    for each in gathered.written:
        own, address = each.entry.values.get("tenant"), each.entry.address
        if world.workspace.registry.types[address.kind].contains:
            tenant: str | None = called.get(address, address.name)
        else:
            tenant = called.get(own.target, own.target.name) if isinstance(own, Ref) else None
        if selection.wants(tenant):
            placed.update(each.stands_for)
    out = tuple(
        leave(each, Reason.UNSELECTED, "--tenant leaves it out") for each in world.free if key_of(each) not in placed
    )
    return replace(world, free=tuple(each for each in world.free if key_of(each) in placed), left=(*world.left, *out))


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What there is to write of a round: entries, and how objects are referred to."""

    flats: tuple[Flat, ...]
    written: tuple[Written, ...]
    left: tuple[Left, ...]
    naming: Addresses
    of_address: Mapping[Address, Flat]
    kept: Mapping[Address, Live]
    """What the document has already."""
    changed: tuple[Changed, ...]
    """New entries that would change what an old one means."""


@dataclass(frozen=True, slots=True)
class _Draft:
    texts: tuple[Text, ...]
    left: tuple[Left, ...]
    flats: tuple[Flat, ...]
    changed: tuple[Changed, ...] = ()
    """New entries that would change what an old one means; then there are no texts."""


def _gathered(world: _World, degraded: Degraded) -> _Gathered:
    """Each object by itself, then put together."""
    registry, sites, detail = world.workspace.registry, world.workspace.document.sites(), world.options.detail
    out = {key for key, step in degraded.steps.items() if step is Step.LEFT}
    live = [each for each in world.free if key_of(each) not in out]
    addresses = {key_of(each): Address(each.site, each.kind.name, world.keys[key_of(each)]) for each in live}
    versions = {
        (site, system): str(known[f"{system}_version"])
        for site, known in world.source.probed().items()
        for system in sites[site].systems
        if f"{system}_version" in known
    }
    defaults = Defaults(world.observed, versions)
    left: list[Left] = [
        leave(each, *degraded.why[key_of(each)], degraded.fixes.get(key_of(each), ""))
        for each in world.free
        if key_of(each) in out and key_of(each) in degraded.why
    ]
    flats: list[Flat] = []
    unread: set[LiveKey] = set()
    while True:  # what stands on something that is left is left too
        naming = Addresses(world.observed, registry.kinds, {**world.managed, **addresses}, unread)
        results = [flatten(each, addresses[key_of(each)], naming, defaults, degraded, detail) for each in live]
        flats = [result for result in results if isinstance(result, Flat)]
        gone = [result for result in results if isinstance(result, Left)]
        if not gone:
            break
        left += gone
        lost = {(each.site, each.kind, each.id) for each in gone}
        unread |= {(each.site, each.kind, each.id) for each in gone if each.reason is Reason.UNREAD}
        live = [each for each in live if key_of(each) not in lost]
        addresses = {key: address for key, address in addresses.items() if key not in lost}
    known = world.workspace.document.entries

    ours = [flatten(each, world.managed[key_of(each)], naming, defaults, degraded, detail) for each in world.kept]
    kept = {world.managed[key_of(each)]: each for each in world.kept}

    def live_of(ref: Ref) -> Live | None:
        if ref.target in kept:
            return kept[ref.target]
        named = world.observed.named(ref.target.site, registry.kinds[ref.target.kind], ref.target.name)
        return named[0] if len(named) == 1 else None

    of_address = {flat.entry.address: flat for flat in flats}

    def live_there(ref: Ref) -> Live | None:
        return of_address[ref.target].live if ref.target in of_address else live_of(ref)

    def rooms(address: Address) -> Mapping[str, int] | None:
        return rooms_of(world.users, of_address[address].live)

    def by_name_there(site: str, kind: str, name: str) -> Mapping[str, Any] | None:
        named = world.observed.named(site, registry.kinds[kind], name)
        return named[0].values if len(named) == 1 else None

    def unseen(site: str, kind: str) -> str:
        return "" if world.observed.absent(site, kind) else world.observed.error(site, kind)

    sight = Sight(rooms, by_name_there, world.options.close, unseen)
    have = [each for each in ours if isinstance(each, Flat)]
    recovered, unsaid = recover(flats, sites, registry, known, have, degraded, live_of, sight)
    changed = tuple(changed_meanings(recovered, known, sites, registry, live_there))
    given = world.workspace.document.defaults
    written = without_what_is_chosen(recovered, known, sites, registry, given)
    left += unsaid
    left += [fallen for flat in flats for fallen in flat.fallen]
    return _Gathered(tuple(flats), tuple(written), tuple(left), naming, of_address, kept, changed)


def _draft(world: _World, degraded: Degraded, *, folded: bool = False) -> _Draft:
    """The files of a round; `folded` with what sections share under `defaults`."""
    registry, sites, detail = world.workspace.registry, world.workspace.document.sites(), world.options.detail
    gathered = _gathered(world, degraded)
    if gathered.changed:
        return _Draft((), (), (), gathered.changed)
    of_address = gathered.of_address
    written = in_full(gathered.written, of_address)
    entries = {each.entry.address for each in written}
    entries |= {entry.address for entry in world.workspace.document.entries}

    def reference(ref: Ref) -> Any:
        """By what the document calls it, else by the name that it has."""
        flat = of_address.get(ref.target)
        live = flat.live if flat is not None else gathered.kept.get(ref.target)
        there = ref.managed and ref.target not in entries and live is not None
        return by_name((gathered.naming.existing(live) or ref) if there and live is not None else ref)

    given = world.workspace.document.defaults

    def form(type_: EntryType, entry: Written) -> dict[str, Any]:
        flat = of_address.get(entry.entry.address)
        defaults = flat is not None and detail.whole(flat.live.kind)
        own, key = entry.entry.values, entry.entry.address.name
        typed = document_form(type_.fields, own, reference, key=key, defaults=defaults)
        if type_.section not in given:
            return typed
        values = {**(flat.full if flat is not None else {}), **own}
        whole = document_form(type_.fields, values, reference, key=key, defaults=True)
        return over_defaults(typed, whole, given[type_.section])

    files = place(written, sites, registry, degraded, form, single=world.options.single)
    types = [registry.sections[name] for name in registry.sections]
    defaults: dict[str, Mapping[str, Any]] = {}
    if folded:
        known = {registry.types[entry.address.kind].section for entry in world.workspace.document.entries}
        defaults = shared(files, known, lambda values: len(flow(values)))
        take_out(files, defaults)
    made = texts(files, types, SCHEMA, comments(written, of_address, world.users), defaults)
    return _Draft(tuple(made), gathered.left, gathered.flats)


def _hold(world: _World, draft: _Draft, degraded: Degraded, *, patient: bool = True) -> Verified:
    """Plan the document with the new files, from a copy."""
    paths, connections = world.workspace.document.paths, world.options.connections
    with tempfile.TemporaryDirectory(prefix="vastplan-") as folder:
        copies, lines = [], []
        for number, path in enumerate(paths):
            part = Path(folder) / str(number)
            part.mkdir()
            for file in merge.files(path):
                (part / file.name).write_bytes(file.read_bytes())
            copies.append(part if path.is_dir() else part / path.name)
        new = Path(folder) / "new"
        new.mkdir()
        for text in draft.texts:
            target = new / text.name
            target.write_text(text.written.text, encoding="utf-8")
            lines += [
                Line(str(target), *at, text.entries[where], where.inside)
                for where, at in sorted(text.written.lines.items(), key=lambda item: item[1][0] - item[1][1])
                if where in text.entries
            ]
        if draft.texts:
            copies.append(new)
        options = PlanOptions(sites=world.options.sites, snapshot=world.snapshot)
        return verify(
            copies,
            folder_of(paths),
            world.workspace,
            connections,
            world.snapshot,
            options,
            world.source,
            lines,
            degraded,
            patient=patient,
        )


def _imported(world: _World, draft: _Draft, verified: Verified, rounds: int) -> Imported:
    assert verified.planned is not None, "what cannot be planned is refused or falls"
    # Of systems that were asked just now the reason is what they answered, and not that a snapshot lacks it.
    asked = (
        {} if world.options.snapshot else {(seen.site, seen.kind): seen.error for seen in world.snapshot.collections}
    )
    unread = [
        (site, kind, asked.get((site, kind)) or collection.error)
        for (site, kind), collection in sorted(world.observed.collections.items())
        if collection.error and not collection.absent
    ]
    left = (*world.left, *draft.left)
    result = told(world.workspace, draft.texts, world.free, left, verified.creates, verified.planned, unread, rounds)
    written = {key for text in draft.texts for entry in text.entries.values() for key in entry.stands_for}
    owned = world.managed.keys() | taken_objects(verified.planned)
    return Imported(
        draft.texts,
        replace(
            result,
            left=tuple(_without_id(each, world) for each in result.left),
            findings=tuple(map(_by_file_name, result.findings)),
            values=figures(flat for flat in draft.flats if key_of(flat.live) in written),
            beyond=uncovered(world.workspace, world.options.sites, census=world.options.census),
            terraform=handovers(world.found, owned),
            notes=(*_notes(world), *result.notes, *unseen(verified.planned, verified.creates)),
        ),
        world.workspace.document.paths,
        world.contents,
    )


def _without_id(left: LeftObject, world: _World) -> LeftObject:
    """Of what holds secrets not even the id is told."""
    return replace(left, id="") if world.workspace.registry.kinds[left.kind].secretive else left


def _by_file_name(finding: Finding) -> Finding:
    """The finding where its file will be, and not where it was tried."""
    where = finding.where
    return finding if where is None else replace(finding, where=replace(where, file=Path(where.file).name))


def _notes(world: _World) -> Iterator[str]:
    """What was asked for and is not there."""
    every = [live for collection in world.observed.collections.values() for live in collection.objects]
    for option, pattern in world.options.selection.unmatched(every):
        yield f"{option} {pattern} matches nothing here."
    if world.options.detail.labels and world.options.snapshot is not None:
        yield "A snapshot holds the labels that vastplan wrote and no others: import without --snapshot for the rest."


def write(imported: Imported, folder: Path, next_command: str) -> Import:
    """Write the files; raises `VastplanError`, and then there is none of them. `next_command` takes over what is not taken yet."""
    files = [(text.name, text.written.text) for text in imported.texts]
    paths = write_all(folder, files, lambda: contents(imported.paths) == imported.contents)
    called = {text.name: str(path) for text, path in zip(imported.texts, paths, strict=True)}
    result = imported.result
    return replace(
        result,
        tried=False,
        files=tuple(replace(file, path=called[file.path]) for file in result.files),
        taken=tuple(replace(entry, file=called[entry.file]) for entry in result.taken),
        next=next_command if result.adopts else "",
    )
