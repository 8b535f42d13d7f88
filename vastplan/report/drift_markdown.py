"""Drift as one comment or issue, below what a code host takes, with a marker of its own to update it in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from vastplan.model.drift import Drift, DriftedField, DriftedObject
from vastplan.model.escaping import inert
from vastplan.report.drift import controller_owned, sides, verdict
from vastplan.report.markdown import LIMIT, Page, findings, unknown
from vastplan.report.markdown_escape import code, prose, summary_code
from vastplan.report.values import CAUSES, counted, told

_FOOT = 2_000
_SHOWN, _SHOWN_FIELDS, _SHOWN_KINDS = 60, 40, 60


def marker(document: str) -> str:
    """The line to find the report of a document by."""
    return f"<!-- vastplan:drift:{quote(inert(document, 60), safe='').replace('-', '%2D')} -->"


def comment(found: Drift) -> str:
    """The check as a comment; of one that was compared with an earlier one only what is new. Never longer than `LIMIT`."""
    page = Page(LIMIT - _FOOT)
    page.add(
        f"{marker(found.document)}\n### vastplan drift: {code(found.document, 100)}\n\n**{prose(verdict(found))}**\n"
    )
    page.add(findings(found.findings))
    if found.unknown:
        page.add(unknown(found.unknown))
    left = 0
    for what, title in (("gone", "Gone"), ("changed", "Changed by hand")):
        some = [one for one in found.news() if one.what == what]
        if some:
            page.add(f"\n#### {title} ({len(some)})\n\n")
            left += sum(not page.add(_object(one)) for one in some)
    if left:
        page.add(f"\n- and {counted(left, 'object')} that did not fit; `--format json` has all\n")
    page.add(_gone(found))
    page.add(_strangers(found))
    page.add(_coverage(found))
    page.add(_ignored(found))
    return page.text() + f"\nChecked {code(found.checked, 40)}.\n"


def _object(one: DriftedObject) -> str:
    lines = []
    if one.since:
        lines.append(f"Last applied {code(one.since, 40)}")
    if one.what == "gone" and one.author is not None:
        lines.append(_said(told(one.author)))
    lines += [line for each in one.fields[:_SHOWN_FIELDS] for line in _field(each)]
    if len(one.fields) > _SHOWN_FIELDS:
        lines.append(f"and {len(one.fields) - _SHOWN_FIELDS} more fields")
    shown = "".join(f"- {line}\n" for line in lines)
    return f"<details open><summary>{summary_code(one.address, 300)}</summary>\n\n{shown}\n</details>\n"


def _field(one: DriftedField) -> Iterator[str]:
    live, applied = sides(one)
    author = f": {_said(told(one.author))}" if told(one.author) else ""
    yield f"{code(one.path)} is {code(live)}, was applied as {code(applied)} ({CAUSES[one.cause]}){author}"


def _said(text: str) -> str:
    return prose(text, 600)


def _gone(found: Drift) -> str:
    lines = [f"{code(one.address)}{f' {code(one.path)}' if one.path else ''}: {prose(one.state)}" for one in found.gone]
    return _section(f"Not found any more since {code(found.compared_with, 40)}", lines)


def _strangers(found: Drift) -> str:
    lines = [f"{code(f'{one.site}/{one.kind}')} {code(one.name, 120)}" for one in found.strangers()]
    return _section("Nobody manages", lines)


def _coverage(found: Drift) -> str:
    rows = [
        f"- {code(f'{one.site}/{one.kind}')}: {one.percent} % ({one.managed} of {one.managed + one.unmanaged})\n"
        for one in found.coverage[:_SHOWN_KINDS]
    ]
    more = f"- and {len(found.coverage) - _SHOWN_KINDS} more kinds\n" if len(found.coverage) > _SHOWN_KINDS else ""
    made = [
        f"- Made by {prose(by, 60)}, and not counted: {counted(count, 'object')}\n"
        for by, count in sorted(controller_owned(found).items())[:_SHOWN_KINDS]
    ]
    return f"\n#### Coverage\n\n{''.join(rows)}{more}{''.join(made)}" if rows or made else ""


def _ignored(found: Drift) -> str:
    lines = []
    for one in found.ignored:
        live, applied = sides(one)
        what = f"{code(one.path)} is {code(live)}, was applied as {code(applied)}" if one.path else "is gone"
        until = f" (until {code(one.until, 20)})" if one.until else ""
        lines.append(f"{code(one.address)} {what}: {prose(one.reason)}{until}")
    return _section("Ignored by rules of the document", lines)


def _section(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    more = f"- and {len(lines) - _SHOWN} more\n" if len(lines) > _SHOWN else ""
    return f"\n#### {title} ({len(lines)})\n\n" + "".join(f"- {line}\n" for line in lines[:_SHOWN]) + more
