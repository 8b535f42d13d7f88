"""`vastplan apply`: apply a saved plan, or plan, show the plan and ask first."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from vastplan.app import reports
from vastplan.app.apply import apply_plan, record_limits
from vastplan.app.clock import now
from vastplan.app.files import plan as plan_file
from vastplan.app.files import signature
from vastplan.app.files.approvals import load_approvals as load_approvals
from vastplan.app.locks import wait_for_ledgers
from vastplan.app.plan import make_plan
from vastplan.app.stale.review import check_keys, differences, incomparable_secrets, refusal_message
from vastplan.app.stale.saved_plan import out_of_time
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import exit_status, output
from vastplan.cli.plan_options import plan_options
from vastplan.cli.progress import interruptible, progress
from vastplan.cli.request import Format
from vastplan.cli.requests.apply import ApplyRequest
from vastplan.cli.screen import Screen
from vastplan.cli.wait import waiting
from vastplan.model import errors
from vastplan.model.consent import Approval
from vastplan.model.errors import Invalid, Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import error
from vastplan.model.plan import Plan
from vastplan.model.shell import given, words
from vastplan.model.wording import some
from vastplan.report import json_report
from vastplan.report.json_report import Review
from vastplan.report.text import receipt_text
from vastplan.report.values import counted

_NAMED = 12


def run(request: ApplyRequest, screen: Screen) -> int:
    """Apply a saved plan or a document, and return the exit code."""
    saved = next((path for path in request.paths if plan_file.looks_like_plan(path)), None)
    if saved is not None:
        _refuse_planning(request, saved)
        return _apply_saved(request, screen, saved)
    if request.allow_difference and request.reviewed is None:
        raise VastplanError("--allow-difference needs --reviewed FILE")
    if request.allow_secret_values and request.reviewed is None:
        raise VastplanError("--allow-secret-values needs --reviewed FILE")
    if _keys(request) and request.reviewed is None:
        raise VastplanError(
            "a signed plan is required: give it as vastplan apply PLAN or --reviewed PLAN (vastplan plan --sign KEYFILE signs it)"
        )
    if request.documents:
        raise VastplanError(
            "--document needs a saved plan: vastplan apply PLAN --document PATH (without a plan: vastplan apply PATH)"
        )
    return _plan_and_apply(request, screen)


def _refuse_planning(request: ApplyRequest, plan: Path) -> None:
    """Raises `VastplanError` for planning options with a saved plan, where they would have no effect."""
    if len(request.paths) > 1:
        raise VastplanError(
            f"{plan} is a saved plan: give it alone, and its document, if it moved, with --document PATH"
        )
    typed = request.planning_options()
    if typed:
        arguments = [
            *plan_file.documents(plan_file.load(plan)),
            *itertools.chain(*typed.values()),
            *given("--connections", request.connections),
        ]
        raise VastplanError(
            f"{', '.join(typed)} cannot be used with a saved plan; plan and apply in one command: "
            f"vastplan apply {inert(words(arguments), 400)}"
        )


def _apply_saved(request: ApplyRequest, screen: Screen, file: Path) -> int:
    keys = _keys(request)
    plan = plan_file.load(file, signature.verified(file, keys))
    workspace = _document_of(request, plan, file)
    screen.progress(f"Plan {plan.id[:12]}, document {workspace.name} at {words(workspace.document.paths)}.")
    exit_status.refuse_wrong(plan)
    if _refuses_part(request, screen, plan):
        return errors.BLOCKED
    return _carry_out(request, screen, workspace, plan, None, _approvals(request, plan, file, signed=bool(keys)))


def _keys(request: ApplyRequest) -> tuple[Path, ...]:
    """The files of keys that must have signed the plan that is applied, or the reviewed one."""
    return signature.signature_keys(request.connections, request.require_signature)


def _approvals(request: ApplyRequest, plan: Plan, file: Path, *, signed: bool) -> tuple[Approval, ...] | None:
    """The approvals from their file: those inside a plan could be by anybody who wrote the plan.

    `None` if a trusted key signed the plan: then the plan's own approvals count. Raises `VastplanError` if some are needed and no
    file is given.
    """
    if request.approvals is not None:
        return load_approvals(request.approvals)
    if signed:
        return None
    carried_out = {str(action.address) for action in plan.actions if not action.blocked}
    resting = [approval.address for approval in plan.consent.approvals if approval.address in carried_out]
    if resting:
        raise VastplanError(
            f"the plan has actions that needed an approval ({some([inert(address, 120) for address in resting])}), and apply reads approvals "
            f"again: {_apply_again(request, file)} --approvals FILE"
        )
    return ()


def _document_of(request: ApplyRequest, plan: Plan, file: Path) -> Workspace:
    """The document of a saved plan. Raises `VastplanError` if it is neither where the plan was created nor here, and `Invalid` (VP321)
    if its paths are not trusted."""
    if request.documents:
        return open_workspace(request.documents, request.connections, lock_timeout=request.lock_timeout)
    documents, typed_paths = plan_file.documents(plan), plan_file.document_paths(plan)
    moved = (
        f"the plan is for document {inert(plan.document, 80)} at {inert(words(typed_paths), 400)}, which does not exist; if it moved: "
        f"{_apply_again(request, file)} --document PATH"
    )
    if not all(path.exists() for path in documents):
        raise VastplanError(moved)
    reason = plan_file.not_believed(documents, file)
    if reason:  # the plan file does not choose which document is read: the user has to type the path
        text = f"the plan is for the document at {inert(words(documents), 400)}, which is {reason}"
        raise Invalid([error("VP321", text, fix=f"if it is that one: {_apply_again(request, file)} --document PATH")])
    if documents == typed_paths:
        return open_workspace(documents, request.connections, lock_timeout=request.lock_timeout)
    try:
        workspace = open_workspace(documents, request.connections, lock_timeout=request.lock_timeout)
    except Invalid as problem:
        first = inert(str(problem).partition("\n")[0], 300)
        raise VastplanError(f"{moved}; {inert(words(documents), 400)} is not that document: {first}") from None
    if workspace.name != plan.document:
        raise VastplanError(f"{moved}; {inert(words(documents), 400)} is document {workspace.name}")
    return workspace


def _apply_again(request: ApplyRequest, file: Path) -> str:
    """The command to apply a saved plan with the connections that were typed."""
    return words(["vastplan", "apply", file, *given("--connections", request.connections)])


def _plan_and_apply(request: ApplyRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections, lock_timeout=request.lock_timeout)
    options = plan_options(request, workspace)
    if request.lock_timeout:  # what the other run changes would make a plan of now stale
        wait_for_ledgers(workspace, options.sites, screen.progress)
    with waiting(screen) as watch:
        planned = make_plan(workspace, replace(options, watch=watch))
    plan = planned.plan
    if request.format is Format.TEXT:
        output.plan_as_text(screen, plan, request.expand)
        if exit_status.wrong(plan):
            return errors.ERROR  # the errors were shown with the plan
        if exit_status.check_errors(plan):
            screen.error("nothing was done: checks found errors; correct them, or waive them in the document")
            return errors.BLOCKED
    exit_status.refuse_wrong(plan)
    review = _held_against_reviewed(request, screen, plan)
    if _refuses_part(request, screen, plan):
        return errors.BLOCKED
    doable = [action for action in plan.actions if not action.blocked]
    if not doable:
        receipt = exit_status.untouched(plan)
        conditions = output.write(request, screen, reports.receipt_renderers(plan, receipt))
        record_limits(workspace, plan, screen.progress)
        if request.format is Format.JSON:
            screen.machine(json_report.apply_report(receipt, review))
        return errors.exit_code((conditions | exit_status.conditions_of_plan(plan)) - {errors.CHANGES})
    if not request.auto_approve:
        screen.require_yes(f"Apply {counted(len(doable), 'change')}? Type yes: ", "--auto-approve")
    return _carry_out(request, screen, workspace, plan, review)


def _refuses_part(request: ApplyRequest, screen: Screen, plan: Plan) -> bool:
    """Whether the plan is refused because a part of it is blocked; says so."""
    blocked = [action for action in plan.actions if action.blocked]
    if not (request.all_or_nothing and blocked):
        return False
    screen.error(
        f"nothing was done: {len(blocked)} of {counted(len(plan.actions), 'change')} are blocked, and --all-or-nothing applies all or none"
    )
    return True


def _carry_out(
    request: ApplyRequest,
    screen: Screen,
    workspace: Workspace,
    plan: Plan,
    review: Review | None,
    approvals: tuple[Approval, ...] | None = None,
) -> int:
    with interruptible(screen) as stop, progress(screen, plan) as report:
        receipt = apply_plan(
            workspace, plan, report, stop, approvals, all_or_nothing=request.all_or_nothing, report=screen.progress
        )
    screen.result(request.format, json_report.apply_report(receipt, review), receipt_text(receipt, screen.style))
    conditions = exit_status.conditions_of_receipt(plan, receipt) | exit_status.conditions_of_plan(plan)
    conditions |= output.write(request, screen, reports.receipt_renderers(plan, receipt))
    return errors.exit_code(conditions - {errors.CHANGES})


def _held_against_reviewed(request: ApplyRequest, screen: Screen, live: Plan) -> Review | None:
    """The comparison of the live plan with the reviewed one. Raises `Stale` if they differ, unless `--allow-difference` is given.

    A difference from a signed plan is never allowed.
    """
    if request.reviewed is None:
        return None
    keys = _keys(request)
    reviewed = plan_file.load(request.reviewed, signature.verified(request.reviewed, keys))
    if keys and (late := out_of_time(reviewed, now())):
        raise Stale(f"the reviewed plan {late}; plan again")
    check_keys(reviewed, live)
    points, secrets = differences(reviewed, live), incomparable_secrets(reviewed, live)
    refused = differences(reviewed, live, request.allow_secret_values)
    if refused and (keys or not request.allow_difference):  # a difference from a signed plan is not signed
        raise Stale(refusal_message(refused, signed=bool(keys)))
    verdict_text = (
        f"differs from the reviewed plan in {counted(len(points), 'point')}, which is allowed"
        if points
        else "does what the reviewed plan does, and no more" + (", as far as vastplan can determine" if secrets else "")
    )
    screen.progress(f"The live plan {verdict_text} ({reviewed.id[:12]} of {reviewed.created}).")
    if secrets:
        screen.progress(f"Cannot determine whether {counted(len(secrets), 'secret')} have the reviewed values:")
        for line in (*secrets[:_NAMED], *([f"and {len(secrets) - _NAMED} more"] if len(secrets) > _NAMED else ())):
            screen.progress(f"  {line}")
        screen.progress("  plan and apply with --review-key FILE to compare them")
    return Review(reviewed.id, not points, tuple(points), tuple(secrets))
