"""The files of `--report`: the ending selects the format; written atomically."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vastplan import __version__
from vastplan.app.current_folder import HERE
from vastplan.app.files import read_write
from vastplan.document.yaml import MAX_BYTES
from vastplan.model import regular_files
from vastplan.model.finding import NOWHERE, Places
from vastplan.model.sensitive import guarded

if TYPE_CHECKING:  # a report is a part of vastplan that is loaded when somebody asks for its file
    from vastplan.app.planning.request import Planned
    from vastplan.model.drift import Drift
    from vastplan.model.import_result import Import
    from vastplan.model.move_plan import MovePlan
    from vastplan.model.outcome import Receipt
    from vastplan.model.plan import Plan
    from vastplan.report.json_report import Printed, Problems, Validation
    from vastplan.report.results import Results

Renderers = dict[str, Callable[[], str]]
_DOCUMENT_NAME = re.compile(rb"""^name:[ \t]*["']?([A-Za-z0-9][\w.-]*)""", re.MULTILINE)


def plan_renderers(plan: Plan, attached: Sequence[Path] = ()) -> Renderers:
    """A plan in every format; `attached` are the other report files, which a comment may refer to for the whole plan."""
    names = [file.name for file in attached if file.suffix not in (".md", ".xml", ".sarif", ".prom")]

    def comment() -> str:
        from vastplan.report import markdown

        return markdown.plan_comment(plan, names)

    def page() -> str:
        from vastplan.report import html

        return html.plan_page(plan)

    def saved() -> str:
        from vastplan.app.files import plan as plan_file

        return plan_file.dumps(plan)

    def figures() -> str:
        from vastplan.report import prometheus

        return prometheus.plan_figures(plan)

    def rows() -> Results:
        from vastplan.report import results

        return results.plan_results(plan)

    return {
        ".md": comment,
        ".html": page,
        ".json": saved,
        ".prom": figures,
        **_results(rows),
    }


def validation_renderers(validation: Validation) -> Renderers:
    """The validation of a valid document."""

    def rows() -> Results:
        from vastplan.report import results

        return results.validation_results(validation)

    return {".json": _json(lambda: validation), **_results(rows)}


def drift_renderers(drift: Drift, places: Places = NOWHERE) -> Renderers:
    """A drift check in every format."""

    def comment() -> str:
        from vastplan.report import drift_markdown

        return drift_markdown.drift_comment(drift)

    def page() -> str:
        from vastplan.report import drift_html

        return drift_html.drift_page(drift)

    def figures() -> str:
        from vastplan.report import prometheus

        return prometheus.drift_figures(drift)

    def rows() -> Results:
        from vastplan.report import results

        return results.drift_results(drift, places)

    return {
        ".md": comment,
        ".html": page,
        ".json": _json(lambda: drift),
        ".prom": figures,
        **_results(rows),
    }


def of_import(result: Import) -> Renderers:
    """The result of an import: what it wrote and what it left out."""

    def comment() -> str:
        from vastplan.report import import_markdown

        return import_markdown.import_comment(result)

    return {".md": comment, ".json": _json(lambda: result)}


def of_move(plan: MovePlan, command: str) -> Renderers:
    """A planned move, with the command that carries it out."""

    def page() -> str:
        from vastplan.report import html_move

        return html_move.move_page(plan, command)

    return {".html": page}


def receipt_renderers(plan: Plan, receipt: Receipt) -> Renderers:
    """The result of an apply."""

    def applied() -> Printed:
        from vastplan.report import json_report

        return json_report.apply_report(receipt)

    def rows() -> Results:
        from vastplan.report import results

        return results.receipt_results(plan, receipt)

    return {".json": _json(applied), **_results(rows)}


def problem_renderers(command: str, paths: Sequence[Path], problems: Problems) -> Renderers:
    """The problems of a command that stopped. Without figures there is no `.prom`: an old one stays, and its age can be seen."""
    name = document_name(paths)

    def comment() -> str:
        from vastplan.report import markdown

        return markdown.problems_comment(name, problems)

    def page() -> str:
        from vastplan.report import html

        return html.problems_page(name, problems)

    def rows() -> Results:
        from vastplan.report import results

        return results.problem_results(command, name, problems)

    return {
        ".md": comment,
        ".html": page,
        ".json": _json(lambda: problems),
        **_results(rows),
    }


def entry_places(planned: Planned) -> Places:
    """The place in the document of each address's entry, for reports that show a result on its line."""
    return {str(entry.address): entry.where for entry in planned.entries}


def _json(value: Callable[[], Printed]) -> Callable[[], str]:
    def text() -> str:
        from vastplan.report import json_report

        return json_report.dumps(value())

    return text


def _results(rows: Callable[[], Results]) -> Renderers:
    """The formats of build servers and code reviews."""

    def cases() -> str:
        from vastplan.report.junit import junit

        return junit(rows())

    def alerts() -> str:
        from vastplan.report.sarif import sarif

        return sarif(rows(), __version__, Path.cwd())

    return {".xml": cases, ".sarif": alerts}


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


def write_reports(paths: Iterable[Path], renderers: Renderers) -> list[Path]:
    """Write each file in the format of its ending and return those written. Raises `VastplanError`."""
    written = []
    for file in paths:
        if file.suffix in renderers:
            # Atomic, because a collector may read at any time. The umask decides the mode: a report holds no secret.
            read_write.write_file(file, guarded(renderers[file.suffix]()).encode(), f"the report {file}", mode=None)
            written.append(file)
    return written
