"""What `--report` and `--format` write and print beside a command's own text."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from vastplan.app import reports
from vastplan.cli.screen import Screen
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Plan
from vastplan.report.json_report import Problems
from vastplan.report.results import NOWHERE, Places
from vastplan.report.text import plan_text

ENDING = {"json": ".json", "markdown": ".md", "html": ".html"}


def check(words: argparse.Namespace) -> None:
    """Refuse a report that the command does not write, before it reads or changes anything."""
    files, words.report = getattr(words, "report", []), []
    reports.refuse_unknown(words.command, files)
    words.report = files


def write(words: argparse.Namespace, screen: Screen, renderers: reports.Renderers) -> None:
    """Write the files that were asked for."""
    for file in reports.write(words.report, renderers):
        screen.progress(f"wrote {file}")


def problems(words: argparse.Namespace, screen: Screen, found: Problems) -> None:
    """Write the reports of a command that could not go on; what cannot be written is only said."""
    try:
        write(words, screen, reports.of_problems(words.command, words.paths, found))
    except VastplanError as problem:
        screen.error(str(problem))


def show_plan(
    words: argparse.Namespace, screen: Screen, made: Plan, files: Iterable[Path], places: Places = NOWHERE
) -> None:
    """Print a plan in the format that was asked for; `files` hold it already."""
    found = reports.of_plan(made, [*words.report, *files], places)
    ending = ENDING.get(words.format)
    screen.show(found[ending]() if ending else plan_text(made, screen.style))
    write(words, screen, found)
