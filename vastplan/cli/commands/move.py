"""`vastplan move`: plan, run, status, abort."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vastplan.app import reports
from vastplan.app.files.operation_plan import MOVE_FILE
from vastplan.app.move import abort_move, moves, other_site, plan_move, run_move, standing
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
from vastplan.model.move_plan import FORK, KEEP, LOSSLESS, PLANNED, REHEARSE, REJOIN, THROUGH, UNPLANNED, MovePlan
from vastplan.model.shell import word
from vastplan.operations.modes.mode import WantedMove
from vastplan.report.operations import move_text
from vastplan.report.values import counted


def move(request: MoveRequest, screen: Screen) -> int:
    """Run one of the move commands."""
    return _VERBS[request.verb](request, screen)


def _plan(request: MoveRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections)
    plan = plan_move(workspace, _wanted(workspace, address_of(request), request))
    command = _command(request.out or Path("FILE"), plan)
    planned(request, screen, plan, MOVE_FILE, move_text(plan, command))
    return errors.exit_code(reporting.write(request, screen, reports.of_move(plan, command)))


def _wanted(workspace: Workspace, address: Address, request: MoveRequest) -> WantedMove:
    if request.rehearse:
        return _rehearsed(address, request)
    if request.broken and not request.unplanned:
        raise VastplanError("--broken REASON needs --unplanned")
    if request.unplanned and not request.to:
        raise VastplanError("--unplanned needs --to SITE")
    if request.warm and not request.through:
        raise VastplanError("--warm DIR needs --through-global-access")
    if request.through:
        if not request.to or request.unplanned:
            raise VastplanError("--through-global-access needs --to SITE and cannot be combined with --unplanned")
        return WantedMove(address, request.to, THROUGH, warm=request.warm)
    if request.fork and (request.unplanned or not request.to):
        raise VastplanError("--fork NAME needs --to SITE and cannot be combined with --unplanned")
    if request.live and not request.fork:
        raise VastplanError("--live needs --fork NAME")
    if request.fork:
        return WantedMove(address, request.to, FORK, fork=request.fork, live=request.live)
    if request.rejoin:
        return WantedMove(address, other_site(workspace, address, request.rejoin), REJOIN)
    if request.keep:
        other_site(workspace, address, request.keep)
        return WantedMove(address, request.keep, KEEP)
    return WantedMove(address, request.to, UNPLANNED if request.unplanned else PLANNED, request.broken)


def _rehearsed(address: Address, request: MoveRequest) -> WantedMove:
    others = (
        ("--unplanned", request.unplanned), ("--broken REASON", request.broken), ("--fork NAME", request.fork),
        ("--live", request.live), ("--warm DIR", request.warm), ("--through-global-access", request.through),
    )  # fmt: skip
    said = [option for option, given in others if given]
    if said or not request.to:
        raise VastplanError(f"--rehearse needs --to SITE{f' and cannot be combined with {said[0]}' if said else ''}")
    return WantedMove(address, request.to, REHEARSE)


def _command(file: Path, plan: MovePlan) -> str:
    lose = "" if plan.mode in LOSSLESS else f" --lose {word(plan.lose.get('guid', ''))}"
    return f"vastplan move run {word(file)}{lose}"


def _run(request: MoveRequest, screen: Screen) -> int:
    (file,) = request.paths
    plan = MOVE_FILE.load(file)
    workspace = document_of(request, plan, file, _command(file, plan))
    said = consent(_loss(request, plan, file))
    if not any(one.id == plan.id[:8] for one in moves(workspace)):
        approved(request, screen, move_text(plan, ""), _question(plan))
    told(screen, run_move(workspace, plan, screen.progress, _command(file, plan), consent=said), plan)
    return errors.OK


def _question(plan: MovePlan) -> str:
    jobs = counted(len(plan.jobs), "workload")
    does = f"move {plan.path} to {plan.target}"
    if plan.mode == REHEARSE:
        tried = counted(sum(1 for job in plan.jobs if job.get("to_claim")), "workload")
        return (
            f"Clone {plan.path} at {plan.target}, try {tried} there with one GPU each and delete all of it again? "
            f"Nothing at {plan.source} is suspended. Type yes to start: "
        )
    if plan.mode in (REJOIN, KEEP):
        does = f"make it the destination of {plan.target}, losing what only {plan.source} has of {plan.path}"
    if plan.mode == THROUGH:
        does = f"use {plan.path} from {plan.target} through global access"
    if plan.mode == FORK:
        does = f"submit the same workloads at {plan.target} with a clone of {plan.path}"
        if plan.live:
            return f"Let {jobs} at {plan.source} run and {does}? Type yes to start: "
    return f"Suspend {jobs} at {plan.source} and {does}? Type yes to start: "


def _loss(request: MoveRequest, plan: MovePlan, file: Path) -> dict[str, Any]:
    """How the loss of a move is consented to; empty if it loses nothing. Raises `VastplanError` without consent."""
    if plan.mode in LOSSLESS:
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
