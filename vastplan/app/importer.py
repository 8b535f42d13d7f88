"""`vastplan import`: what is live as a document, whose plan takes all of it over and changes nothing. Sends nothing but reads."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vastplan.app.importing.files import Contents, contents, write_all
from vastplan.app.importing.result import told
from vastplan.app.importing.unseen import unseen
from vastplan.app.importing.verify import Line, Verified, verify
from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.source import RecordedSystems
from vastplan.app.record import record
from vastplan.app.workspace import Workspace
from vastplan.document import merge
from vastplan.document.load import folder_of
from vastplan.document.typed import by_name, document_form
from vastplan.engine.guards.owner import owners
from vastplan.engine.match import match
from vastplan.engine.observe import Live, Observed
from vastplan.engine.users import UsersIndex, index_users
from vastplan.importing.chosen import without_what_is_chosen
from vastplan.importing.classify import classify, leave
from vastplan.importing.comment import comments, rooms_of
from vastplan.importing.defaults import over_defaults
from vastplan.importing.flatten import Addresses, Defaults, Flat, flatten
from vastplan.importing.lookup import Lookup
from vastplan.importing.meaning import Changed, changed_meanings, without
from vastplan.importing.model import Degraded, Left, LiveKey, Reason, Selection, Step, key_of
from vastplan.importing.name import names
from vastplan.importing.place import place
from vastplan.importing.recover import Written, recover
from vastplan.importing.write import Text, texts
from vastplan.model import gc_pause
from vastplan.model.address import Address
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.imported import Import
from vastplan.model.snapshot import Snapshot
from vastplan.model.value import Ref
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
    single: bool = False
    connections: Path | None = None
    close: bool = False
    """Whether access is written as narrow as those allow who are seen."""


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


@gc_pause.paused()
def import_live(
    workspace: Workspace, options: ImportOptions, progress: Callable[[str], None] = lambda _: None
) -> Imported:
    """Read, write in memory, plan what was written, and write it otherwise until its plan changes nothing.

    Raises `Invalid` for a document that is wrong already, and `VastplanError` where nothing can be written that would do.
    """
    world = _read(workspace, options)
    degraded = Degraded()
    for number in range(1, _ROUNDS + 1):
        progress(f"round {number}")
        draft = _draft(world, degraded)
        while draft.changed:
            degraded = without(draft.changed, degraded)
            draft = _draft(world, degraded)
        verified = _hold(world, draft, degraded, patient=number < _ROUNDS - 1)
        if not verified.changed:
            if verified.refused:
                raise Invalid(list(verified.refused))
            return _imported(world, draft, verified, number)
        degraded = verified.degraded
    raise VastplanError(f"after {_ROUNDS} rounds there is still something that would change; nothing was written")


def _read(workspace: Workspace, options: ImportOptions) -> _World:
    """One observation, live or recorded: both are a snapshot from here on."""
    held = contents(workspace.document.paths)
    snapshot = options.snapshot or record(workspace, options.sites)
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
    named = names(classified.free, lookup, known)
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
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    texts: tuple[Text, ...]
    left: tuple[Left, ...]
    changed: tuple[Changed, ...] = ()
    """New entries that would change what an old one means; then there are no texts."""


def _draft(world: _World, degraded: Degraded) -> _Draft:
    """The files of a round."""
    registry, sites = world.workspace.registry, world.workspace.document.sites()
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
        results = [flatten(each, addresses[key_of(each)], naming, defaults, degraded) for each in live]
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

    ours = [flatten(each, world.managed[key_of(each)], naming, defaults, degraded) for each in world.kept]
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
    changed = changed_meanings(recovered, known, sites, registry, live_there)
    if changed:
        return _Draft((), (), tuple(changed))
    given = world.workspace.document.defaults
    written = without_what_is_chosen(recovered, known, sites, registry, given)
    left += unsaid
    entries = {each.entry.address for each in written} | {entry.address for entry in known}

    def reference(ref: Ref) -> Any:
        """By what the document calls it, else by the name that it has."""
        flat = of_address.get(ref.target)
        live = flat.live if flat is not None else kept.get(ref.target)
        there = ref.managed and ref.target not in entries and live is not None
        return by_name((naming.existing(live) or ref) if there and live is not None else ref)

    def form(type_: EntryType, entry: Written) -> dict[str, Any]:
        own, key = entry.entry.values, entry.entry.address.name
        typed = document_form(type_.fields, own, reference, key=key)
        if type_.section not in given:
            return typed
        flat = of_address.get(entry.entry.address)
        values = {**(flat.full if flat is not None else {}), **own}
        whole = document_form(type_.fields, values, reference, key=key, defaults=True)
        return over_defaults(typed, whole, given[type_.section])

    files = place(written, sites, registry, degraded, form, single=world.options.single)
    types = [registry.sections[name] for name in registry.sections]
    made = texts(files, types, SCHEMA, comments(written, of_address, world.users))
    return _Draft(tuple(made), (*left, *(fallen for flat in flats for fallen in flat.fallen)))


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
    unread = [
        (site, kind, collection.error)
        for (site, kind), collection in sorted(world.observed.collections.items())
        if collection.error and not collection.absent
    ]
    left = (*world.left, *draft.left)
    result = told(world.workspace, draft.texts, world.free, left, verified.creates, verified.planned, unread, rounds)
    notes = (*result.notes, *unseen(verified.planned, verified.creates))
    return Imported(draft.texts, replace(result, notes=notes), world.workspace.document.paths, world.contents)


def write(imported: Imported, folder: Path, next_command: str) -> Import:
    """Write the files; raises `VastplanError`, and then there is none of them."""
    files = [(text.name, text.written.text) for text in imported.texts]
    paths = write_all(folder, files, lambda: contents(imported.paths) == imported.contents)
    called = {text.name: str(path) for text, path in zip(imported.texts, paths, strict=True)}
    result = imported.result
    return replace(
        result,
        tried=False,
        files=tuple(replace(file, path=called[file.path]) for file in result.files),
        taken=tuple(replace(entry, file=called[entry.file]) for entry in result.taken),
        next=next_command,
    )
