"""Planning, running, showing and taking back an operation, a move or a restore, with what is different between the two as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from vastplan.app.clock import now
from vastplan.app.current_folder import HERE
from vastplan.app.files import plan as plan_file
from vastplan.app.files.approvals import load_approvals as load_approvals
from vastplan.app.files.versioned import VersionedFile
from vastplan.app.locks import lock_holder
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli.request import Format
from vastplan.cli.requests.operation import (
    OperationAbortRequest,
    OperationPlanRequest,
    OperationRequest,
    OperationRunRequest,
    OperationStatusRequest,
)
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.canonical_json import plain_json
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation
from vastplan.model.operation_plan import OperationPlan
from vastplan.model.shell import given, word, words
from vastplan.operations.plan.resume import GIVEN, left_to_give
from vastplan.operations.record import meant, unknown
from vastplan.report.operations import status_text

Planned = TypeVar("Planned", bound=OperationPlan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What a run goes back to, losing what came later: in words, and as `--lose` names it. `of` is what an approval has to name: all of it."""

    text: str
    name: str
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands(Generic[Planned]):
    """What the commands of one kind of operation do differently."""

    kind: str
    file: VersionedFile[Planned]
    text: Callable[[Planned, str], str]
    """The plan for people, with the command that carries it out."""
    question: Callable[[Planned], str]
    """What to ask before a run."""
    loss: Callable[[Planned], Loss | None]
    """What a run loses, `None` for nothing."""
    run: Callable[..., Operation]
    abort: Callable[[Workspace, str, Callable[[str], None]], Operation]
    go_on: Callable[..., Operation]
    records: Callable[[Workspace], tuple[Operation, ...]]
    standing: Callable[[Workspace, Operation], Sequence[str]] = lambda *_: ()
    """The present roles, beside the record of an operation."""
    result: Callable[[Planned], str] = lambda _: ""
    """What to show after a run, beside its record; "" for nothing."""

    def to_run(
        self,
        plan: Planned,
        file: Path,
        connections: Path | None,
        documents: Sequence[Path] = (),
        checkpoints: Sequence[str] = (),
        *,
        begun: bool = False,
    ) -> str:
        """The command that carries out a plan in a file, of these documents."""
        more: list[object] = [*given("--connections", connections)]
        if plan_file.not_believed(documents, file):
            more += [word for path in documents for word in ("--document", path)]
        return words(["vastplan", self.kind, "run", file, *more, *self.consents(plan, checkpoints, begun=begun)])

    def consents(self, plan: Planned, checkpoints: Sequence[str] = (), *, begun: bool = False) -> list[object]:
        """The words of a run that consent to its loss and give its checkpoints: those typed already, and until it has `begun` those that
        are left to give."""
        loss = self.loss(plan)
        left = () if begun else left_to_give(plan.jobs, checkpoints)
        each = (word for value in (*checkpoints, *left) for word in ("--checkpoint", value))
        return [*given("--lose", loss.name if loss else None), *each]


def show_plan(request: OperationPlanRequest, screen: Screen, commands: Commands[Planned], plan: Planned) -> str:
    """Show a plan, and save it if asked to. Returns the command that carries it out."""
    to_run = commands.to_run(plan, request.out or Path("FILE"), request.connections, request.paths)
    if request.format is Format.JSON:
        screen.json(plain_json(plan))
    else:
        screen.show(commands.text(plan, to_run))
    if request.out is not None:
        commands.file.save(plan, request.out)
        screen.progress(f"saved to {request.out}; valid for 15 minutes")
    else:
        screen.progress("not saved (to carry it out, first type the same command with --out FILE)")
    return to_run


def run(request: OperationRequest, screen: Screen, commands: Commands[Planned]) -> int:
    """Run one of the commands for an operation that is planned. Raises `VastplanError`."""
    match request:
        case OperationRunRequest():
            _run(request, screen, commands)
        case OperationStatusRequest():
            _status(request, screen, commands)
        case OperationAbortRequest():
            _abort(request, screen, commands)
    return errors.OK


