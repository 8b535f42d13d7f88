"""`vastplan import`: read, write what was read as a document, report what was left out."""

from __future__ import annotations

from pathlib import Path

from vastplan.app import reports
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.files.read_write import check_folder
from vastplan.app.importer import ImportOptions, import_live, write_import
from vastplan.app.importing.files import stray_files, take_back, unfinished
from vastplan.app.importing.terraform import read_states
from vastplan.app.workspace import open_workspace
from vastplan.cli import output
from vastplan.cli.address import is_address
from vastplan.cli.request import Format
from vastplan.cli.requests.import_ import ImportRequest
from vastplan.cli.screen import Screen
from vastplan.importing.model import Detail, Selection
from vastplan.model import errors
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.import_result import Import
from vastplan.model.shell import given, word, words
from vastplan.model.wording import some
from vastplan.report.import_result import import_text


def run(request: ImportRequest, screen: Screen) -> int:
    """Write the files, or print them."""
    folder = _folder(request)
    if folder.exists():
        _take_back(request, folder, screen)
        _refuse_beside(request, folder)
    snapshot = None if request.snapshot is None else snapshot_file.load(request.snapshot)
    workspace = open_workspace(request.paths, request.connections, snapshot)
    sites = workspace.chosen(request.site)
    options = ImportOptions(
        sites=sites,
        snapshot=snapshot,
        selection=Selection(request.tenants, request.kinds, request.take, request.without),
        detail=Detail(request.full, request.labels),
        census=request.census,
        defaults=request.defaults,
        single=request.layout == "single",
        connections=request.connections,
        close=request.close,
        states=read_states(request.terraform, sites),
    )
    imported = import_live(workspace, options, screen.progress)
    result = imported.result
    if not request.dry_run:
        result = write_import(imported, folder, _next(request, folder, result))
    if request.format is Format.JSON:
        screen.rendered(reports.of_import(result)[".json"](), is_json=True)
    else:
        if request.dry_run:
            for text in imported.texts:
                screen.show(f"# {text.name}\n{text.written.text}")
        screen.show(import_text(result))
    conditions = output.write(request, screen, reports.of_import(result))
    conditions |= {errors.INCOMPLETE} if result.unread else set()
    conditions |= {errors.CHANGES} if request.detailed_exitcode and result.files else set()
    return errors.exit_code(conditions)


def _folder(request: ImportRequest) -> Path:
    """The folder for the new files. Raises `VastplanError` if none is given, or it cannot be created."""
    for path in request.paths:
        if not path.exists():
            hint = (
                f" (to adopt one object: vastplan apply --adopt --target {word(str(path))})"
                if is_address(str(path))
                else ""
            )
            raise VastplanError(f"{path}: the file or folder does not exist{hint}")
    if request.out is None and (len(request.paths) != 1 or not request.paths[0].is_dir()):
        raise VastplanError("give --out FOLDER for the new files; without it PATH has to be one folder")
    folder = request.out or request.paths[0]
    check_folder(folder)
    return folder


def _take_back(request: ImportRequest, folder: Path, screen: Screen) -> None:
    """Remove what an interrupted import wrote; a dry run only reports it."""
    if request.dry_run:
        if unfinished(folder):
            raise VastplanError(
                f"an earlier import was interrupted while it wrote to {inert(str(folder))}: run without --dry-run to remove what it wrote"
            )
        return
    gone = take_back(folder)
    if gone:
        screen.progress(
            f"an earlier import was interrupted while it wrote; removed what it wrote: {', '.join(map(inert, gone))}"
        )


def _refuse_beside(request: ImportRequest, folder: Path) -> None:
    """Raises `VastplanError` if the folder has YAML files that this import does not read: the new files could repeat their entries."""
    names = stray_files(folder, request.paths)
    if names:
        paths = [path for path in request.paths if path.resolve().parent != folder.resolve() or path.is_dir()]
        command = words(["vastplan", "import", *paths, folder, *(["--out", folder] if paths else [])])
        text = f"{inert(str(folder))} holds {some(names, show=inert)}, which would be read with the new files but is not part of PATH"
        raise VastplanError(f"{text}: {command}")


def _next(request: ImportRequest, folder: Path, result: Import) -> str:
    """What to type to adopt what was written; a plan first, if an apply would do more than that or be refused."""
    paths = list(request.paths)
    if folder.resolve() not in {path.resolve() for path in paths}:
        inside = {path.resolve().parent for path in paths if not path.is_dir()}
        paths = [folder] if inside == {folder.resolve()} and len(paths) == 1 else [*paths, folder]
    connections, snapshot = given("--connections", request.connections), given("--snapshot", request.snapshot)
    verb = "plan" if snapshot or result.besides or result.findings or result.unread else "apply"
    return words(["vastplan", verb, *paths, *connections, *snapshot, "--adopt"])
