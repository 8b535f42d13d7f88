"""The command that shows: a saved plan, one object of a document, or the checkpoint budget of one of its volumes."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from vastplan.app import checks, ledger, plan_file, reports
from vastplan.app.clock import now
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import reporting
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.report import drift as drift_report
from vastplan.report import json_report
from vastplan.report.budgets import budget_text
from vastplan.report.html_budget import budget_page
from vastplan.report.json_report import ShownBudget


def show(words: argparse.Namespace, screen: Screen) -> int:
    """A saved plan, or one object."""
    if words.address is None:
        reporting.show_plan(words, screen, plan_file.load(words.paths[0]), words.paths)
        return errors.OK
    try:
        address = Address.parse(words.address)
    except ValueError as problem:
        raise VastplanError(str(problem)) from None
    files = {file.suffix for file in words.report}
    if words.format == "markdown" or not files <= {".html", ".json"} or (address.kind != "volume" and _drawn(words)):
        raise VastplanError(
            "show PATH ADDRESS prints text or JSON, and the budget of a volume with checkpoint as HTML; "
            "the other reports are of a whole plan"
        )
    workspace = open_workspace(words.paths, words.connections)
    if address.kind == "volume":
        return _budget(words, screen, workspace, address)
    found = ledger.describe(workspace, address)
    if words.format == "json":
        screen.machine(json_report.shown(found))
    else:
        screen.show(drift_report.object_text(found, screen.style))
    return errors.OK


def _drawn(words: argparse.Namespace) -> bool:
    return words.format == "html" or bool(words.report)


def _budget(words: argparse.Namespace, screen: Screen, workspace: Workspace, address: Address) -> int:
    """What the document says of a volume's checkpoints; no system is asked."""
    checked = checks.offline(workspace, now().date())
    budget = next((one for one in checked.budgets if one.address == str(address)), None)
    findings = tuple(one for one in checked.findings if one.address == str(address))
    if budget is None and not findings:
        known = ", ".join(one.address for one in checked.budgets[:6])
        hint = f"; those with one: {known}" if known else ""
        raise VastplanError(f"{address} has no budget: a volume of the document with checkpoint has one{hint}")
    told = ShownBudget(str(address), budget, findings)
    renderers: dict[str, Callable[[], str]] = {
        ".html": lambda: budget_page(workspace.name, told),
        ".json": lambda: json_report.dumps(told),
    }
    if words.format == "text":
        screen.show(budget_text(told, screen.style))
    else:
        screen.show(renderers[f".{words.format}"]())
    for file in reports.write(words.report, renderers):
        screen.progress(f"wrote {file}")
    return errors.OK
