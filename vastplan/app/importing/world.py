"""The stage that reads: one observation, live or recorded, with the selected objects and the key of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from vastplan.app.importing.files import Contents, file_digests
from vastplan.app.importing.terraform import Found, StateFile, look_up, terraform_labels
from vastplan.app.planning.source import RecordedSystems
from vastplan.app.record import record_snapshot
from vastplan.app.workspace import Workspace
from vastplan.engine.live.observe import Live, Observed
from vastplan.engine.live.owners import owners
from vastplan.engine.live.users import UsersIndex, index_users
from vastplan.engine.matching.match import match
from vastplan.importing.classify import classify, leave
from vastplan.importing.lookup import Lookup
from vastplan.importing.model import Detail, Left, LeftReason, LiveKey, Selection, object_key
from vastplan.importing.name import entry_names
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.nearest import nearest
from vastplan.model.snapshot import RecordedSnapshot


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What to import, and where the files go."""

    sites: tuple[str, ...]
    snapshot: RecordedSnapshot | None = None
    selection: Selection = field(default_factory=Selection)
    detail: Detail = field(default_factory=Detail)
    single: bool = False
    census: bool = False
    defaults: bool = False
    connections: Path | None = None
    close: bool = False
    """Whether access is written as narrow as the current users allow."""
    states: tuple[StateFile, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportWorld:
    """What one import is built from: read once, and the same for every round."""

    workspace: Workspace
    options: ImportOptions
    snapshot: RecordedSnapshot
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
    states: tuple[Found, ...]


def read_world(workspace: Workspace, options: ImportOptions, progress: Callable[[str], None]) -> ImportWorld:
    """Read everything once, live or recorded: both are a snapshot from here on."""
    held = file_digests(workspace.document.paths)
    _refuse_unknown(options, workspace.registry.kinds)
    if options.census and options.snapshot is not None:
        raise VastplanError("--census reads the systems and --snapshot does not: leave out one of the two")
    snapshot = options.snapshot or record_snapshot(
        workspace, options.sites, labels=options.detail.labels, progress=progress
    )
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
        name for made in registry.compositions for name in registry.compositions[made].creates
    }
    importable &= {
        name for name, kind in kinds.items() if kind.once is None
    }  # an import describes what exists, not how it was created
    classified = classify(lookup, matches, others, options.selection, importable)
    names_by_kind: dict[str, set[str]] = {}
    for entry in workspace.document.entries:
        names_by_kind.setdefault(entry.address.kind, set()).add(entry.address.name)
    states = look_up(options.states, observed)
    named = entry_names(classified.free, lookup, names_by_kind, terraform_labels(states))
    nameless = tuple(
        leave(each, LeftReason.TWINS, f"only its id distinguishes it from another {each.kind.name}")
        for each in classified.free
        if object_key(each) not in named
    )
    return ImportWorld(
        workspace,
        options,
        snapshot,
        source,
        observed,
        lookup,
        classified.managed,
        classified.kept,
        (*classified.left, *nameless),
        tuple(each for each in classified.free if object_key(each) in named),
        index_users(observed, kinds.values()),
        held,
        named,
        states,
    )


def _refuse_unknown(options: ImportOptions, kinds: Iterable[str]) -> None:
    """Raises `VastplanError` for a pattern that no kind matches."""
    for option, patterns in (("--kind", options.selection.kinds), ("--full", options.detail.full)):
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in kinds):
                hints = filter(None, (f"{option} {pattern}: no kind matches", nearest(pattern, tuple(kinds))))
                raise VastplanError("; ".join(hints))