def _run(request: OperationRunRequest, screen: Screen, commands: Commands[Planned]) -> None:
    if known := typed_id(request, commands):
        go_on_by_id(request, screen, commands, known)
        return
    (file,) = request.paths
    plan, workspace = saved(request, commands, file)
    run_planned(request, screen, commands, plan, workspace, file)
    if result := commands.result(plan):
        screen.show("\n".join(inert(line, None) for line in result.splitlines()))


def to_go_on(commands: Commands[Planned], workspace: Workspace, id: str) -> str:
    """The command that goes on with an operation that has begun, from the ledger alone."""
    return f"vastplan {commands.kind} run {workspace.document.typed} {id}"


def typed_id(request: OperationRunRequest, commands: Commands[Planned]) -> str:
    """The id of an operation that was typed instead of a file, "" for a file. Raises `VastplanError`."""
    *documents, last = request.paths
    if re.fullmatch(r"[0-9a-f]{8}", str(last)) and not last.exists():
        return str(last)
    if documents:
        raise VastplanError(
            f"{commands.kind} run takes one FILE, or [PATH] and the ID of a {commands.kind} that has begun"
        )
    return ""


def go_on_by_id(request: OperationRunRequest, screen: Screen, commands: Commands[Planned], id: str) -> None:
    """Continue an operation that has begun, from the ledger alone."""
    paths = request.paths[:-1] or request.documents or [HERE]
    workspace = open_workspace(paths, request.connections, lock_timeout=request.lock_timeout)
    again = to_go_on(commands, workspace, id)
    record = commands.go_on(workspace, id, screen.progress, again, checkpoints=request.checkpoints)
    screen.show(status_text(record, commands.standing(workspace, record)))


def saved(request: OperationRunRequest, commands: Commands[Planned], file: Path) -> tuple[Planned, Workspace]:
    """The plan in a file, and its document."""
    plan = commands.file.load(file)
    return plan, _document_of(
        request, plan, file, commands.to_run(plan, file, request.connections, (), request.checkpoints)
    )


def run_planned(
    request: OperationRunRequest,
    screen: Screen,
    commands: Commands[Planned],
    plan: Planned,
    workspace: Workspace,
    typed: Path | str,
    left_out: str | None = None,
) -> None:
    """Carry out a planned operation, or continue it: only the begin is asked about. `typed` is the file of the plan, or the command that
    planned it here: that has no file, and goes on by its id. Steps by hand that begin with `left_out` are not shown."""
    short = plan.id[:8]
    begun = any(record.id == short for record in commands.records(workspace))
    if isinstance(typed, str):
        once_begun = to_go_on(commands, workspace, short)
        to_run = " ".join((typed, *map(word, commands.consents(plan, request.checkpoints))))
    else:
        once_begun = to_run = commands.to_run(
            plan, typed, request.connections, workspace.document.paths, request.checkpoints, begun=begun
        )
    if not begun:
        screen.show(commands.text(plan, ""))
    consent = _consent(request, screen, plan, commands.loss(plan), to_run)
    if not begun and not request.auto_approve:
        screen.require_yes(commands.question(plan), "--auto-approve")
    try:
        record = commands.run(workspace, plan, screen.progress, to_run, consent=consent, once_begun=once_begun)
    except KeyboardInterrupt:
        begun = any(record.id == short for record in commands.records(workspace))
        screen.error(f"interrupted; go on: {once_begun if begun else to_run}")
        screen.error(f"which side may write: vastplan {commands.kind} status {workspace.document.typed}")
        raise
    standing = commands.standing(workspace, record) if commands.loss(plan) is not None else ()
    screen.show(status_text(record, standing))
    by_hand = [line for line in plan.by_hand if not (left_out and line.startswith(left_out))]
    screen.show("\n".join(f"by hand: {inert(line, None)}" for line in by_hand))


