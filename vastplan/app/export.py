"""`vastplan export skypilot`: checks and writes what SkyPilot needs to use the document's buckets and claims; writes only what differs.

The output depends only on the document and on the snapshot, if one is given. Only `--with-credentials` reads from a system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import date
from pathlib import Path
from typing import Literal

from vastplan.app import checks
from vastplan.app.exporting.credentials import read_keys
from vastplan.app.exporting.files import NewFile, left_over, write_export_files
from vastplan.app.files.snapshot import refuse_foreign_snapshot
from vastplan.app.workspace import Workspace
from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.buckets import buckets_of
from vastplan.checks.tasks import CLAIM, SkyTask, read_task
from vastplan.document.yaml import Mapping as Located
from vastplan.exporting.rewrite import for_infra
from vastplan.exporting.skypilot import ExportSelection, Folder, folders
from vastplan.exporting.texts import CREDENTIALS, PRIVATE, TEMPLATE, folder_files
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Forbidden, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.export_result import Export, ExportedFile, ExportedFolder, ExportedMount, State
from vastplan.model.finding import Finding, Severity
from vastplan.model.nearest import nearest
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.model.wording import some

_CODES = ("SKY-", "CKP-00")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export, for which SkyPilot version ("" if not given), and the user's own tasks by name."""

    sites: tuple[str, ...]
    tenants: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    skypilot: str = ""
    tasks: Mapping[str, Located] = field(default_factory=dict)
    snapshot: RecordedSnapshot | None = None
    with_credentials: bool = False
    secret: str = ""


@dataclass(frozen=True, slots=True)
class DraftedFolder:
    """A folder, its tasks by the names of their files, and all files to write in it."""

    folder: Folder
    tasks: Mapping[str, SkyTask]
    files: tuple[NewFile, ...]


@dataclass(frozen=True, slots=True)
class DraftExport:
    """The files to write, and the findings."""

    folders: tuple[DraftedFolder, ...]
    findings: tuple[Finding, ...]
    document: str
    places: tuple[str, ...]
    """Name prefixes that were drafted completely: any other file under them is left over from an earlier export."""


def draft_export(workspace: Workspace, options: ExportOptions, today: date) -> DraftExport:
    """Do everything but the writing. Raises `Forbidden` for what SkyPilot could not use, and `VastplanError`."""
    probed = {seen.site: seen.facts for seen in options.snapshot.sites} if options.snapshot else None
    facts = checks.check_facts(workspace, workspace.composed(probed), probed)
    _refuse_unknown(workspace, facts, options)
    selection = ExportSelection(frozenset(options.sites), options.projects)
    chosen = folders(facts, _infra(workspace), selection, options.skypilot)
    if options.tenants:
        chosen = tuple(folder for folder in chosen if folder.tenant in options.tenants)
    given = _given(facts, chosen, options)
    if options.tasks:
        chosen = tuple(folder for folder in chosen if folder in given)
    if options.tasks and not chosen:
        raise VastplanError("no tenant that is exported has the buckets of the given tasks: nothing was written")
    tasks = tuple(task for folder in chosen for task in given.get(folder, folder.tasks).values())
    facts = replace(facts, tasks=tasks)
    findings = [
        finding for finding in checks.check_findings(workspace, facts, today) if finding.code.startswith(_CODES)
    ]
    findings = [finding for finding in findings if _site(finding) in ("", *options.sites)]
    findings += _missing(facts, options.snapshot)
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise Forbidden(findings)
    if not chosen:
        raise VastplanError(_nothing(options))
    keys = read_keys(workspace, facts, chosen, options.secret) if options.with_credentials else {}
    drafted = tuple(
        DraftedFolder(
            folder,
            given.get(folder, folder.tasks),
            _new(folder, options, given.get(folder, {}), keys.get(folder)),
        )
        for folder in chosen
    )
    return DraftExport(drafted, tuple(findings), workspace.name, _places(workspace, options))


def write_export(drafted: DraftExport, out: Path, *, overwrite: bool = False) -> Export:
    """Write the files that differ. Raises `VastplanError`."""
    every = [file for drafted_folder in drafted.folders for file in drafted_folder.files]
    states = write_export_files(out, every, overwrite=overwrite)
    # a key written by an earlier export is not left over when this one writes only the template, and the other way round
    with_keys = [_place(each.folder) for each in drafted.folders if each.folder.endpoint]
    keys = [f"{place}/{name}" for place in with_keys for name in (CREDENTIALS, TEMPLATE)]
    left = left_over(out, [*(file.name for file in every), *keys], drafted.places)
    folders_written = tuple(_written(each, out, states) for each in drafted.folders)
    return Export(drafted.document, folders_written, drafted.findings, tuple(str(out / name) for name in left))


def _written(drafted: DraftedFolder, out: Path, states: Mapping[str, State]) -> ExportedFolder:
    folder = drafted.folder
    return ExportedFolder(
        folder.site,
        folder.tenant,
        str(out / _place(folder)),
        folder.infra,
        folder.endpoint,
        _credentials(drafted.files),
        tuple(_mounts(drafted.tasks)),
        tuple(ExportedFile(str(out / file.name), states[file.name]) for file in drafted.files),
    )


