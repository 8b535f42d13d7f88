"""`vastplan export`: draft, check, write, and show what to type next."""

from __future__ import annotations

import re
from pathlib import Path

from vastplan.app.clock import now
from vastplan.app.export import ExportOptions, draft_export, write_export
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.workspace import open_workspace
from vastplan.checks.tasks import is_task
from vastplan.cli.request import Format
from vastplan.cli.requests.export import ExportRequest
from vastplan.cli.screen import Screen
from vastplan.document.yaml import Mapping, load_mapping
from vastplan.model import errors
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.report.export_result import export_text

_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def run(request: ExportRequest, screen: Screen) -> int:
    """Write the folders."""
    if request.snapshot is not None and request.with_credentials:
        raise VastplanError(
            "--with-credentials reads the cluster, and --snapshot works without one: give one of the two"
        )
    if request.secret and not request.with_credentials:
        raise VastplanError("--secret says where --with-credentials finds the key: give both")
    if request.secret and not re.fullmatch(r"[a-z0-9][-a-z0-9]*/[a-z0-9][-a-z0-9.]*", request.secret):
        raise VastplanError(f"--secret {inert(request.secret)}: write NAMESPACE/NAME")
    snapshot = None if request.snapshot is None else snapshot_file.load(request.snapshot)
    workspace = open_workspace(request.paths, request.connections, snapshot)
    options = ExportOptions(
        workspace.chosen(request.site),
        request.tenants,
        request.projects,
        request.skypilot,
        _tasks(request.tasks),
        snapshot,
        request.with_credentials,
        request.secret,
    )
    result = write_export(draft_export(workspace, options, now().date()), request.out, overwrite=request.overwrite)
    if request.format is Format.JSON:
        screen.machine(result)
    else:
        screen.findings(result.findings)
        screen.show(export_text(result))
    return errors.OK


def _tasks(paths: tuple[Path, ...]) -> dict[str, Mapping]:
    """The given tasks, by the names of their files without ending. Raises `Invalid` and `VastplanError`."""
    tasks = {}
    for path in paths:
        if not _FILE.fullmatch(path.stem):
            raise VastplanError(
                f"--task {inert(str(path))}: rename it: its copies need a name of letters, digits, ., _ and -"
            )
        if path.stem in tasks:
            raise VastplanError(
                f"--task {inert(str(path))}: another task has the same file name, and so would its copy: rename one"
            )
        tasks[path.stem] = _task(path)
        if not is_task(tasks[path.stem]):
            raise VastplanError(
                f"--task {inert(str(path))} is not a SkyPilot task: it has no run, setup, file_mounts or resources"
            )
    return tasks


def _task(path: Path) -> Mapping:
    """The one task of a file. Raises `Invalid`, and `VastplanError` for several."""
    try:
        return load_mapping(path, str(path))
    except Invalid as invalid:
        if any(finding.code == "VP106" for finding in invalid.findings):
            text = f"--task {inert(str(path))} has several tasks: pipelines are not supported; give each task a file of its own"
            raise VastplanError(text) from None
        raise
