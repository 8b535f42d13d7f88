"""`vastplan ledger`: list, forget, unlock."""

from __future__ import annotations

from vastplan.app import ledger as ownership
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli.request import Format, LedgerRequest, LedgerVerb
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.report import json_report


def ledger(request: LedgerRequest, screen: Screen) -> int:
    """Look at what we own, or mend it."""
    workspace = open_workspace(request.paths, request.connections)
    if request.verb is LedgerVerb.LIST:
        _list(request, screen, workspace)
        return errors.OK
    if request.format is Format.JSON:
        raise VastplanError(f"ledger {request.verb.value} says one sentence and no JSON; leave --format out")
    if not request.subject:
        needed = "an ADDRESS" if request.verb is LedgerVerb.FORGET else "a SITE"
        raise VastplanError(f"ledger {request.verb.value} needs {needed}")
    if request.verb is LedgerVerb.FORGET:
        _forget(request.subject, screen, workspace)
    else:
        _unlock(request.subject, screen, workspace)
    return errors.OK


def _list(request: LedgerRequest, screen: Screen, workspace: Workspace) -> None:
    rows = ownership.owned(workspace)
    if request.format is Format.JSON:
        screen.machine(json_report.owned(workspace.name, rows))
    else:
        lines = [f"{row['address']}  id {row['id']}  applied {row['applied']}" for row in rows]
        screen.show("\n".join(lines) or "nothing is owned yet")


def _forget(subject: str, screen: Screen, workspace: Workspace) -> None:
    try:
        address = Address.parse(subject)
    except ValueError as problem:
        raise VastplanError(str(problem)) from None
    ownership.forget(workspace, address)
    screen.show(f"{address} is no longer ours; it was not touched.")


def _unlock(subject: str, screen: Screen, workspace: Workspace) -> None:
    (site,) = workspace.chosen(subject)
    broken = ownership.unlock(workspace, site)
    screen.show(f"{site}: {f'broke the lock of {broken}' if broken else 'nobody holds it'}")
