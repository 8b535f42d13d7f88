"""What `--report` and `--format` write and print beside a command's own text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from vastplan.app import reports
from vastplan.cli.request import Format, PlanRequest, Request, ShowRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Plan
from vastplan.report.json_report import Problems
from vastplan.report.large import unmet
from vastplan.report.results import NOWHERE, Places
from vastplan.report.text import plan_text


def write(request: Request, screen: Screen, renderers: reports.Renderers) -> set[int]:
    """Write the files that were asked for; the exit codes that this makes hold.

    What a command found is told whatever becomes of its reports, and one value is printed: a file that cannot be written is
    said on standard error.
    """
    try:
        for file in reports.write(request.reports, renderers):
            screen.progress(f"wrote {file}")
    except VastplanError as problem:
        screen.error(str(problem))
        return {errors.ERROR}
    return set()


def problems(request: Request, screen: Screen, problems: Problems) -> None:
    """Write the reports of a command that could not go on; what cannot be written is only said."""
    write(request, screen, reports.of_problems(request.command, request.paths, problems))


def show_plan(
    request: PlanRequest | ShowRequest, screen: Screen, plan: Plan, files: Iterable[Path], places: Places = NOWHERE
) -> set[int]:
    """Print a plan in the format that was asked for, and write its reports, as `write` does; `files` hold it already."""
    renderers = reports.of_plan(plan, [*request.reports, *files], places)
    if request.format is Format.TEXT:
        plan_as_text(screen, plan, request.expand)
    else:
        screen.rendered(renderers[request.format.ending](), is_json=request.format is Format.JSON)
    return write(request, screen, renderers)


def plan_as_text(screen: Screen, plan: Plan, expand: Sequence[str]) -> None:
    """Print a plan for people: all of it into a file, and of a long one to a terminal in full what `expand` names."""
    screen.show(plan_text(plan, screen.style, expand=expand, whole=screen.into_file))
    for pattern in unmet(plan, expand):
        screen.progress(f"--expand {pattern}: no change of this plan has such an address")
