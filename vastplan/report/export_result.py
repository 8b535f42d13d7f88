"""What an export wrote, as text: the files that changed, what each task mounts, and what to type to use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from vastplan.model.escaping import inert
from vastplan.model.export_result import Export, ExportedFolder
from vastplan.model.shell import words
from vastplan.model.wording import counted

_SHOWN = 20


def export_text(result: Export) -> str:
    """All of it as text for people."""
    return "\n".join(_lines(result))


def _lines(result: Export) -> Iterator[str]:
    for folder in result.folders:
        where = " ".join(part for part in (folder.endpoint, f"on {folder.infra}" if folder.infra else "") if part)
        yield f"{inert(folder.site)} {inert(folder.tenant)}: {inert(where or 'nowhere yet')}"
        for mount in folder.mounts[:_SHOWN]:
            mode = f", {mount.mode}" if mount.mode else ""
            yield f"  {inert(mount.path)}: {mount.kind} {inert(mount.name)}{mode} (task {inert(mount.task)})"
        if len(folder.mounts) > _SHOWN:
            yield f"  and {len(folder.mounts) - _SHOWN} more mounts"
        for file in folder.files:
            if file.state != "unchanged":
                yield f"  {'wrote' if file.state == 'new' else 'rewrote'} {inert(file.path)}"
    for path in result.left_over:
        yield f"{inert(path)} is from an earlier export and no longer in the document: delete it"
    states = [file.state for folder in result.folders for file in folder.files]
    same = states.count("unchanged")
    yield f"{counted(len(states) - same, 'file')} written, {same} as they were."
    if len(result.folders) == 1:
        yield from _next(result.folders[0])
    elif result.folders:
        yield "Use each folder with its own home directory: SkyPilot reads one endpoint and one key from ~/.vastdata."


def _next(folder: ExportedFolder) -> Iterator[str]:
    """What to type, in its order."""
    files = {PurePosixPath(file.path).name: file.path for file in folder.files}
    yield "Next:"
    if folder.credentials != "none":
        yield f"  mkdir -p -m 700 ~/.vastdata && {words(['cp', files['vastdata.config']])} ~/.vastdata/"
    if folder.credentials == "key":
        yield f"  {words(['install', '-m', '600', files['vastdata.credentials']])} ~/.vastdata/"
    elif folder.credentials == "template":
        path = words([files["vastdata.credentials.template"]])
        yield f"  (umask 077; envsubst < {path} > ~/.vastdata/vastdata.credentials)"
        yield "    with VAST_ACCESS_KEY_ID and VAST_SECRET_ACCESS_KEY exported"
    claims = {mount.name for mount in folder.mounts if mount.kind == "claim"}
    for file in folder.files:
        path_of = PurePosixPath(file.path)
        if path_of.parent.name == "volumes" and path_of.stem in claims:
            yield f"  {words(['sky', 'volumes', 'apply', file.path])}"
    for file in folder.files:
        if PurePosixPath(file.path).parent.name == "tasks":
            yield f"  {words(['sky', 'launch', file.path])}"
