"""The parts of every page: its head, lists with their length, and tables.

The content security policy allows only the page's own style sheet, by digest, and on a long page one script: if a name ever escaped from
the text, a browser would still not run or fetch what it says.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256

from vastplan.model.finding import Finding
from vastplan.model.plan import UnknownCollection
from vastplan.report.folding import folded
from vastplan.report.html_escape import Html, code_html, joined, tag
from vastplan.report.view import ReportView


def document(title: str, style: str, parts: list[Html], script: str = "") -> str:
    """A whole page. `script` is a constant of vastplan: nothing that a user named may be in it."""
    runs = f"script-src 'sha256-{_digest(script)}'; " if script else ""
    policy = f"default-src 'none'; style-src 'sha256-{_digest(style)}'; {runs}base-uri 'none'; form-action 'none'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        Html(f"<style>{style}</style>"),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', *parts, Html(f'<script>{script}</script>') if script else ''), lang='en')}\n"


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def header(view: ReportView, *more: Html, facts: Iterable[Html] = ()) -> Html:
    """The title, the verdict, what else must be known first, and the summary figures."""
    figures = [*facts, tag("li", tag("b", f"{view.in_sync:,}"), " in sync")]
    return tag(
        "header",
        tag("h1", f"{view.title}: ", code_html(view.document)),
        tag("p", view.verdict, class_="verdict"),
        *more,
        tag("ul", *figures, class_="facts"),
    )


def checks(findings: Iterable[Finding], title: str = "Checks") -> Html:
    """Findings as a list."""
    return notes(title, [_finding(finding) for finding in folded(findings)])


def _finding(finding: Finding) -> Html:
    severity = finding.severity.value
    place = [joined(code_html(part), " ") for part in (finding.where, finding.address) if part]
    fix = f". To go on: {finding.fix}" if finding.fix else ""
    return tag("li", f"{severity} {finding.code}: ", *place, finding.message, fix, class_=severity)


def unknown_table(collections: Iterable[UnknownCollection], title: str) -> Html:
    """What could not be read, as a list."""
    return notes(
        title,
        [
            tag(
                "li",
                code_html(f"{missing.site}/{missing.kind}"),
                f" could not be read: {missing.reason}",
                class_="warning",
            )
            for missing in collections
        ],
    )


def notes(title: str, items: Sequence[Html]) -> Html:
    """A list under a heading with its length; nothing for no items."""
    return joined(tag("h2", f"{title} ({len(items):,})"), tag("ul", *items, class_="notes")) if items else Html("")


def html_table(names: Iterable[str], rows: Iterable[Html], *, style: str, label: str = "") -> Html:
    """A table with a head; `style` is its CSS class."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in names)))
    return tag("table", head, tag("tbody", *rows), class_=style, aria_label=label or False)
