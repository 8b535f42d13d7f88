"""`vastplan move`: plan, run, status, abort."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vastplan.app import reports
from vastplan.app.files.move_plan import MOVE_FILE
from vastplan.app.move import Wanted, abort_move, moves, other_site, plan_move, run_move
from vastplan.app.moving.standing import standing
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import reporting
from vastplan.cli.operating import (
    address_of,
    approved,
    consent,
    consented,
    document_of,
    planned,
    status,
    taken_back,
    told,
)
from vastplan.cli.request import MoveRequest, OperationVerb
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import KEEP, PLANNED, REJOIN, UNPLANNED, MovePlan
from vastplan.model.shell import word
from vastplan.report.operations import move_text
from vastplan.report.values import counted


def move(request: MoveRequest, screen: Screen) -> int:
    """One of its commands."""
    return _VERBS[request.verb](request, screen)


def _plan(request: MoveRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections)
    plan = plan_move(workspace, _wanted(workspace, address_of(request), request))
    command = _command(request.out or Path("FILE"), plan)
    planned(request, screen, plan, MOVE_FILE, move_text(plan, command))
    return errors.exit_code(reporting.write(request, screen, reports.of_move(plan, command)))


def _wanted(workspace: Workspace, address: Address, request: MoveRequest) -> Wanted:
    if request.broken and not request.unplanned:
        raise VastplanError("--broken REASON is said to --unplanned")
    if request.unplanned and not request.to:
        raise VastplanError("--unplanned is said to --to SITE")
    if request.rejoin:
        return Wanted(address, other_site(workspace, address, request.rejoin), REJOIN)
    if request.keep:
        other_site(workspace, address, request.keep)
        return Wanted(address, request.keep, KEEP)
    return Wanted(address, request.to, UNPLANNED if request.unplanned else PLANNED, request.broken)


def _command(file: Path, plan: MovePlan) -> str:
    lose = "" if plan.mode == PLANNED else f" --lose {word(plan.lose.get('guid', ''))}"
    return f"vastplan move run {word(file)}{lose}"


def _run(request: MoveRequest, screen: Screen) -> int:
    (file,) = request.paths
    plan = MOVE_FILE.load(file)
    workspace = document_of(request, plan, file, _command(file, plan))
    said = consent(_loss(request, plan, file))
    jobs = counted(len(plan.jobs), "workload")
    does = f"move {plan.path} to {plan.target}"
    if plan.mode in (REJOIN, KEEP):
        does = f"let it follow {plan.target}, losing what only it has of {plan.path}"
    question = f"Suspend {jobs} at {plan.source} and {does}? Only yes is yes: "
    if not any(one.id == plan.id[:8] for one in moves(workspace)):
        approved(request, screen, move_text(plan, ""), question)
    told(screen, run_move(workspace, plan, screen.progress, _command(file, plan), consent=said), plan)
    return errors.OK


def _loss(request: MoveRequest, plan: MovePlan, file: Path) -> dict[str, Any]:
    """Who consents to the loss of a move that is not planned, and how. Raises `VastplanError` where nobody does."""
    if plan.mode == PLANNED:
        return {}
    return consented(
        request,
        plan,
        f"the restore point {inert(plan.lose.get('guid', ''), 80)}",
        plan.lose.get("guid", ""),
        _command(file, plan),
    )


def _status(request: MoveRequest, screen: Screen) -> int:
    return status(request, screen, moves, "move", standing)


def _abort(request: MoveRequest, screen: Screen) -> int:
    return taken_back(request, screen, abort_move, "move")


_VERBS: Mapping[OperationVerb, Callable[[MoveRequest, Screen], int]] = MappingProxyType(
    {OperationVerb.PLAN: _plan, OperationVerb.RUN: _run, OperationVerb.STATUS: _status, OperationVerb.ABORT: _abort}
)
