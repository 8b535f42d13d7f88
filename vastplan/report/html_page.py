"""What every page has: its head, and its findings.

Its content security policy allows one thing, its own style sheet, by digest: should a name ever find a way out of the text,
a browser would still not run or fetch what it says.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from vastplan.model.finding import Finding, Severity
from vastplan.report.html_escape import Html, code, joined, tag


def document(title: str, style: str, parts: list[Html]) -> str:
    """A whole page."""
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        Html(f"<style>{style}</style>"),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', *parts), lang='en')}\n"


def worst(found: tuple[Finding, ...]) -> list[Finding]:
    """The worst first."""
    return sorted(found, key=lambda one: tuple(Severity).index(one.severity))


def finding(one: Finding) -> Html:
    """One finding as an item of a list."""
    place = [joined(code(part), " ") for part in (one.where, one.address) if part]
    said = f"{one.severity.value} {one.code}: "
    return tag("li", said, *place, one.message, f" To go on: {one.fix}" if one.fix else "", class_=one.severity.value)


def notes(title: str, items: list[Html]) -> Html:
    """A list with its number; nothing for no items."""
    return joined(tag("h2", f"{title} ({len(items)})"), tag("ul", *items, class_="notes")) if items else Html("")
