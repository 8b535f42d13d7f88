"""Drift as a self-contained page: what changed and who changed it, what nobody manages, what is ignored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vastplan.model.drift import Drift, DriftedObject
from vastplan.report import view
from vastplan.report.drift import controller_owned, ignored_words, other_documents
from vastplan.report.drift_groups import (
    COVERAGE,
    IGNORED,
    UNKNOWN,
    drift_groups,
    full_coverage,
    gone_title,
    partial_coverage,
    unmanaged_title,
)
from vastplan.report.html_escape import HOLE, Html, HtmlTemplate, code_html, joined, tag
from vastplan.report.html_page import checks, document, header, html_table, notes, unknown_table
from vastplan.report.html_proofs import isolation_sections, two_site_section
from vastplan.report.html_style import STYLE
from vastplan.report.replication import TITLE
from vastplan.report.values import author_text, counted

_SHOWN = 2_000  # rows of a table; a page that takes longer to open than to read helps nobody


def drift_page(drift: Drift) -> str:
    """The whole check as one HTML document."""
    summary = view.drift_view(drift)
    strangers = drift.strangers()
    gone = [
        tag("li", code_html(gone.address), f" {gone.path}: {gone.state}" if gone.path else f": {gone.state}")
        for gone in drift.gone
    ]
    ignored = [
        tag("li", code_html(ignored.address), f" {ignored.path}" if ignored.path else "", ignored_words(ignored))
        for ignored in drift.ignored
    ]
    by_controller = [tag("li", f"{by}: {counted(count, 'object')}") for by, count in controller_owned(drift)]
    by_document = [tag("li", f"{document}: {counted(count, 'object')}") for document, count in other_documents(drift)]
    columns = ("Object", *_COLUMNS)
    unmanaged = [_STRANGER.fill(stranger.name, stranger.kind, stranger.site) for stranger in strangers]
    coverage = [
        _COVERAGE.fill(covered.kind, covered.site, covered.managed, covered.unmanaged, f"{covered.percent} %")
        for covered in partial_coverage(drift)
    ]
    full = full_coverage(drift)
    moved = (
        _section(title, columns, [row for drifted in objects for row in _rows(drifted)], len(objects))
        for title, objects in drift_groups(drift)
    )
    main = [
        checks(summary.findings),
        unknown_table(summary.unknown, UNKNOWN),
        *isolation_sections(drift.isolation, drift.tried),
        *moved,
        joined(tag("h2", TITLE), two_site_section(drift.replications, drift.checked)) if drift.replications else "",
        notes(gone_title(drift), gone),
        _section(unmanaged_title(drift), ("Object", "Kind", "Site"), unmanaged, len(unmanaged)),
        _section(COVERAGE, ("Kind", "Site", "Managed", "Nobody's", "Coverage"), coverage, len(coverage)),
        tag("p", full) if full else "",
        notes("Managed by another document, and not counted", by_document),
        notes("Created by a driver or a system for itself, and not counted", by_controller),
        notes(IGNORED, ignored),
    ]
    foot = tag("footer", f"Checked {drift.checked}.")
    return document(f"{summary.title}: {drift.document}", STYLE, [header(summary), tag("main", *main, id="main"), foot])


_OBJECT = HtmlTemplate(tag("th", code_html(HOLE), HOLE, scope="row"))
_SINCE = HtmlTemplate(tag("span", HOLE, class_="kind"))
_COLUMNS = ("Field", "Live", "Applied", "Which side", "Who")
_FIELD = HtmlTemplate(
    tag(
        "tr",
        HOLE,
        *(tag("td", code_html(HOLE), data_label=name) for name in _COLUMNS[:3]),
        *(tag("td", HOLE, data_label=name) for name in _COLUMNS[3:]),
    )
)
_WHOLE = HtmlTemplate(
    tag(
        "tr",
        HOLE,
        *(
            tag("td", cell, data_label=name)
            for name, cell in zip(_COLUMNS, ("all of it", HOLE, "", HOLE, HOLE), strict=True)
        ),
    )
)
_STRANGER = HtmlTemplate(
    tag("tr", tag("th", code_html(HOLE), scope="row"), tag("td", code_html(HOLE)), tag("td", code_html(HOLE)))
)
_COVERAGE = HtmlTemplate(
    tag("tr", tag("th", code_html(HOLE), scope="row"), tag("td", code_html(HOLE)), *(tag("td", HOLE) for _ in range(3)))
)


def _rows(moved: DriftedObject) -> Iterator[Html]:
    name = _OBJECT.fill(moved.address, _SINCE.fill(f"last applied {moved.since}") if moved.since else "")
    if moved.what in view.AS_A_WHOLE:
        yield _WHOLE.fill(name, moved.what, view.AS_A_WHOLE[moved.what], author_text(moved.author))
        return
    for field in map(view.of_drifted, moved.fields):
        cause = f"{field.cause}: {field.items.found(field.other)}" if field.items else field.cause
        yield _FIELD.fill(name, field.path, field.after, field.applied, cause, field.author)


def _section(title: str, names: Iterable[str], rows: Sequence[Html], count: int) -> Html:
    if not rows:
        return Html("")
    more = tag("p", f"and {len(rows) - _SHOWN} more rows; the JSON has all") if len(rows) > _SHOWN else ""
    return joined(tag("h2", f"{title} ({count})"), html_table(names, rows[:_SHOWN], style="plan", label=title), more)
