"""`vastplan apply`: carry out a saved plan, or plan, show and ask first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vastplan.app import reports
from vastplan.app.apply import apply_plan, record_limits
from vastplan.app.files import plan as plan_file
from vastplan.app.plan import make_plan
from vastplan.app.stale.reviewed import check_keys, differences, refusal, untold
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import exit_status, reporting
from vastplan.cli.planning import plan_options
from vastplan.cli.request import ApplyRequest, Format, planning_options
from vastplan.cli.running import interruptible, progress
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import Invalid, Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import error
from vastplan.model.plan import Plan
from vastplan.model.shell import word, words
from vastplan.report import json_report
from vastplan.report.json_report import Review
from vastplan.report.results import NOWHERE, Places
from vastplan.report.text import plan_text, receipt_text
from vastplan.report.values import counted

_NAMED = 12


def apply(request: ApplyRequest, screen: Screen) -> int:
    """Carry it out; the exit code says how it ended."""
    saved = next((path for path in request.paths if plan_file.looks_like_plan(path)), None)
    if saved is not None:
        _refuse_planning(request, saved)
        return _apply_saved(request, screen, saved)
    if request.allow_difference and request.reviewed is None:
        raise VastplanError("--allow-difference is said to --reviewed FILE")
    if request.documents:
        raise VastplanError("--document is given beside a saved plan; a document is given by its PATH alone")
    return _plan_and_apply(request, screen)


def _refuse_planning(request: ApplyRequest, plan: Path) -> None:
    """A saved plan is carried out as it is: what says how to plan would be taken for granted, and do nothing."""
    if len(request.paths) > 1:
        raise VastplanError(
            f"{plan} is a saved plan, which is applied alone; its document, where it moved, is given with --document"
        )
    typed = planning_options(request)
    if typed:
        raise VastplanError(
            f"{', '.join(typed)}: these are given to plan, not beside a saved plan; plan again with them, or: "
            f"vastplan apply {inert(words(plan_file.documents(plan_file.load(plan))), 400)}"
        )


def _apply_saved(request: ApplyRequest, screen: Screen, file: Path) -> int:
    plan = plan_file.load(file)
    workspace = _document_of(request, plan, file)
    screen.progress(f"The plan {plan.id[:12]} is of {workspace.name} at {words(workspace.document.paths)}.")
    exit_status.refuse_wrong(plan)
    return _carry_out(request, screen, workspace, plan, NOWHERE, None)  # it does not say on which lines it was written


def _document_of(request: ApplyRequest, plan: Plan, file: Path) -> Workspace:
    """The document of a saved plan. Raises `VastplanError` where it is neither where the plan was made nor here."""
    documents = request.documents or plan_file.documents(plan)
    was_there = plan_file.made_of(plan)
    if not request.documents:
        _refuse_elsewhere(documents, file)
    if request.documents or documents == was_there:
        return open_workspace(documents, request.connections)
    moved = (
        f"the plan was made of the document {inert(plan.document, 80)} at {inert(words(was_there), 400)}, which is not there now; "
        f"if it moved: vastplan apply {word(file)} --document PATH"
    )
    missing = [path for path in documents if not path.exists()]
    if missing:
        raise VastplanError(moved)
    try:
        workspace = open_workspace(documents, request.connections)
    except Invalid as problem:
        first = inert(str(problem).partition("\n")[0], 300)
        raise VastplanError(
            f"{moved}; what is at {inert(words(documents), 400)} cannot be taken for it: {first}"
        ) from None
    if workspace.name != plan.document:
        raise VastplanError(f"{moved}; what is at {inert(words(documents), 400)} is the document {workspace.name}")
    return workspace


def _refuse_elsewhere(documents: Sequence[Path], file: Path) -> None:
    """VP321 where a plan file names a document that is not in this folder, nor beside it: it does not choose what is read.

    Whoever types a plan's path works in this folder or means that one; another has to be typed, too.
    """
    for path in documents:
        if not _beside(path, file):
            text = f"the plan names the document {inert(word(path), 400)}, which is neither in this folder nor beside the plan"
            fix = f"if it is that one: vastplan apply {word(file)} --document {inert(word(path), 400)}"
            raise Invalid([error("VP321", text, fix=fix)])


def _beside(document: Path, file: Path) -> bool:
    """Whether a document is in this folder, in the plan's, or has the plan in its own."""
    try:
        found, plan = document.resolve(), file.resolve()
    except (OSError, ValueError, RuntimeError):  # no name that a file can have; links in a ring
        return False
    own = found if found.is_dir() else found.parent
    return found.is_relative_to(Path.cwd().resolve()) or found.is_relative_to(plan.parent) or plan.is_relative_to(own)


