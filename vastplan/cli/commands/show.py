"""`vastplan show`: a saved plan or its actions on one address, one object of a document, or the checkpoint budget of a volume."""

from __future__ import annotations

from collections.abc import Callable

from vastplan.app.clock import now
from vastplan.app.files import plan as plan_file
from vastplan.app.jobs import listed_jobs
from vastplan.app.rights import document_rights
from vastplan.app.show import actions_at, address_in, composite_parts, describe
from vastplan.app.snapshots import listed_snapshots
from vastplan.app.validate import check_document
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.checks.checkpoint.evaluate import WITH_BUDGET
from vastplan.cli import output
from vastplan.cli.address import address_of
from vastplan.cli.request import Format
from vastplan.cli.requests.show import ShowRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.canonical_json import plain_json
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.job_list import ListedJob
from vastplan.model.snapshot_list import ListedSnapshot
from vastplan.report import drift as drift_report
from vastplan.report import json_report
from vastplan.report.budgets import budget_text
from vastplan.report.html_budget import budget_page
from vastplan.report.jobs import jobs_text
from vastplan.report.json_report import ShownBudget
from vastplan.report.rights import rights_text
from vastplan.report.snapshots import snapshots_text
from vastplan.report.text import part_text


def run(request: ShowRequest, screen: Screen) -> int:
    """Show a saved plan, one object, or the rights that a document needs."""
    if request.expand and (request.rights or request.address is not None):
        raise VastplanError("--expand needs a plan and no ADDRESS: vastplan show PLAN --expand ADDRESS")
    if request.rights:
        return _rights(request, screen)
    if request.snapshots or request.jobs:
        return _list(request, screen)
    if request.address is None:
        plan = plan_file.load(request.paths[0])
        return errors.exit_code(output.show_plan(request, screen, plan, request.paths))
    if plan_file.looks_like_plan(request.paths[0]):
        return _action(request, screen, address_of(request.address))
    workspace = open_workspace(request.paths, request.connections)
    address = address_in(workspace, request.address)
    _refuse_format(request, has_budget=address.kind == WITH_BUDGET)
    budget = _budget(workspace, address) if address.kind == WITH_BUDGET else None
    if budget is not None:
        return _show_budget(request, screen, workspace, budget)
    if request.format is Format.HTML or request.reports:
        raise VastplanError(f"{inert(address, 200)} has no budget: only a volume with checkpoint has one")
    described = describe(workspace, address)
    screen.result(
        request.format, json_report.object_report(described), drift_report.object_text(described, screen.style)
    )
    return errors.OK


def _list(request: ShowRequest, screen: Screen) -> int:
    """List the snapshots of a directory of the document, or the workloads that use the data of a project or volume."""
    option = "--jobs" if request.jobs else "--snapshots"
    if request.address is None or plan_file.looks_like_plan(request.paths[0]):
        raise VastplanError(f"{option} needs a document and an address: vastplan show PATH ADDRESS {option}")
    if request.format not in (Format.TEXT, Format.JSON) or request.reports or (request.jobs and request.snapshots):
        raise VastplanError(f"show PATH ADDRESS {option} prints text or JSON")
    workspace = open_workspace(request.paths, request.connections)
    address = address_in(workspace, request.address)
    rows: tuple[ListedJob, ...] | tuple[ListedSnapshot, ...]
    if request.jobs:
        rows = jobs = listed_jobs(workspace, address)
        text = jobs_text(str(address), jobs)
    else:
        rows = snapshots = listed_snapshots(workspace, address)
        text = snapshots_text(str(address), snapshots, screen.style, workspace.document.typed)
    if request.format is Format.JSON:
        screen.json([plain_json(row) for row in rows])
    else:
        screen.show(text)
    return errors.OK


def _rights(request: ShowRequest, screen: Screen) -> int:
    """Show the rights that a document needs; contacts no system."""
    if request.address is not None or request.format not in (Format.TEXT, Format.JSON) or request.reports:
        raise VastplanError("show PATH --rights prints text or JSON of a whole document, without ADDRESS or --report")
    if plan_file.looks_like_plan(request.paths[0]):
        raise VastplanError("show --rights needs a document, not a saved plan: vastplan show PATH --rights")
    rights = document_rights(open_workspace(request.paths, request.connections))
    screen.result(request.format, rights, rights_text(rights))
    return errors.OK


def _action(request: ShowRequest, screen: Screen, address: Address) -> int:
    """Show a saved plan's actions on one object, or on all objects of a composite entry."""
    if request.format is not Format.TEXT or request.reports:
        raise VastplanError("show PLAN ADDRESS prints text; for other formats and --report leave out ADDRESS")
    plan = plan_file.load(request.paths[0])
    screen.show(part_text(plan, actions_at(plan, address), screen.style))
    return errors.OK


def _refuse_format(request: ShowRequest, *, has_budget: bool) -> None:
    endings = {file.suffix for file in request.reports}
    is_drawn = request.format is Format.HTML or bool(request.reports)
    if request.format is Format.MARKDOWN or not endings <= {".html", ".json"} or (is_drawn and not has_budget):
        raise VastplanError(
            "show PATH ADDRESS prints text or JSON, and the budget of a volume with checkpoint as HTML; "
            "other reports need a whole plan"
        )


def _budget(workspace: Workspace, address: Address) -> ShownBudget | None:
    """The checkpoint budget of a volume in the document, `None` if it has none; contacts no system."""
    checked = check_document(workspace, now().date())
    budget = next((budget for budget in checked.budgets if budget.address == str(address)), None)
    findings = tuple(finding for finding in checked.findings if finding.address == str(address))
    if budget is None and not findings:
        return None
    return ShownBudget(str(address), budget, findings, composite_parts(workspace, address))


def _show_budget(request: ShowRequest, screen: Screen, workspace: Workspace, volume: ShownBudget) -> int:
    renderers: dict[str, Callable[[], str]] = {
        Format.HTML.ending: lambda: budget_page(workspace.name, volume),
        Format.JSON.ending: lambda: json_report.dumps(volume),
    }
    if request.format is Format.TEXT:
        screen.show(budget_text(volume, screen.style))
    else:
        screen.rendered(renderers[request.format.ending](), is_json=request.format is Format.JSON)
    return errors.exit_code(output.write(request, screen, renderers))
