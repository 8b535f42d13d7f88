"""`vastplan validate`: checks a document without a network, and shows the catalogue of checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vastplan.app import checks, reports
from vastplan.app.clock import now
from vastplan.app.validate import Checked, check_document
from vastplan.app.workspace import open_workspace
from vastplan.cli import output
from vastplan.cli.request import Format
from vastplan.cli.requests.validate import ValidateRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.finding import Severity
from vastplan.model.wording import counted

if TYPE_CHECKING:
    from vastplan.report.json_report import Validation


def run(request: ValidateRequest, screen: Screen) -> int:
    """Check a document without a network."""
    if request.list_checks or request.explain:
        return _explain(request, screen)
    workspace = open_workspace(request.paths, request.connections)
    checked = check_document(workspace, now().date())
    faults = [finding for finding in checked.findings if finding.severity is Severity.ERROR]
    conditions = (
        output.write(request, screen, reports.validation_renderers(_validation(workspace.name, checked)))
        if request.reports
        else set()
    )
    if request.format is Format.JSON:
        screen.machine(_validation(workspace.name, checked))
    else:
        screen.findings(checked.findings)
        result = f"has {counted(len(faults), 'error')}" if faults else "is valid"
        screen.show(
            f"{workspace.name} {result}: {counted(checked.objects, 'object')} of {counted(checked.kinds, 'kind')} "
            f"on {counted(checked.sites, 'site')}."
        )
        _show_more(request, screen, checked)
    conditions |= {errors.BLOCKED if finding.checked else errors.ERROR for finding in faults}
    if request.isolation and checks.projects_meet(checked.findings):
        conditions.add(errors.BLOCKED)
    return errors.exit_code(conditions)


def _show_more(request: ValidateRequest, screen: Screen, checked: Checked) -> None:
    """Show what few documents have, or few people ask for."""
    if checked.budgets:
        from vastplan.report.budgets import budget_lines

        screen.show("\n".join(budget_lines(checked.budgets, screen.style)))
    if request.commitments:
        from vastplan.report.commitments import commitments_text

        screen.show(commitments_text(checked.commitments, screen.style))
    if request.isolation:
        from vastplan.report.isolation import isolation_text

        screen.show(isolation_text(checked.isolation, screen.style, of="the document"))


def _validation(name: str, checked: Checked) -> Validation:
    from vastplan.report import json_report

    return json_report.Validation(
        name, checked.objects, checked.findings, checked.isolation, checked.commitments, checked.budgets
    )


def _explain(request: ValidateRequest, screen: Screen) -> int:
    """Show the catalogue of checks, or one check in full."""
    from vastplan.report import json_report
    from vastplan.report.checks import check_list, check_text

    chosen = checks.known_checks(request.explain)
    text = check_text(chosen[0], screen.style) if request.explain else check_list(chosen, screen.style)
    screen.result(request.format, json_report.KnownChecks(chosen), text)
    return errors.OK
