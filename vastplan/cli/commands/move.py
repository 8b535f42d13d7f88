"""`vastplan move`: plan, run, status, abort."""

from __future__ import annotations

from pathlib import Path

from vastplan.app import reports
from vastplan.app.current_folder import HERE
from vastplan.app.drifting.accept_active import accept_active
from vastplan.app.files.operation_plan import MOVE_FILE
from vastplan.app.move import (
    abort_move,
    arm_move,
    arm_site,
    go_on_with_move,
    last_moves,
    operation_standing,
    opposite_site,
    plan_in_advance,
    plan_move,
    run_move,
)
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import operation, output
from vastplan.cli.address import address_of, of_site
from vastplan.cli.operation import Commands, Loss
from vastplan.cli.requests.move import MoveArmRequest, MovePlanRequest, MoveRequest, MoveRunRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import (
    CHANGE_DOCUMENT,
    FORK,
    KEEP,
    LOSSLESS,
    PLANNED,
    REHEARSE,
    REJOIN,
    ROLES,
    THROUGH,
    UNPLANNED,
    MovePlan,
)
from vastplan.model.shell import given, words
from vastplan.operations.plan.gpus import GPUS
from vastplan.operations.wanted import WantedMove
from vastplan.report.operations import arming_text, move_text, status_text
from vastplan.report.values import counted


def run(request: MoveRequest, screen: Screen) -> int:
    """Run one of the move commands."""
    match request:
        case MovePlanRequest():
            return _plan(request, screen)
        case MoveArmRequest():
            return _arm(request, screen)
        case MoveRunRequest():
            return _run(request, screen)
    return operation.run(request, screen, _MOVE)


def _arm(request: MoveArmRequest, screen: Screen) -> int:
    if not request.to:
        raise VastplanError("move arm needs --to SITE")
    workspace = open_workspace(request.paths, request.connections, lock_timeout=request.lock_timeout)
    again = words(["vastplan", "move", "arm", *request.paths, request.subject, "--to", request.to])
    if site := of_site(request.subject):
        return _arm_site(request, screen, workspace, site, again)
    for record in arm_move(workspace, address_of(request.subject), request.to, screen.progress, again):
        screen.show(status_text(record))
    plan = plan_in_advance(workspace, address_of(request.subject), request.to)
    for fact in plan.evidence:
        if fact.name.startswith(GPUS):
            screen.show(inert(f"{fact.name}: {fact.value}", 400))
    if request.out is not None:
        MOVE_FILE.save(plan, request.out)
        screen.show(
            f"when {plan.source} is lost: {_MOVE.to_run(plan, request.out, request.connections, request.paths)}"
        )
    return errors.OK


def _arm_site(request: MoveArmRequest, screen: Screen, workspace: Workspace, site: str, again: str) -> int:
    """Arm all that moves from a site, a line for each; it fails if one could not be armed."""
    if request.out is not None:
        raise VastplanError(
            f"--out saves one move, and {inert(request.subject, 80)} has several: arm a project or volume"
        )
    failed = False
    for arming in arm_site(workspace, site, request.to, screen.progress, again):
        screen.show(arming_text(arming))
        failed = failed or bool(arming.problem)
    return errors.ERROR if failed else errors.OK


def _run(request: MoveRunRequest, screen: Screen) -> int:
    """Carry out a saved plan, go on by an id, or plan first; what was planned here is in no file, and goes on by its id."""
    ways = [name for name in ("to", "rejoin", "keep") if getattr(request, name)]
    if len(ways) > 1:
        raise VastplanError(f"move run takes --{ways[0]} or --{ways[1]}, not both")
    if request.rehearse and (ways != ["to"] or request.unplanned):
        raise VastplanError(
            f"--rehearse needs --to SITE{' and cannot be combined with --unplanned' if request.unplanned else ''}"
        )
    _refuse_unplanned(request)
    if not ways and (known := operation.typed_id(request, _MOVE)):
        if request.accept:
            raise VastplanError(
                "--accept needs a FILE or an ADDRESS (leave it out; afterwards: vastplan drift PATH --accept ADDRESS.active)"
            )
        operation.go_on_by_id(request, screen, _MOVE, known)
        return errors.OK
    if not ways:
        typed: Path | str
        (typed,) = request.paths
        plan, workspace = operation.saved(request, _MOVE, typed)
    else:
        *documents, address = request.paths
        workspace = open_workspace(documents or [HERE], request.connections, lock_timeout=request.lock_timeout)
        plan = plan_move(workspace, _directed(workspace, address_of(str(address)), request))
        options = [f"--{ways[0]}", getattr(request, ways[0])]
        options += [f"--{name}" for name in ("unplanned", "rehearse", "accept") if getattr(request, name)]
        options += given("--broken", request.broken or None)
        typed = f"vastplan move run {workspace.document.typed} {words([address, *options])}"
    if request.accept and plan.mode not in ROLES:
        raise VastplanError("--accept writes where a path is active, and this move changes no role")
    active = {Address.parse(path): plan.target for path in plan.paths or (plan.path,)} if request.accept else {}
    accept_active(workspace.document.paths, request.connections, active, write=False)  # refused before anything is done
    operation.run_planned(request, screen, _MOVE, plan, workspace, typed, CHANGE_DOCUMENT if request.accept else None)
    for accepted in accept_active(workspace.document.paths, request.connections, active):
        screen.show(
            f"{accepted.where}: {accepted.path} is now {accepted.shown}; vastplan apply {workspace.document.typed} hands it over"
        )
    return errors.OK


