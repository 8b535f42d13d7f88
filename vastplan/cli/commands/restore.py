"""`vastplan restore`: plan, run, status, abort."""

from __future__ import annotations

from vastplan.app.files.operation_plan import RESTORE_FILE
from vastplan.app.restore import abort_restore, go_on_with_restore, plan_restore, restores, run_restore
from vastplan.app.workspace import open_workspace
from vastplan.cli import operation
from vastplan.cli.address import address_of
from vastplan.cli.operation import Commands, Loss
from vastplan.cli.requests.restore import RestorePlanRequest, RestoreRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.restore_plan import IN_PLACE, NEW, RestorePlan
from vastplan.operations.wanted import WantedRestore
from vastplan.report.operations import restore_text
from vastplan.report.values import counted


def run(request: RestoreRequest, screen: Screen) -> int:
    """Run one of the restore commands."""
    return (
        _plan(request, screen) if isinstance(request, RestorePlanRequest) else operation.run(request, screen, _RESTORE)
    )


def _plan(request: RestorePlanRequest, screen: Screen) -> int:
    if request.in_place and (request.name or request.directory):
        raise VastplanError("--as and --directory are for a new volume (leave them out, or leave --in-place out)")
    workspace = open_workspace(request.paths, request.connections)
    mode = IN_PLACE if request.in_place else NEW
    wanted = WantedRestore(address_of(request.subject), request.snapshot, mode, request.name, request.directory)
    operation.show_plan(request, screen, _RESTORE, plan_restore(workspace, wanted))
    return errors.OK


def _question(plan: RestorePlan) -> str:
    snapshot = inert(plan.snapshot.get("name"), 200)
    if plan.mode == IN_PLACE:
        jobs = counted(len(plan.jobs), "workload")
        return f"Suspend {jobs} at {plan.source} and restore {plan.path} to {snapshot}? Type yes to start: "
    return f"Copy {snapshot} of {plan.path} to {inert(plan.directory, 300)}? Type yes to start: "


def _loss(plan: RestorePlan) -> Loss | None:
    if plan.mode != IN_PLACE:
        return None
    name = str(plan.snapshot.get("name", ""))
    return Loss(text=f"the snapshot {inert(name, 200)}", name=name, of=(plan.path,))


_RESTORE = Commands(
    kind="restore",
    file=RESTORE_FILE,
    text=restore_text,
    question=_question,
    loss=_loss,
    run=run_restore,
    abort=abort_restore,
    go_on=go_on_with_restore,
    records=restores,
    result=lambda plan: plan.lines,
)
