"""The files that `--report` asks for: which format by the ending, refused before anything is read, written whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from vastplan import __version__
from vastplan.app import files, plan_file
from vastplan.app.flows import Planned
from vastplan.model.drift import Drift
from vastplan.model.errors import VastplanError
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Plan
from vastplan.report import drift_html, drift_markdown, html, json_report, markdown, prometheus, results
from vastplan.report.json_report import Problems, Validation
from vastplan.report.junit import junit
from vastplan.report.results import NOWHERE, Places, Results
from vastplan.report.sarif import sarif

ENDINGS = (".md", ".html", ".json", ".xml", ".sarif", ".prom")
OF_COMMAND: Mapping[str, tuple[str, ...]] = {
    "validate": (".json", ".xml", ".sarif"),
    "plan": ENDINGS,
    "show": ENDINGS,
    "apply": (".json", ".xml", ".sarif"),
    "drift": ENDINGS,
}
Renderers = dict[str, Callable[[], str]]
_NAME = re.compile(rb"""^name:[ \t]*["']?([A-Za-z0-9][\w.-]*)""", re.MULTILINE)


def refuse_unknown(command: str, files: Iterable[Path]) -> None:
    """Raises `VastplanError` for a file whose ending names no format that the command writes."""
    known = OF_COMMAND.get(command, ())
    for file in files:
        if file.suffix not in known:
            raise VastplanError(f"--report {file}: {command} writes {', '.join(known)}; the ending says which")


def of_plan(plan: Plan, attached: Sequence[Path] = (), places: Places = NOWHERE) -> Renderers:
    """A plan in every format; `attached` are the files beside a comment that hold all of it."""
    names = [file.name for file in attached if file.suffix not in (".md", ".xml", ".sarif", ".prom")]
    return {
        ".md": lambda: markdown.comment(plan, names),
        ".html": lambda: html.page(plan),
        ".json": lambda: plan_file.dumps(plan),
        ".prom": lambda: prometheus.of_plan(plan),
        **_tests(lambda: results.of_plan(plan, places)),
    }


def of_validation(found: Validation) -> Renderers:
    """A valid document."""
    return {".json": lambda: json_report.dumps(found), **_tests(lambda: results.of_validation(found))}


def of_drift(found: Drift, places: Places = NOWHERE) -> Renderers:
    """What moved behind our back."""
    return {
        ".md": lambda: drift_markdown.comment(found),
        ".html": lambda: drift_html.page(found),
        ".json": lambda: json_report.dumps(found),
        ".prom": lambda: prometheus.of_drift(found),
        **_tests(lambda: results.of_drift(found, places)),
    }


def of_receipt(plan: Plan, receipt: Receipt, places: Places) -> Renderers:
    """How an apply ended."""
    return {
        ".json": lambda: json_report.dumps(json_report.applied(receipt)),
        **_tests(lambda: results.of_receipt(plan, receipt, places)),
    }


def of_problems(command: str, paths: Sequence[Path], found: Problems) -> Renderers:
    """A command that could not go on. There are no figures then: a `.prom` of before grows old, which can be seen."""
    name = document_name(paths)
    return {
        ".md": lambda: markdown.problems(name, found),
        ".html": lambda: html.problems(name, found),
        ".json": lambda: json_report.dumps(found),
        **_tests(lambda: results.of_problems(command, name, found)),
    }


def places(planned: Planned) -> Places:
    """Where the entry of each address stands, for reports that show a result on its line."""
    return {str(entry.address): entry.where for entry in planned.entries}


def _tests(found: Callable[[], Results]) -> Renderers:
    return {".xml": lambda: junit(found()), ".sarif": lambda: sarif(found(), __version__, Path.cwd())}


def document_name(paths: Sequence[Path]) -> str:
    """The name of a document that may be too broken to be read, so that its comment is found again; else the path's own."""
    for path in paths:
        files = sorted([*path.glob("*.yaml"), *path.glob("*.yml")]) if path.is_dir() else [path]
        for file in files:
            try:
                found = _NAME.search(file.read_bytes())
            except OSError:
                continue
            if found:
                return found[1].decode()
    return paths[0].stem if paths else ""


def write(paths: Iterable[Path], renderers: Renderers) -> list[Path]:
    """Write each file in the format of its ending; answers those written. Raises `VastplanError` where that fails."""
    written = []
    for file in paths:
        if file.suffix in renderers:
            # A collector may read at any time. Readable as the umask says: a report holds no secret.
            files.write(file, renderers[file.suffix]().encode(), f"the report {file}", mode=None)
            written.append(file)
    return written
