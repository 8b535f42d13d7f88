"""`vastplan plan`: observe, plan, print, save."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vastplan.app import checks
from vastplan.app.clock import now
from vastplan.app.files import approvals_template, signature
from vastplan.app.files import plan as plan_file
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.files.runner_keys import refuse_in_reach
from vastplan.app.plan import make_plan
from vastplan.app.planning.base import no_base
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import exit_status, output
from vastplan.cli.plan_options import plan_options
from vastplan.cli.request import Format
from vastplan.cli.requests.plan import PlanRequest
from vastplan.cli.screen import Screen
from vastplan.cli.wait import waiting
from vastplan.model import errors
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import Finding
from vastplan.model.plan import Plan
from vastplan.model.replication import WRITTEN_TWICE
from vastplan.model.shell import given, words
from vastplan.report.commitments import commitments_text
from vastplan.report.isolation import isolation_text
from vastplan.report.values import counted

if TYPE_CHECKING:
    from vastplan.model.snapshot import RecordedSnapshot


def run(request: PlanRequest, screen: Screen) -> int:
    """Show what would change; with `--detailed-exitcode` the exit code reports it too."""
    if request.approvals_template:
        approvals_template.refuse_file(request.approvals_template, request.paths)
    elif request.approvals_pattern:
        raise VastplanError(
            "--approvals-pattern PATTERN needs --approvals-template FILE: it groups the entries of that file"
        )
    if request.sign and not request.out:
        raise VastplanError("--sign KEYFILE needs --out FILE: it signs a saved plan")
    key = signature.private_key(request.sign) if request.sign else None
    workspace, snapshot = _opened(request)
    if request.sign:
        refuse_in_reach(request.sign, f"the key {request.sign}", workspace.document)
    options = plan_options(request, workspace)
    base = _base(request, snapshot)
    with waiting(screen) as watch:
        planned = make_plan(workspace, replace(options, snapshot=snapshot, base=base, watch=watch))
    plan = planned.plan
    if request.out:
        plan_file.save(plan, request.out)
    written = [request.out] if request.out else []
    if request.out and key is not None:
        written.append(signature.sign_plan(request.out, plan_file.dumps(plan).encode(), key))
    conditions = output.show_plan(request, screen, plan, written)
    if request.format is Format.TEXT:
        if request.commitments:
            screen.show(commitments_text(plan.commitments, screen.style))
        if request.isolation:
            screen.show(isolation_text(plan.isolation, screen.style, of=_source(plan)))
        if request.out and not snapshot:
            screen.show(f"Saved to {request.out}; {_next(request, plan, request.out)}")
    if request.approvals_template:
        patterns = request.approvals_pattern
        count = approvals_template.write_approvals(request.approvals_template, plan, now().date(), patterns)
        text = f"wrote {request.approvals_template}: {counted(count, 'approval')} to give a reason for"
        screen.progress(text if count else "no approval is needed, so none was written")
    conditions |= exit_status.conditions_of_plan(plan)
    if not request.detailed_exitcode:
        refused = request.all_or_nothing or exit_status.check_errors(plan) or exit_status.split_path_findings(plan)
        conditions -= {errors.CHANGES} if refused else {errors.CHANGES, errors.BLOCKED}
    elif any(row.state in WRITTEN_TWICE for row in plan.replications):  # as drift has it
        conditions.add(errors.BLOCKED)
    if request.isolation and checks.projects_meet(plan.findings):
        conditions.add(errors.BLOCKED)
    code = errors.exit_code(conditions)
    blocked = sum(bool(action.blocked) for action in plan.actions)
    if blocked and request.format is Format.TEXT:
        hint = "" if errors.BLOCKED in conditions else "; with --detailed-exitcode or --all-or-nothing it is 3"
        screen.progress(f"Exit code {code}: {blocked} of {counted(len(plan.actions), 'change')} blocked{hint}.")
    return code


def _source(plan: Plan) -> str:
    """What the proof followed; where a part is blocked, the systems stay as they are there."""
    blocked = sum(bool(action.blocked) for action in plan.actions)
    return (
        f"the document, of which {counted(blocked, 'change')} {'is' if blocked == 1 else 'are'} blocked"
        if blocked
        else "the document"
    )


def _next(request: PlanRequest, plan: Plan, out: Path) -> str:
    """What to do with the saved plan; no command that would be refused."""
    if exit_status.wrong(plan) or exit_status.check_errors(plan):
        return "it has errors, and apply refuses it: correct them and plan again"
    if plan.actions and all(action.blocked for action in plan.actions):
        return "every change in it is blocked"
    return f"carry it out with: {_to_apply(request, plan, out)}"


def _to_apply(request: PlanRequest, plan: Plan, out: Path) -> str:
    """The command to type in this folder to apply the saved plan."""
    typed: list[object] = ["vastplan", "apply", out]
    if plan_file.not_believed(request.paths, out):
        typed += (part for path in request.paths for part in ("--document", path))
    typed += given("--connections", request.connections)
    if request.approvals is not None and plan.consent.approvals:
        typed += ("--approvals", request.approvals)
    return words(typed)


def _opened(request: PlanRequest) -> tuple[Workspace, RecordedSnapshot | None]:
    """The document, and the snapshot to plan from, if one is given."""
    if request.snapshot is None:
        return open_workspace(request.paths, request.connections), None
    snapshot = snapshot_file.load(request.snapshot)
    return open_workspace(request.paths, request.connections, snapshot), snapshot


def _base(request: PlanRequest, snapshot: RecordedSnapshot | None) -> Workspace | Finding | None:
    """The document that the change is based on; a finding if it is invalid."""
    if request.base is None:
        return None
    if not request.base.exists():
        raise VastplanError(f"--base {request.base} does not exist; for a new document leave out --base")
    try:
        return open_workspace([request.base], request.connections, snapshot)
    except Invalid as problem:
        return no_base(problem)