def _plan(request: MovePlanRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections)
    plan = plan_move(workspace, _wanted(workspace, address_of(request.subject), request))
    to_run = operation.show_plan(request, screen, _MOVE, plan)
    return errors.exit_code(output.write(request, screen, reports.of_move(plan, to_run)))


def _wanted(workspace: Workspace, address: Address, request: MovePlanRequest) -> WantedMove:
    if request.rehearse:
        return _rehearsed(address, request)
    _refuse_unplanned(request)
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
    return _directed(workspace, address, request)


def _refuse_unplanned(request: MovePlanRequest | MoveRunRequest) -> None:
    """Raises `VastplanError` for `--unplanned` without a site to go to, and for `--broken` without it."""
    if request.broken and not request.unplanned:
        raise VastplanError("--broken REASON needs --unplanned")
    if request.unplanned and not request.to:
        raise VastplanError("--unplanned needs --to SITE")


def _directed(workspace: Workspace, address: Address, request: MovePlanRequest | MoveRunRequest) -> WantedMove:
    if request.unplanned:
        return WantedMove(address, request.to, UNPLANNED, request.broken)
    if request.rejoin:
        return WantedMove(address, opposite_site(workspace, address, request.rejoin, "--rejoin"), REJOIN)
    if request.keep:
        opposite_site(workspace, address, request.keep, "--keep")
        return WantedMove(address, request.keep, KEEP)
    return WantedMove(address, request.to, REHEARSE if request.rehearse else PLANNED)


def _rehearsed(address: Address, request: MovePlanRequest) -> WantedMove:
    others = (
        ("--unplanned", request.unplanned), ("--broken REASON", request.broken), ("--fork NAME", request.fork),
        ("--live", request.live), ("--warm DIR", request.warm), ("--through-global-access", request.through),
    )  # fmt: skip
    refused = [f" and cannot be combined with {option}" for option, is_typed in others if is_typed]
    if refused or not request.to:
        raise VastplanError(f"--rehearse needs --to SITE{''.join(refused[:1])}")
    return WantedMove(address, request.to, REHEARSE)


def _question(plan: MovePlan) -> str:
    jobs = counted(len(plan.jobs), "workload")
    does = f"move {plan.path} to {plan.target}"
    if plan.mode == REHEARSE:
        tried = counted(sum(1 for job in plan.jobs if job.get("to_claim")), "workload")
        return (
            f"Clone {plan.path} at {plan.target}, try {tried} there with one GPU each and delete all of it again? "
            f"Nothing at {plan.source} is suspended. Type yes to start: "
        )
    if plan.mode == UNPLANNED:
        return f"Give up {plan.source}, and go on with {plan.path} at {plan.target}? Type yes to start: "
    if plan.mode in (REJOIN, KEEP):
        does = f"make it the destination of {plan.target}, losing what only {plan.source} has of {plan.path}"
    if plan.mode == THROUGH:
        does = f"use {plan.path} from {plan.target} through global access"
    if plan.mode == FORK:
        does = f"submit the same workloads at {plan.target} with a clone of {plan.path}"
        if plan.live:
            return f"Let {jobs} at {plan.source} run and {does}? Type yes to start: "
    return f"Suspend {jobs} at {plan.source} and {does}? Type yes to start: "


def _loss(plan: MovePlan) -> Loss | None:
    if plan.mode in LOSSLESS:
        return None
    guid = plan.lose.get("guid", "")
    which = f", the oldest of {len(plan.paths)}" if plan.paths else ""
    return Loss(text=f"the restore point {inert(guid, 80)}{which}", name=guid, of=tuple(plan.paths) or (plan.path,))


_MOVE = Commands(
    kind="move",
    file=MOVE_FILE,
    text=move_text,
    question=_question,
    loss=_loss,
    run=run_move,
    abort=abort_move,
    go_on=go_on_with_move,
    records=last_moves,
    standing=operation_standing,
)
