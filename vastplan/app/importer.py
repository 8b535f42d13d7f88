"""`vastplan import`: writes live objects as a document whose plan adopts all of them and changes nothing. Only reads from systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from pathlib import Path

from vastplan.app.files.read_write import open_folder
from vastplan.app.importing.draft import DraftFiles, draft_files, of_tenants
from vastplan.app.importing.files import Contents, file_digests, write_import_files
from vastplan.app.importing.result import import_result, taken_objects
from vastplan.app.importing.terraform import handovers
from vastplan.app.importing.trial import try_files
from vastplan.app.importing.uncovered_kinds import uncounted_collections
from vastplan.app.importing.unseen_users import unseen_lines
from vastplan.app.importing.verify import VerifiedRound
from vastplan.app.importing.world import ImportOptions, ImportWorld, read_world
from vastplan.app.workspace import Workspace
from vastplan.importing.meaning import degrade
from vastplan.importing.model import Degraded
from vastplan.importing.write import Text
from vastplan.model import gc_pause
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding
from vastplan.model.import_result import Import, LeftObject
from vastplan.model.wording import counted

__all__ = ["ImportOptions", "Imported", "import_live", "write_import"]

_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Imported:
    """The files to write, and the result to report."""

    texts: tuple[Text, ...]
    result: Import
    paths: tuple[Path, ...] = ()
    contents: Contents = field(default_factory=dict)
    """The contents of the document's files when it was read."""


@gc_pause.paused()
def import_live(
    workspace: Workspace, options: ImportOptions, progress: Callable[[str], None] = lambda _: None
) -> Imported:
    """Read the systems and draft a document in memory; plan it and redraft until its plan changes nothing.

    Raises `Invalid` if the existing document is invalid, and `VastplanError` if no draft has a plan that changes nothing.
    """
    everything = read_world(workspace, options, progress)
    _refuse_unmatched(everything)
    world = of_tenants(everything)
    degraded = Degraded()
    for number in range(1, _ROUNDS + 1):
        tried = draft_files(world, degraded)
        while tried.changed:
            degraded = degrade(tried.changed, degraded)
            tried = draft_files(world, degraded)
        entries = counted(sum(len(text.entries) for text in tried.texts), "entry")
        progress(f"round {number}: planning {entries} against what was read")
        verified = try_files(world, tried, degraded, patient=number < _ROUNDS - 1)
        if not verified.changed:
            if verified.refused:
                raise Invalid(list(verified.refused))
            return _imported(world, *_folded(world, tried, verified, degraded), number)
        degraded = verified.degraded
    raise VastplanError(f"after {_ROUNDS} rounds the document would still change something; nothing was written")


def _folded(
    world: ImportWorld, tried: DraftFiles, verified: VerifiedRound, degraded: Degraded
) -> tuple[DraftFiles, VerifiedRound]:
    """With `--defaults`, the shorter draft that uses defaults, if its plan changes nothing either; else the draft as it is."""
    if world.options.defaults:
        shorter = draft_files(world, degraded, folded=True)
        held = try_files(world, shorter, degraded, patient=True)
        if held.planned is not None and not held.changed and not held.refused:
            return shorter, held
    return tried, verified


def _imported(world: ImportWorld, tried: DraftFiles, verified: VerifiedRound, rounds: int) -> Imported:
    assert verified.planned is not None, "what cannot be planned is refused or falls"
    # For systems read just now the reason is their own error, not that a snapshot lacks the collection.
    asked = (
        {} if world.options.snapshot else {(seen.site, seen.kind): seen.error for seen in world.snapshot.collections}
    )
    unread = [
        (site, kind, asked.get((site, kind)) or collection.error)
        for (site, kind), collection in sorted(world.observed.collections.items())
        if collection.error
    ]
    left = (*world.left, *tried.left)
    result = import_result(
        world.workspace, tried.texts, world.free, left, verified.creates, verified.planned, unread, rounds
    )
    owned = world.managed.keys() | taken_objects(verified.planned)
    return Imported(
        tried.texts,
        replace(
            result,
            left=tuple(_without_id(each, world) for each in result.left),
            findings=tuple(map(_by_file_name, result.findings)),
            values=tried.values,
            beyond=uncounted_collections(world.workspace, world.options.sites, census=world.options.census),
            terraform=handovers(world.states, owned),
            notes=(*_notes(world), *result.notes, *dict.fromkeys(unseen_lines(verified.planned, verified.creates))),
        ),
        world.workspace.document.paths,
        world.contents,
    )


def _without_id(left: LeftObject, world: ImportWorld) -> LeftObject:
    """The object without its id if its kind holds secrets."""
    return replace(left, id="") if world.workspace.registry.kinds[left.kind].secretive else left


def _by_file_name(finding: Finding) -> Finding:
    """The finding with the name of the file to write, without the folder of the trial."""
    where = finding.where
    return finding if where is None else replace(finding, where=replace(where, file=Path(where.file).name))


def _refuse_unmatched(world: ImportWorld) -> None:
    """Raises `VastplanError` for a typed name that no object has, if every collection could be read."""
    collections = world.observed.collections.values()
    if any(collection.error for collection in collections):
        return
    for option, pattern in world.options.selection.unmatched([live for each in collections for live in each.objects]):
        if not set(pattern) & set("*?"):
            raise VastplanError(f"{option} {inert(pattern)}: nothing has that name")


def _notes(world: ImportWorld) -> Iterator[str]:
    """Notes on patterns that match nothing, and on labels that a snapshot does not have."""
    every = [live for collection in world.observed.collections.values() for live in collection.objects]
    for option, pattern in world.options.selection.unmatched(every):
        yield f"{option} {pattern} matches nothing here."
    if world.options.detail.labels and world.options.snapshot is not None:
        yield "A snapshot holds the labels that vastplan wrote and no others: import without --snapshot for the rest."


def write_import(imported: Imported, folder: Path, next_command: str) -> Import:
    """Write all files or, if that raises `VastplanError`, none. `next_command` adopts what the ledger does not own yet."""
    files = [(text.name, text.written.text) for text in imported.texts]
    open_folder(folder)
    paths = write_import_files(folder, files, lambda: file_digests(imported.paths) == imported.contents)
    called = {text.name: str(path) for text, path in zip(imported.texts, paths, strict=True)}
    result = imported.result
    return replace(
        result,
        tried=False,
        files=tuple(replace(file, path=called[file.path]) for file in result.files),
        taken=tuple(replace(entry, file=called[entry.file]) for entry in result.taken),
        next=next_command if result.adopts or result.waiting else "",
    )