def _plan_and_apply(request: ApplyRequest, screen: Screen) -> int:
    workspace = open_workspace(request.paths, request.connections)
    planned = make_plan(workspace, plan_options(request, workspace))
    plan, places = planned.plan, reports.places(planned)
    if request.format is Format.TEXT:
        screen.show(plan_text(plan, screen.style))
        if exit_status.wrong(plan):
            return errors.ERROR  # they were shown with the plan
        if exit_status.forbidden(plan):
            screen.error("nothing was done: checks found errors; mend them, or waive them in the document")
            return errors.BLOCKED
    exit_status.refuse_wrong(plan)
    review = _held_against_reviewed(request, screen, plan)
    doable = [action for action in plan.actions if not action.blocked]
    if not doable:
        receipt = exit_status.untouched(plan)
        conditions = reporting.write(request, screen, reports.of_receipt(plan, receipt, places))
        record_limits(workspace, plan)
        if request.format is Format.JSON:
            screen.machine(json_report.applied(receipt, review))
        return errors.exit_code((conditions | exit_status.conditions_of_plan(plan)) - {errors.CHANGES})
    if not request.auto_approve and not screen.ask(f"Carry out these {len(doable)} actions? Only yes is yes: "):
        raise VastplanError("nothing was done: it was not approved (use --auto-approve where nobody can answer)")
    return _carry_out(request, screen, workspace, plan, places, review)


def _carry_out(
    request: ApplyRequest, screen: Screen, workspace: Workspace, plan: Plan, places: Places, review: Review | None
) -> int:
    with interruptible(screen) as stop:
        receipt = apply_plan(workspace, plan, progress(screen, plan), stop)
    if request.format is Format.JSON:
        screen.machine(json_report.applied(receipt, review))
    else:
        screen.show(receipt_text(receipt, screen.style))
    conditions = exit_status.conditions_of_receipt(plan, receipt) | exit_status.conditions_of_plan(plan)
    conditions |= reporting.write(request, screen, reports.of_receipt(plan, receipt, places))
    return errors.exit_code(conditions - {errors.CHANGES})


def _held_against_reviewed(request: ApplyRequest, screen: Screen, live: Plan) -> Review | None:
    """Whether the live plan is the reviewed one. Raises `Stale` where it is not, unless `--allow-difference` was said."""
    if request.reviewed is None:
        return None
    reviewed = plan_file.load(request.reviewed)
    check_keys(reviewed, live)
    points, secrets = differences(reviewed, live), untold(reviewed, live)
    if points and not request.allow_difference:
        raise Stale(refusal(points))
    verdict_text = (
        f"differs from the reviewed plan in {counted(len(points), 'point')}, which is allowed"
        if points
        else "does what the reviewed plan does, and no more" + (", as far as can be told" if secrets else "")
    )
    screen.progress(f"The live plan {verdict_text} ({reviewed.id[:12]} of {reviewed.created}).")
    if secrets:
        screen.progress(
            f"It cannot be told whether {counted(len(secrets), 'secret')} have the values that were reviewed:"
        )
        for line in (*secrets[:_NAMED], *([f"and {len(secrets) - _NAMED} more"] if len(secrets) > _NAMED else ())):
            screen.progress(f"  {line}")
        screen.progress("  plan and apply with --review-key FILE to compare them")
    return Review(reviewed.id, not points, tuple(points), tuple(secrets))