def _nothing(options: ExportOptions) -> str:
    """Says why nothing is exported, and what to write in the document to change that."""
    chosen = [("site", options.sites), ("tenant", options.tenants), ("project", options.projects)]
    of = " and ".join(f"{noun} {some(names, show=inert)}" for noun, names in chosen if names)
    return (
        f"nothing to export of {of}: no bucket and no volume with a mount. "
        "Write mount: /PATH in a volume, or buckets in a tenant"
    )


def _place(folder: Folder) -> str:
    """The path of a folder's files. Neither a site's nor an entry's name contains a slash."""
    return f"{folder.site}/{folder.tenant}"


def _places(workspace: Workspace, options: ExportOptions) -> tuple[str, ...]:
    """The name prefixes that this export drafts completely; none when projects or tasks narrow it."""
    if options.projects or options.tasks:
        return ()
    if options.tenants:
        return tuple(f"{site}/{tenant}/" for site in options.sites for tenant in options.tenants)
    if set(options.sites) != set(workspace.chosen(None)):
        return tuple(f"{site}/" for site in options.sites)
    return ("",)


def _credentials(new: tuple[NewFile, ...]) -> Literal["none", "template", "key"]:
    names = [file.name.rpartition("/")[2] for file in new]
    return "key" if CREDENTIALS in names else "template" if any(CREDENTIALS in name for name in names) else "none"


def _mounts(tasks: Mapping[str, SkyTask]) -> list[ExportedMount]:
    return [
        ExportedMount(
            name,
            mount.path,
            "claim" if mount.mode == CLAIM else "bucket",
            mount.name if mount.mode == CLAIM else mount.bucket,
            "" if mount.mode == CLAIM else mount.mode,
            str(mount.entry.address),
        )
        for name, task in tasks.items()
        for mount in task.mounts
        if mount.mode == CLAIM or mount.of_vast
    ]


def _infra(workspace: Workspace) -> dict[str, str]:
    """By site, where its tasks run, in SkyPilot's notation; without the sites that have no Kubernetes."""
    infra = {}
    for site, declared in workspace.document.sites().items():
        if "kubernetes" in declared.systems:
            spec = workspace.document.connections[site].given().get("kubernetes")
            context = getattr(spec, "context", None)
            infra[site] = f"k8s/{context}" if isinstance(context, str) else "k8s"
    return infra


def _refuse_unknown(workspace: Workspace, facts: Facts, options: ExportOptions) -> None:
    """Raises `VastplanError` for a typed name that the document does not have, and for another document's snapshot."""
    projects = {name for entry in facts.objects.all("project") for name in (entry.address.name, entry.called)}
    tenants = {entry.address.name for entry in facts.objects.all("tenant")}
    for option, names, existing in (("--project", options.projects, projects), ("--tenant", options.tenants, tenants)):
        for name in (name for name in names if name not in existing):
            hint = (
                nearest(name, existing) or f"it has {some(sorted(existing), show=inert)}" if existing else "it has none"
            )
            raise VastplanError(f"{option} {inert(name)}: the document has no such name; {hint}")
    if options.snapshot is not None:
        refuse_foreign_snapshot(options.snapshot, workspace.name, workspace.registry.kinds)


def _given(facts: Facts, chosen: tuple[Folder, ...], options: ExportOptions) -> dict[Folder, dict[str, SkyTask]]:
    """The given tasks of each folder: those that mount buckets of its tenant, and those that mount no tenant's bucket."""
    by_name, of_folder = buckets_of(facts).by_name, dict[Folder, dict[str, SkyTask]]()
    for folder in chosen:
        for name, tree in options.tasks.items():
            task = replace(read_task(folder.site, name, tree, tree.at), reader=options.skypilot)
            buckets = {mount.bucket for mount in task.mounts if mount.of_vast}
            views = [view for bucket in buckets for view in by_name.get((folder.site, bucket), ())]
            if not views or folder.tenant in {view.values["tenant"].target.name for view in views}:
                of_folder.setdefault(folder, {})[name] = task
    return of_folder


def _new(
    folder: Folder, options: ExportOptions, given: Mapping[str, SkyTask], keys: tuple[str, str] | None
) -> tuple[NewFile, ...]:
    """The files of a folder, with their paths."""
    rewritten = {name: for_infra(options.tasks[name], folder.infra) for name in given}
    return tuple(
        NewFile(f"{_place(folder)}/{name}", text, PRIVATE if name == CREDENTIALS else None)
        for name, text in folder_files(folder, rewritten, keys)
    )


def _site(finding: Finding) -> str:
    return finding.address.partition("/")[0]


def _missing(facts: Facts, snapshot: RecordedSnapshot | None) -> list[Finding]:
    """A warning for each bucket of the tasks that did not exist when the snapshot was taken: mounting it fails until it is applied."""
    if snapshot is None:
        return []
    seen = {
        collection.site: {live.values.get("bucket") for live in collection.objects}
        for collection in snapshot.collections
        if collection.kind == "view" and not collection.error
    }
    missing = {
        (mount.entry.address, mount.bucket): mount.entry
        for task in facts.tasks
        for mount in task.mounts
        if mount.of_vast and not mount.makes_its_bucket and task.site in seen and mount.bucket not in seen[task.site]
    }
    return [
        Finding(
            "SKY-06",
            Severity.WARNING,
            f"bucket {inert(bucket)} did not exist on {snapshot.taken}; a task that mounts it fails until it exists",
            "apply first",
            str(entry.address),
            entry.where,
        )
        for (_, bucket), entry in sorted(missing.items(), key=lambda item: item[0])
    ]
