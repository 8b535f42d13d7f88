"""Prints a result in the format of `--format`, and writes the files of `--report`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vastplan.app import reports
from vastplan.cli.request import Format, Request
from vastplan.cli.requests.plan import PlanRequest
from vastplan.cli.requests.show import ShowRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Plan

if TYPE_CHECKING:
    from vastplan.report.json_report import Problems


def write(request: Request, screen: Screen, renderers: reports.Renderers) -> set[int]:
    """Write the report files and return the conditions for the exit code: `ERROR` if a file cannot be written.

    A file that cannot be written is reported on standard error and does not stop the command, whose result is still printed.
    """
    try:
        for file in reports.write_reports(request.reports, renderers):
            screen.progress(f"wrote {file}")
    except VastplanError as problem:
        screen.error(str(problem))
        return {errors.ERROR}
    return set()


def problems(request: Request, screen: Screen, problems: Problems) -> None:
    """Write the reports of a command that stopped; a file that cannot be written is only reported."""
    write(request, screen, reports.problem_renderers(request.command, request.paths, problems))


def show_plan(request: PlanRequest | ShowRequest, screen: Screen, plan: Plan, files: Iterable[Path]) -> set[int]:
    """Print a plan in the requested format, and write its reports like `write`; `files` contain the plan already."""
    renderers = reports.plan_renderers(plan, [*request.reports, *files])
    if request.format is Format.TEXT:
        plan_as_text(screen, plan, request.expand)
    else:
        screen.rendered(renderers[request.format.ending](), is_json=request.format is Format.JSON)
    return write(request, screen, renderers)


def plan_as_text(screen: Screen, plan: Plan, expand: Sequence[str]) -> None:
    """Print a plan for people. Into a file everything is shown in full; a long plan is folded except for what `expand` names."""
    from vastplan.report.long_plan import unmatched_patterns
    from vastplan.report.text import plan_text

    screen.show(plan_text(plan, screen.style, expand=expand, whole=screen.into_file))
    for pattern in unmatched_patterns(plan, expand):
        screen.progress(f"--expand {pattern}: no change of this plan has such an address")
