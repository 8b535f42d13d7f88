"""The files of `--report`: the ending selects the format; written atomically."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from vastplan import __version__
from vastplan.app.files import plan as plan_file
from vastplan.app.files import read_write
from vastplan.app.here import HERE
from vastplan.app.planning.request import Planned
from vastplan.document.yaml import MAX_BYTES
from vastplan.model import regular_files
from vastplan.model.drift import Drift
from vastplan.model.import_result import Import
from vastplan.model.move_plan import MovePlan
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Plan
from vastplan.model.sensitive import guarded
from vastplan.report import (
    drift_html,
    drift_markdown,
    html,
    html_move,
    imported_markdown,
    json_report,
    markdown,
    prometheus,
    results,
)
from vastplan.report.json_report import Problems, Validation
from vastplan.report.junit import junit
from vastplan.report.results import NOWHERE, Places, Results
from vastplan.report.sarif import sarif

Renderers = dict[str, Callable[[], str]]
_DOCUMENT_NAME = re.compile(rb"""^name:[ \t]*["']?([A-Za-z0-9][\w.-]*)""", re.MULTILINE)


def of_plan(plan: Plan, attached: Sequence[Path] = (), places: Places = NOWHERE) -> Renderers:
    """A plan in every format; `attached` are the other report files, which a comment may refer to for the whole plan."""
    names = [file.name for file in attached if file.suffix not in (".md", ".xml", ".sarif", ".prom")]
    return {
        ".md": lambda: markdown.comment(plan, names),
        ".html": lambda: html.page(plan),
        ".json": lambda: plan_file.dumps(plan),
        ".prom": lambda: prometheus.of_plan(plan),
        **_results(lambda: results.of_plan(plan, places)),
    }


def of_validation(validation: Validation) -> Renderers:
    """The validation of a valid document."""
    return {
        ".json": lambda: json_report.dumps(validation),
        **_results(lambda: results.of_validation(validation)),
    }


def of_drift(drift: Drift, places: Places = NOWHERE) -> Renderers:
    """A drift check in every format."""
    return {
        ".md": lambda: drift_markdown.comment(drift),
        ".html": lambda: drift_html.page(drift),
        ".json": lambda: json_report.dumps(drift),
        ".prom": lambda: prometheus.of_drift(drift),
        **_results(lambda: results.of_drift(drift, places)),
    }


def of_import(result: Import) -> Renderers:
    """The result of an import: what it wrote and what it left out."""
    return {".md": lambda: imported_markdown.comment(result), ".json": lambda: json_report.dumps(result)}


def of_move(plan: MovePlan, command: str) -> Renderers:
    """A planned move, with the command that carries it out."""
    return {".html": lambda: html_move.move_page(plan, command)}


def of_receipt(plan: Plan, receipt: Receipt, places: Places) -> Renderers:
    """The result of an apply."""
    return {
        ".json": lambda: json_report.dumps(json_report.applied(receipt)),
        **_results(lambda: results.of_receipt(plan, receipt, places)),
    }


def of_problems(command: str, paths: Sequence[Path], problems: Problems) -> Renderers:
    """The problems of a command that stopped. Without figures there is no `.prom`: an old one stays, and its age can be seen."""
    name = document_name(paths)
    return {
        ".md": lambda: markdown.problems(name, problems),
        ".html": lambda: html.problems(name, problems),
        ".json": lambda: json_report.dumps(problems),
        **_results(lambda: results.of_problems(command, name, problems)),
    }


def places(planned: Planned) -> Places:
    """The place in the document of each address's entry, for reports that show a result on its line."""
    return {str(entry.address): entry.where for entry in planned.entries}


def _results(results: Callable[[], Results]) -> Renderers:
    """The formats of build servers and code reviews."""
    return {".xml": lambda: junit(results()), ".sarif": lambda: sarif(results(), __version__, Path.cwd())}


def document_name(paths: Sequence[Path]) -> str:
    """The name of a document that may be invalid, so that its earlier comment is found; the path's stem if it has no name."""
    for path in paths or (HERE,):
        files = sorted([*path.glob("*.yaml"), *path.glob("*.yml")]) if path.is_dir() else [path]
        for file in files:
            try:
                name = _DOCUMENT_NAME.search(regular_files.read_regular(file, MAX_BYTES, follow=False))
            except OSError:
                continue
            if name:
                return name[1].decode()
    return (paths[0] if paths else HERE).absolute().stem


def write(paths: Iterable[Path], renderers: Renderers) -> list[Path]:
    """Write each file in the format of its ending and return those written. Raises `VastplanError`."""
    written = []
    for file in paths:
        if file.suffix in renderers:
            # Atomic, because a collector may read at any time. The umask decides the mode: a report holds no secret.
            read_write.write(file, guarded(renderers[file.suffix]()).encode(), f"the report {file}", mode=None)
            written.append(file)
    return written
