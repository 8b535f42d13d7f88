"""Drift as one comment or issue, within the limit of a code host, with a marker of its own to update it in place."""

from __future__ import annotations

from vastplan.model.drift import Drift, DriftedObject, Gone, IgnoredDrift, UnmanagedObject
from vastplan.report import view
from vastplan.report.drift import controller_owned, other_documents, share_managed
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
from vastplan.report.markdown_escape import code_span, prose, summary_code
from vastplan.report.markdown_page import LIMIT, Page, bullets, findings_list, head, section, unknown_section
from vastplan.report.markdown_proofs import isolation_part, two_site_lines
from vastplan.report.replication import TITLE
from vastplan.report.values import author_text, counted
from vastplan.report.view import FieldView

_FOOT = 2_000  # characters kept free for the end
_FULL = 0.85  # of the limit: beyond it objects are only counted, to leave room for what follows
_SHOWN, _SHOWN_FIELDS = 60, 40


def drift_comment(drift: Drift) -> str:
    """The check as a comment. Never longer than `LIMIT`."""
    summary, page = view.drift_view(drift), Page(LIMIT - _FOOT, "`vastplan drift --format json`")
    page.add(head(summary))
    page.add_lines(findings_list(summary.findings))
    page.add_lines(unknown_section(summary.unknown, UNKNOWN))
    left = _moved(page, drift)
    if left:
        page.add(f"\n- and {counted(left, 'object')} that did not fit; `--format json` has all\n")
    rest = (
        section(prose(gone_title(drift)), drift.gone, _gone, _SHOWN),
        section(TITLE, two_site_lines(drift.replications), str, _SHOWN),
        section(unmanaged_title(drift), drift.strangers(), _unmanaged, _SHOWN),
        _coverage(drift),
        section(IGNORED, drift.ignored, _ignored, _SHOWN),
    )
    page.add_lines("".join(isolation_part(drift.isolation, drift.tried)))
    for part in rest:
        page.add_lines(part)
    return page.text() + f"\nChecked {code_span(drift.checked, 40)}.\n"


def _moved(page: Page, drift: Drift) -> int:
    """Add the objects that changed. Returns how many did not fit."""
    left = 0
    for title, objects in drift_groups(drift):
        page.add(f"\n#### {title} ({len(objects):,})\n\n")
        left += sum(page.used > _FULL * LIMIT or not page.add(_object(drifted)) for drifted in objects)
    return left


def _object(drifted: DriftedObject) -> str:
    lines = [f"- Last applied {code_span(drifted.since, 40)}\n"] if drifted.since else []
    if drifted.what in view.AS_A_WHOLE and drifted.author is not None:
        lines.append(f"- {prose(author_text(drifted.author), 600)}\n")
    lines += [f"- {_field(view.of_drifted(field))}\n" for field in drifted.fields[:_SHOWN_FIELDS]]
    if len(drifted.fields) > _SHOWN_FIELDS:
        lines.append(f"- and {len(drifted.fields) - _SHOWN_FIELDS} more fields\n")
    return f"<details open><summary>{summary_code(drifted.address, 300)}</summary>\n\n{''.join(lines)}\n</details>\n"


def _sides(field: FieldView) -> str:
    return f"{code_span(field.path)} {field.found(code_span)}"


def _field(field: FieldView) -> str:
    author = f": {prose(field.author, 600)}" if field.author else ""
    return f"{_sides(field)} ({field.cause}){author}"


def _gone(gone: Gone) -> str:
    return f"{code_span(gone.address)}{f' {code_span(gone.path)}' if gone.path else ''}: {prose(gone.state)}"


def _unmanaged(stranger: UnmanagedObject) -> str:
    return f"{code_span(f'{stranger.site}/{stranger.kind}')} {code_span(stranger.name, 120)}"


def _coverage(drift: Drift) -> str:
    partial, full = partial_coverage(drift), full_coverage(drift)
    rows = [f"{code_span(f'{coverage.site}/{coverage.kind}')}: {share_managed(coverage)}" for coverage in partial]
    by_controller = [
        f"- Created by {prose(by, 60)}, and not counted: {counted(count, 'object')}\n"
        for by, count in controller_owned(drift)[:_SHOWN]
    ]
    by_document = [
        f"- Managed by the document {code_span(document, 60)}, and not counted: {counted(count, 'object')}\n"
        for document, count in other_documents(drift)[:_SHOWN]
    ]
    more = f"- and {len(rows) - _SHOWN} more kinds\n" if len(rows) > _SHOWN else ""
    others = "".join((f"- {full}\n" if full else "", *by_document, *by_controller))
    listed = bullets(rows[:_SHOWN], str, _SHOWN) + more + others
    return f"\n#### {COVERAGE}{f' ({len(rows):,})' if rows else ''}\n\n{listed}" if listed else ""


def _ignored(ignored: IgnoredDrift) -> str:
    state = _sides(view.of_ignored(ignored)) if ignored.path else "is gone"
    until = f" (until {code_span(ignored.until, 20)})" if ignored.until else ""
    return f"{code_span(ignored.address)} {state}: {prose(ignored.reason)}{until}"