def _document_of(request: OperationRunRequest, plan: OperationPlan, file: Path, to_run: str) -> Workspace:
    """The document of a planned operation; as with saved plans, the file does not choose which other files are read."""
    if request.documents:
        return open_workspace(request.documents, request.connections, lock_timeout=request.lock_timeout)
    documents = [Path(plan.folder) / source for source in plan.sources]
    if not all(path.exists() for path in documents):
        documents = [Path(source) for source in plan.sources]
    reason = plan_file.not_believed(documents, file)
    if reason or not all(path.exists() for path in documents):
        why = reason or "not there now"
        raise Stale(
            f"the planned {plan.kind} is of the document at {inert(words(documents), 400)}, which is {why}; "
            f"if that is the right document: {to_run} --document PATH"
        )
    return open_workspace(documents, request.connections, lock_timeout=request.lock_timeout)


def _consent(
    request: OperationRunRequest, screen: Screen, plan: OperationPlan, loss: Loss | None, to_run: str
) -> dict[str, Any]:
    """The consent to record: who consents, when, and to which loss."""
    given = {} if loss is None else _consent_to_loss(request, screen, plan, loss, to_run)
    checkpoints = {GIVEN: list(request.checkpoints)} if request.checkpoints else {}
    return {"by": lock_holder(), "at": now().isoformat(timespec="seconds"), **given, **checkpoints}


def _consent_to_loss(
    request: OperationRunRequest, screen: Screen, plan: OperationPlan, loss: Loss, to_run: str
) -> dict[str, str]:
    """How the loss is consented to: by `--lose`, an approval, or the name typed when asked. Raises `VastplanError` without consent."""
    said = request.lose
    if not said and request.approvals is None:
        said = (
            screen.answer(
                f"This loses {inert(plan.loss, 300)}. To consent, type the restore point, {inert(loss.name, 80)}: "
            )
            or ""
        )
    if said:
        if said != loss.name:
            raise VastplanError(f"{plan.path} would go back to {loss.text}, not to {inert(said, 80)}")
        return {"lose_said": loss.name}
    approvals = load_approvals(request.approvals) if request.approvals is not None else ()
    today = now().date().isoformat()
    reasons = {approval.address: approval.reason for approval in approvals if approval.until >= today}
    missing = [address for address in loss.of if address not in reasons]
    if missing:
        raise VastplanError(
            f"{plan.path}: this loses {inert(plan.loss, 300)}; consent to it: {to_run}, "
            f"or --approvals FILE with an approval of {', '.join(missing)}"
        )
    return {"approved": "; ".join(dict.fromkeys(reasons[address] for address in loss.of))}


def _status(request: OperationStatusRequest, screen: Screen, commands: Commands[Planned]) -> None:
    """Show how far the operations are."""
    workspace = open_workspace(request.paths, request.connections)
    records = commands.records(workspace)
    chosen = [record for record in records if not request.subject or meant(record, request.subject)]
    if request.subject and not chosen:
        raise unknown(commands.kind, request.subject, records)
    if request.format is Format.JSON:
        screen.json(
            [{**plain_json(record), "standing": list(commands.standing(workspace, record))} for record in chosen]
        )
    else:
        texts = [status_text(record, commands.standing(workspace, record)) for record in chosen]
        screen.show("\n".join(texts) or f"no {commands.kind} is known")


def _abort(request: OperationAbortRequest, screen: Screen, commands: Commands[Planned]) -> None:
    """Take an operation back after approval. Raises `VastplanError` without it."""
    workspace = open_workspace(request.paths, request.connections, lock_timeout=request.lock_timeout)
    if not request.auto_approve:
        subject = inert(request.subject, 80)
        screen.require_yes(f"Take back the {commands.kind} {subject}? Type yes to take it back: ", "--auto-approve")
    screen.show(status_text(commands.abort(workspace, request.subject, screen.progress)))
