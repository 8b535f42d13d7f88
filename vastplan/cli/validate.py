"""The command that needs no network: the document, its checks, and the catalogue of checks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from vastplan.app import checks, reports
from vastplan.app.clock import now
from vastplan.app.workspace import open_workspace
from vastplan.cli import reporting
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity
from vastplan.report import json_report
from vastplan.report.budgets import budget_lines
from vastplan.report.checks import check_list, check_text
from vastplan.report.commitments import commitments_text
from vastplan.report.isolation import isolation_text
from vastplan.report.values import counted


def validate(words: argparse.Namespace, screen: Screen) -> int:
    """Everything that can be known without a network."""
    if words.list_checks or words.explain:
        return _explain(words, screen)
    if not words.paths:
        raise VastplanError("validate needs a document: vastplan validate PATH")
    workspace = open_workspace(words.paths, words.connections)
    checked = checks.offline(workspace, now().date())
    wrong = sum(one.severity is Severity.ERROR for one in checked.findings)
    told = json_report.Validation(
        workspace.name,
        checked.objects,
        checked.findings,
        checked.isolation,
        checked.commitments,
        checked.budgets,
    )
    reporting.write(words, screen, reports.of_validation(told))
    if words.format == "json":
        screen.machine(told)
    else:
        screen.findings(checked.findings)
        said = f"has {counted(wrong, 'error')}" if wrong else "is valid"
        screen.show(
            f"{workspace.name} {said}: {checked.objects} objects of {checked.kinds} kinds on {checked.sites} sites."
        )
        told_budgets = "\n".join(budget_lines(checked.budgets, screen.style))
        if told_budgets:
            screen.show(told_budgets)
        if words.commitments:
            screen.show(commitments_text(checked.commitments, screen.style))
        if words.isolation:
            screen.show(isolation_text(checked.isolation, screen.style, of="the document"))
    unproven = words.isolation and met(checked.findings)
    return errors.exit_code({errors.ERROR} if wrong else {errors.BLOCKED} if unproven else set())


def met(findings: Iterable[Finding]) -> bool:
    """Whether projects meet, or may, where no waiver says that they may."""
    return any(one.code.startswith("ISO-") and not one.waived for one in findings)


def _explain(words: argparse.Namespace, screen: Screen) -> int:
    """The checks themselves: all of them, or one in full."""
    shown = checks.known(words.explain) if words.explain else checks.known()
    if words.format == "json":
        screen.machine(json_report.KnownChecks(shown))
    else:
        screen.show(check_text(shown[0], screen.style) if words.explain else check_list(shown, screen.style))
    return errors.OK
