"""`vastplan ledger`: list, log, move, forget, export, import, unlock."""

from __future__ import annotations

from vastplan.app import ledger as ownership
from vastplan.app import ledger_log, ledger_move, ledger_transfer
from vastplan.app.files.ledger_export import EXPORT_FILE
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli.address import address_of
from vastplan.cli.requests.ledger import (
    LedgerExportRequest,
    LedgerForgetRequest,
    LedgerImportRequest,
    LedgerListRequest,
    LedgerLogRequest,
    LedgerMoveRequest,
    LedgerRequest,
    LedgerUnlockRequest,
)
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.report import json_report
from vastplan.report import ledger_log as ledger_log_text
from vastplan.report.values import counted


def run(request: LedgerRequest, screen: Screen) -> int:
    """Run one of the ledger's commands."""
    workspace = open_workspace(request.paths, request.connections, lock_timeout=request.lock_timeout)
    match request:
        case LedgerListRequest():
            _list(request, screen, workspace)
        case LedgerLogRequest():
            _log(request, screen, workspace)
        case LedgerMoveRequest():
            _move(request, screen, workspace)
        case LedgerForgetRequest():
            _forget(request, screen, workspace)
        case LedgerExportRequest():
            _export(request, screen, workspace)
        case LedgerImportRequest():
            _import(request, screen, workspace)
        case LedgerUnlockRequest():
            _unlock(request, screen, workspace)
    return errors.OK


def _list(request: LedgerListRequest, screen: Screen, workspace: Workspace) -> None:
    rows = ownership.owned_objects(workspace, request.site)
    lines = [
        inert(f"{row['address']}  id {row['id']}  applied {row['applied'] or 'elsewhere'}", 2000)
        + ("" if row["site_in_document"] else "  (its site is not in the document)")
        for row in rows
    ]
    screen.result(
        request.format, json_report.owned_report(workspace.name, rows), "\n".join(lines) or "the ledger is empty"
    )


def _log(request: LedgerLogRequest, screen: Screen, workspace: Workspace) -> None:
    if request.limit < 1:
        raise VastplanError(f"--limit is {request.limit}, and is at least 1")
    log = ledger_log.history(workspace, request.addresses, request.site, request.limit)
    screen.result(request.format, log, ledger_log_text.text(log))


def _move(request: LedgerMoveRequest, screen: Screen, workspace: Workspace) -> None:
    moves = ledger_move.planned_moves(workspace, address_of(request.old), address_of(request.new))
    if not request.dry_run:
        ledger_move.move_addresses(workspace, moves, screen.progress)
    would = "would become" if request.dry_run else "is"
    screen.show(
        "\n".join(f"{inert(before, 300)} {would} {inert(after, 300)}" for before, after in sorted(moves.items()))
    )
    if not request.dry_run:
        screen.show("Only the ledger changed; the document has to use the new name from now on.")


def _forget(request: LedgerForgetRequest, screen: Screen, workspace: Workspace) -> None:
    if (request.site is None) == (not request.addresses) or (request.site and request.with_parts):
        raise VastplanError("write vastplan ledger forget PATH ADDRESS... or vastplan ledger forget PATH --site SITE")
    parts = ownership.read_parts(workspace, request.site)
    if request.site is not None:
        addresses = [
            Address.parse(text) for text in sorted({*parts[request.site].entries, *parts[request.site].intents})
        ]
        if not addresses:
            raise VastplanError(f"{request.site}: the ledger has no objects")
    else:
        addresses = ownership.matching_addresses(workspace, request.addresses, parts, with_parts=request.with_parts)
    exact = list(map(str, addresses)) == list(request.addresses)
    names = [inert(address, 300) for address in addresses]
    if request.dry_run or not exact:
        screen.show("\n".join(f"{name} would leave the ledger" for name in names))
    if request.dry_run:
        return
    if not exact and not request.auto_approve:
        screen.require_yes(f"Forget {counted(len(names), 'object')}? Type yes to forget them: ", "--auto-approve")
    ownership.release_objects(workspace, addresses, screen.progress)
    if exact:
        screen.show("\n".join(f"{name} left the ledger; nothing else changed." for name in names))
    else:
        screen.show(f"{counted(len(names), 'object')} left the ledger; nothing else changed.")


def _export(request: LedgerExportRequest, screen: Screen, workspace: Workspace) -> None:
    if request.out is None:
        raise VastplanError("ledger export needs --out FILE")
    export = ledger_transfer.exported(workspace, request.addresses, with_parts=request.with_parts)
    EXPORT_FILE.save(export, request.out)
    addresses = [Address.parse(exported.address) for exported in export.objects]
    if request.forget:
        ownership.release_objects(workspace, addresses, screen.progress)
    screen.show("\n".join(inert(address, 300) for address in addresses))
    still = (
        "and removed from the ledger"
        if request.forget
        else f"and are still owned by {workspace.name}: forget them there once imported"
    )
    screen.show(f"{counted(len(addresses), 'object')} written to {request.out}, {still}.")


def _import(request: LedgerImportRequest, screen: Screen, workspace: Workspace) -> None:
    export = ledger_transfer.importable(workspace, request.file)
    screen.show("\n".join(inert(exported.address, 300) for exported in export.objects))
    count = counted(len(export.objects), "object")
    if request.dry_run:
        screen.show(f"{count} of {inert(export.document, 80)} would be adopted.")
        return
    ledger_transfer.record_owned(workspace, export, screen.progress)
    screen.show(
        f"{count} of {inert(export.document, 80)}: now owned by {workspace.name}. The next apply records their values."
    )


def _unlock(request: LedgerUnlockRequest, screen: Screen, workspace: Workspace) -> None:
    broken = ownership.unlock(workspace, request.site, screen.progress)
    screen.show(f"{request.site}: {f'broke the lock of {broken}' if broken else 'not locked'}")
