"""`vastplan move`: plan, run, status, abort."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vastplan.app import reports
from vastplan.app.clock import now
from vastplan.app.files import plan as plan_file
from vastplan.app.files.approvals import load as load_approvals
from vastplan.app.files.move_plan import MOVE_FILE
from vastplan.app.locks import lock_holder
from vastplan.app.move import Wanted, abort_move, moves, other_site, plan_move, run_move
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import reporting
from vastplan.cli.request import Format, MoveRequest, MoveVerb
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.canonical_json import plain
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import KEEP, PLANNED, REJOIN, UNPLANNED, MovePlan
from vastplan.model.shell import word, words
from vastplan.report.moves import move_text, status_text
from vastplan.report.values import counted


def move(request: MoveRequest, screen: Screen) -> int:
    """One of its commands."""
    return _VERBS[request.verb](request, screen)


def _plan(request: MoveRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections)
    try:
        address = Address.parse(request.subject)
    except ValueError as problem:
        raise VastplanError(str(problem)) from None
    plan = plan_move(workspace, _wanted(workspace, address, request))
    command = _command(request.out or Path("FILE"), plan)
    if request.format is Format.JSON:
        screen.json(plain(plan))
    else:
        screen.show(move_text(plan, command))
    if request.out is not None:
        MOVE_FILE.save(plan, request.out)
        screen.progress(f"saved to {request.out}; it holds for 15 minutes")
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
    workspace = _document_of(request, plan, file)
    consent = {"by": lock_holder(), "at": now().isoformat(timespec="seconds"), **_loss(request, plan, file)}
    begun = any(one.id == plan.id[:8] for one in moves(workspace))
    if not begun:
        screen.show(move_text(plan, ""))
    jobs = counted(len(plan.jobs), "workload")
    does = f"move {plan.path} to {plan.target}"
    if plan.mode in (REJOIN, KEEP):
        does = f"let it follow {plan.target}, losing what only it has of {plan.path}"
    question = f"Suspend {jobs} at {plan.source} and {does}? Only yes is yes: "
    if not begun and not request.yes and not screen.ask(question):
        raise VastplanError("nothing was done: it was not approved (use --yes where nobody can answer)")
    done = run_move(workspace, plan, screen.progress, _command(file, plan), consent=consent)
    screen.show(status_text(done))
    screen.show("\n".join(f"by hand: {line}" for line in plan.by_hand))
    return errors.OK


def _loss(request: MoveRequest, plan: MovePlan, file: Path) -> dict[str, Any]:
    """Who consents to the loss of a move that is not planned, and how. Raises `VastplanError` where nobody does."""
    if plan.mode == PLANNED:
        return {}
    guid = plan.lose.get("guid", "")
    if request.lose:
        if request.lose != guid:
            raise VastplanError(
                f"{plan.path} would go back to the restore point {inert(guid, 80)}, not to {inert(request.lose, 80)}"
            )
        return {"lose_said": guid}
    for approval in load_approvals(request.approvals) if request.approvals is not None else ():
        if approval.address == plan.path and approval.until >= now().date().isoformat():
            return {"approved": approval.reason}
    raise VastplanError(
        f"{plan.path}: {inert(plan.loss, 300)} is lost, and somebody has to consent to that: {_command(file, plan)}, "
        f"or --approvals FILE with an approval of {plan.path}"
    )


def _document_of(request: MoveRequest, plan: MovePlan, file: Path) -> Workspace:
    """The document of a planned move; as with saved plans, a file does not choose what is read beside it."""
    if request.documents:
        return open_workspace(request.documents, request.connections)
    there = [Path(plan.folder) / source for source in plan.sources]
    documents = there if all(path.exists() for path in there) else [Path(source) for source in plan.sources]
    reason = plan_file.not_believed(documents, file)
    if reason or not all(path.exists() for path in documents):
        why = reason or "not there now"
        raise Stale(
            f"the move is of the document at {inert(words(documents), 400)}, which is {why}; "
            f"if it is that one: {_command(file, plan)} --document PATH"
        )
    return open_workspace(documents, request.connections)


def _status(request: MoveRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections)
    found = [one for one in moves(workspace) if request.subject in ("", one.id, one.address)]
    if request.format is Format.JSON:
        screen.json([plain(one) for one in found])
    else:
        screen.show("\n".join(map(status_text, found)) or "no move is known")
    return errors.OK


def _abort(request: MoveRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections)
    if not request.yes and not screen.ask(f"Take back the move {inert(request.subject, 80)}? Only yes is yes: "):
        raise VastplanError("nothing was done: it was not approved (use --yes where nobody can answer)")
    screen.show(status_text(abort_move(workspace, request.subject, screen.progress)))
    return errors.OK


_VERBS: Mapping[MoveVerb, Callable[[MoveRequest, Screen], int]] = MappingProxyType(
    {MoveVerb.PLAN: _plan, MoveVerb.RUN: _run, MoveVerb.STATUS: _status, MoveVerb.ABORT: _abort}
)
