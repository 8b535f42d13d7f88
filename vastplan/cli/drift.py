"""`vastplan drift`: what moved behind our back, what nobody manages, and taking what was moved into the document."""

from __future__ import annotations

import argparse

from vastplan.app import accept, checks, flows, reports
from vastplan.app import drift as drift_check
from vastplan.app.clock import now
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import reporting
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.drift import Drift, compared
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Severity
from vastplan.report import drift as drift_report
from vastplan.report.isolation import isolation_text


def drift(words: argparse.Namespace, screen: Screen) -> int:
    """Look, compare with an earlier look where one is given, and print."""
    workspace = open_workspace(words.paths, words.connections)
    if words.accept:
        return _accept(words, screen, workspace)
    earlier = drift_check.load(words.since, workspace.name) if words.since else None
    planned = flows.make_plan(workspace, flows.Options(workspace.chosen(words.site), prove=words.isolation))
    found = drift_check.drifted(planned, workspace)
    if earlier is not None:
        found = compared(found, earlier)
    renderers = reports.of_drift(found, reports.places(planned))
    reporting.write(words, screen, renderers)
    ending = reporting.ENDING.get(words.format)
    screen.show(renderers[ending]() if ending else drift_report.text(found, screen.style))
    if words.isolation and not ending:
        screen.show(isolation_text(found.isolation, screen.style, of="the live state"))
    return errors.exit_code(_conditions(found) | _unproven(workspace, found))


def _unproven(workspace: Workspace, found: Drift) -> set[int]:
    """What `--isolation` found: nothing when it was not asked for."""
    if any(one.unknown for one in found.isolation):
        return {errors.INCOMPLETE}
    return {errors.BLOCKED} if checks.live_meetings(workspace, found.isolation, now().date()) else set()


def _conditions(found: Drift) -> set[int]:
    """What is new counts; what a system that is down hides is neither drift nor gone."""
    conditions = {errors.CHANGES} if found.news() else set()
    if found.unknown:
        conditions.add(errors.INCOMPLETE)
    wrong = [one for one in found.findings if one.severity is Severity.ERROR]
    conditions |= {errors.BLOCKED if one.checked else errors.ERROR for one in wrong}
    return conditions


def _accept(words: argparse.Namespace, screen: Screen, workspace: Workspace) -> int:
    if words.since or words.report or words.format != "text":
        raise VastplanError("--accept changes the document and prints what it wrote; run drift again for a report")
    planned = flows.make_plan(workspace, flows.Options(workspace.chosen(words.site)))
    found = drift_check.drifted(planned, workspace)
    for one in accept.accept(words.paths, words.connections, planned, found, words.accept):
        screen.show(f"{one.where}: {one.address} {one.path} is now {one.shown}")
    return errors.OK
