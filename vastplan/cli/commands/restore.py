"""`vastplan restore`: plan, run, status, abort."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vastplan.app.files.operation_plan import RESTORE_FILE
from vastplan.app.restore import abort_restore, plan_restore, restores, run_restore
from vastplan.app.workspace import open_workspace
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
from vastplan.cli.request import OperationVerb, RestoreRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.restore_plan import IN_PLACE, NEW, RestorePlan
from vastplan.model.shell import word
from vastplan.operations.modes.restore.mode import WantedRestore
from vastplan.report.operations import restore_text
from vastplan.report.values import counted


def restore(request: RestoreRequest, screen: Screen) -> int:
    """Run one of the restore commands."""
    return _VERBS[request.verb](request, screen)


def _plan(request: RestoreRequest, screen: Screen) -> int:
    if request.in_place and (request.name or request.directory):
        raise VastplanError("--as and --directory are for a new volume (leave them out, or leave --in-place out)")
    workspace = open_workspace(request.paths, request.connections)
    mode = IN_PLACE if request.in_place else NEW
    wanted = WantedRestore(address_of(request), request.snapshot, mode, request.name, request.directory)
    plan = plan_restore(workspace, wanted)
    text = restore_text(plan, _command(request.out or Path("FILE"), plan))
    return planned(request, screen, plan, RESTORE_FILE, text)


def _command(file: Path, plan: RestorePlan) -> str:
    lose = f" --lose {word(str(plan.snapshot.get('name', '')))}" if plan.mode == IN_PLACE else ""
    return f"vastplan restore run {word(file)}{lose}"


def _run(request: RestoreRequest, screen: Screen) -> int:
    (file,) = request.paths
    plan = RESTORE_FILE.load(file)
    workspace = document_of(request, plan, file, _command(file, plan))
    said = consent(_loss(request, plan, file))
    snapshot = inert(plan.snapshot.get("name"), 200)
    question = f"Copy {snapshot} of {plan.path} to {inert(plan.directory, 300)}? Type yes to start: "
    if plan.mode == IN_PLACE:
        jobs = counted(len(plan.jobs), "workload")
        question = f"Suspend {jobs} at {plan.source} and restore {plan.path} to {snapshot}? Type yes to start: "
    if not any(one.id == plan.id[:8] for one in restores(workspace)):
        approved(request, screen, restore_text(plan, ""), question)
    told(screen, run_restore(workspace, plan, screen.progress, _command(file, plan), consent=said), plan)
    if plan.lines:
        screen.show("\n".join(inert(line, None) for line in plan.lines.splitlines()))
    return errors.OK


def _loss(request: RestoreRequest, plan: RestorePlan, file: Path) -> dict[str, Any]:
    """How the loss of a restore in place is consented to; empty for a new volume. Raises `VastplanError` without consent."""
    if plan.mode != IN_PLACE:
        return {}
    name = str(plan.snapshot.get("name"))
    return consented(request, plan, f"the snapshot {inert(name, 200)}", name, _command(file, plan))


def _status(request: RestoreRequest, screen: Screen) -> int:
    return status(request, screen, restores, "restore")


def _abort(request: RestoreRequest, screen: Screen) -> int:
    return taken_back(request, screen, abort_restore, "restore")


_VERBS: Mapping[OperationVerb, Callable[[RestoreRequest, Screen], int]] = MappingProxyType(
    {OperationVerb.PLAN: _plan, OperationVerb.RUN: _run, OperationVerb.STATUS: _status, OperationVerb.ABORT: _abort}
)
