"""Drift as a page that stands alone: what moved and who moved it, what nobody manages, what is ignored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vastplan.model.drift import Drift, DriftedField, DriftedObject
from vastplan.report.drift import controller_owned, ignored_words, sides, verdict
from vastplan.report.html_escape import Html, code, joined, tag
from vastplan.report.html_page import document, finding, notes, worst
from vastplan.report.html_style import STYLE
from vastplan.report.values import CAUSES, counted, told

_SHOWN = 2_000  # rows of a table; a page that takes longer to open than to read helps nobody


def page(found: Drift) -> str:
    """The whole check as one HTML document; of one that was compared with an earlier one only what is new."""
    unknown = [
        tag("li", code(f"{one.site}/{one.kind}"), f" could not be read: {one.reason}", class_="warning")
        for one in found.unknown
    ]
    gone = [
        tag("li", code(one.address), f" {one.path}: {one.state}" if one.path else f": {one.state}")
        for one in found.gone
    ]
    ignored = [
        tag("li", code(one.address), f" {one.path}" if one.path else "", ignored_words(one)) for one in found.ignored
    ]
    made = [tag("li", f"{by}: {counted(count, 'object')}") for by, count in sorted(controller_owned(found).items())]
    main = [
        notes("Checks", [finding(one) for one in worst(found.findings)]),
        notes("Unknown: what could not be read", unknown),
        _moved(found.news()),
        notes("Not found any more", gone),
        _strangers(found),
        _coverage(found),
        notes("Made by a driver or a system for itself, and not counted", made),
        notes("Ignored by rules of the document", ignored),
    ]
    head = tag(
        "header", tag("h1", "vastplan drift: ", code(found.document)), tag("p", verdict(found), class_="verdict"),
        tag("ul", tag("li", tag("b", found.in_sync), " in sync"), class_="facts"),
    )  # fmt: skip
    foot = tag("footer", f"Checked {found.checked}.")
    return document(f"vastplan drift: {found.document}", STYLE, [head, tag("main", *main, id="main"), foot])


def _moved(found: Sequence[DriftedObject]) -> Html:
    rows = [row for one in found for row in _rows(one)]
    return _table(
        "Moved behind our back", ("Object", "Field", "Live", "Applied", "Which side", "Who"), rows, len(found)
    )


def _rows(one: DriftedObject) -> list[Html]:
    since = tag("span", f"last applied {one.since}", class_="kind") if one.since else ""
    name = tag("th", code(one.address), since, scope="row")
    if one.what == "gone":
        who = tag("td", told(one.author))
        return [
            tag("tr", name, tag("td", "all of it"), tag("td", "gone"), tag("td", ""), tag("td", "it was deleted"), who)
        ]
    return [tag("tr", name, *_field(each)) for each in one.fields]


def _field(one: DriftedField) -> list[Html]:
    live, applied = sides(one)
    return [
        tag("td", code(one.path)), tag("td", code(live)), tag("td", code(applied)), tag("td", CAUSES[one.cause]),
        tag("td", told(one.author)),
    ]  # fmt: skip


def _strangers(found: Drift) -> Html:
    rows = [
        tag("tr", tag("th", code(one.name), scope="row"), tag("td", code(one.kind)), tag("td", code(one.site)))
        for one in found.strangers()
    ]
    return _table("Nobody manages", ("Object", "Kind", "Site"), rows, len(rows))


def _coverage(found: Drift) -> Html:
    rows = [
        tag(
            "tr", tag("th", code(one.kind), scope="row"), tag("td", code(one.site)), tag("td", one.managed),
            tag("td", one.unmanaged), tag("td", f"{one.percent} %"),
        )
        for one in found.coverage
    ]  # fmt: skip
    return _table("Coverage", ("Kind", "Site", "Managed", "Nobody's", "Coverage"), rows, len(rows))


def _table(title: str, names: Iterable[str], rows: Sequence[Html], count: int) -> Html:
    if not rows:
        return Html("")
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in names)))
    table = tag("table", head, tag("tbody", *rows[:_SHOWN]), class_="plan", aria_label=title)
    more = tag("p", f"and {len(rows) - _SHOWN} more rows; the JSON has all") if len(rows) > _SHOWN else ""
    return joined(tag("h2", f"{title} ({count})"), table, more)
