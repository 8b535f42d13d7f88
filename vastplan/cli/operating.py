"""Shared by the commands `move` and `restore`: the document of a plan, consent to a loss, the output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from vastplan.app.clock import now
from vastplan.app.files import plan as plan_file
from vastplan.app.files.approvals import load as load_approvals
from vastplan.app.files.versioned import VersionedFile
from vastplan.app.locks import lock_holder
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli.request import Format, OperationRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.canonical_json import plain
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation
from vastplan.model.operation_plan import OperationPlan
from vastplan.model.shell import words
from vastplan.operations.record import meant, unknown
from vastplan.report.operations import status_text

Planned = TypeVar("Planned", bound=OperationPlan)
NOT_APPROVED = "nothing was done: it was not approved (use --yes where nobody can answer)"


def address_of(request: OperationRequest) -> Address:
    """The typed address. Raises `VastplanError`."""
    try:
        return Address.parse(request.subject)
    except ValueError as problem:
        raise VastplanError(str(problem)) from None


def planned(request: OperationRequest, screen: Screen, plan: Planned, file: VersionedFile[Planned], text: str) -> int:
    """Show a plan, and save it if asked to."""
    if request.format is Format.JSON:
        screen.json(plain(plan))
    else:
        screen.show(text)
    if request.out is not None:
        file.save(plan, request.out)
        screen.progress(f"saved to {request.out}; valid for 15 minutes")
    else:
        screen.progress("not saved (to carry it out, first type the same command with --out FILE)")
    return errors.OK


def document_of(request: OperationRequest, plan: OperationPlan, file: Path, command: str) -> Workspace:
    """The document of a planned operation; as with saved plans, the file does not choose which other files are read."""
    if request.documents:
        return open_workspace(request.documents, request.connections)
    there = [Path(plan.folder) / source for source in plan.sources]
    documents = there if all(path.exists() for path in there) else [Path(source) for source in plan.sources]
    reason = plan_file.not_believed(documents, file)
    if reason or not all(path.exists() for path in documents):
        why = reason or "not there now"
        raise Stale(
            f"the planned {plan.kind} is of the document at {inert(words(documents), 400)}, which is {why}; "
            f"if that is the right document: {command} --document PATH"
        )
    return open_workspace(documents, request.connections)


def approved(request: OperationRequest, screen: Screen, text: str, question: str) -> None:
    """Show what would be done, and ask for approval. Raises `VastplanError` without it."""
    screen.show(text)
    if not request.yes and not screen.ask(question):
        raise VastplanError(NOT_APPROVED)


def consent(loss: Mapping[str, Any]) -> dict[str, Any]:
    """The consent to record: who consents, when, and to which loss."""
    return {"by": lock_holder(), "at": now().isoformat(timespec="seconds"), **loss}


def told(screen: Screen, done: Operation, plan: OperationPlan) -> None:
    """Show the result, and the steps by hand."""
    screen.show(status_text(done))
    screen.show("\n".join(f"by hand: {inert(line, None)}" for line in plan.by_hand))


def consented(request: OperationRequest, plan: OperationPlan, what: str, name: str, command: str) -> dict[str, Any]:
    """How the loss of going back to `name` is consented to: by `--lose` or an approval. Raises `VastplanError` without consent."""
    if request.lose:
        if request.lose != name:
            raise VastplanError(f"{plan.path} would go back to {what}, not to {inert(request.lose, 80)}")
        return {"lose_said": name}
    for approval in load_approvals(request.approvals) if request.approvals is not None else ():
        if approval.address == plan.path and approval.until >= now().date().isoformat():
            return {"approved": approval.reason}
    raise VastplanError(
        f"{plan.path}: this loses {inert(plan.loss, 300)}; consent to it: {command}, "
        f"or --approvals FILE with an approval of {plan.path}"
    )


def status(
    request: OperationRequest,
    screen: Screen,
    known: Callable[[Workspace], tuple[Operation, ...]],
    kind: str,
    standing: Callable[[Workspace, Operation], Sequence[str]] = lambda *_: (),
) -> int:
    """Show how far the operations of one kind are; `standing` adds the present roles to the record."""
    workspace = open_workspace(request.paths, request.connections)
    every = known(workspace)
    found = [one for one in every if not request.subject or meant(one, request.subject)]
    if request.subject and not found:
        raise unknown(kind, request.subject, every)
    if request.format is Format.JSON:
        screen.json([{**plain(one), "standing": list(standing(workspace, one))} for one in found])
    else:
        screen.show("\n".join(status_text(one, standing(workspace, one)) for one in found) or f"no {kind} is known")
    return errors.OK


def taken_back(
    request: OperationRequest,
    screen: Screen,
    abort: Callable[[Workspace, str, Callable[[str], None]], Operation],
    kind: str,
) -> int:
    """Take an operation back after approval. Raises `VastplanError` without it."""
    workspace = open_workspace(request.paths, request.connections)
    if not request.yes and not screen.ask(
        f"Take back the {kind} {inert(request.subject, 80)}? Type yes to take it back: "
    ):
        raise VastplanError(NOT_APPROVED)
    screen.show(status_text(abort(workspace, request.subject, screen.progress)))
    return errors.OK
