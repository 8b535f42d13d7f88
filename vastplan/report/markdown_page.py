"""The parts of every comment: its marker and its head, lists that count what they leave out, and a page with a limit.

The first line is a marker that no rendered page shows. Whoever posts the comment looks for it and replaces the comment that has it, so
that there is one comment per document and command, however often it is run. GitHub takes 65,536 characters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import quote

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding
from vastplan.model.plan import UnknownCollection
from vastplan.report.folding import folded
from vastplan.report.markdown_escape import code_span, prose, text_length
from vastplan.report.view import ReportView

LIMIT = 65_536  # characters, as `size` counts them
_SHOWN = 40
_MORE = "- and {} more lines that did not fit: {}\n"
Item = TypeVar("Item")


def marker(document: str, command: str = "plan") -> str:
    """The line by which to find the comment of a document."""
    return f"<!-- vastplan:{command}:{quote(inert(document, 60), safe='').replace('-', '%2D')} -->"


def head(view: ReportView) -> str:
    """The marker, the title and the verdict."""
    first = marker(view.document, view.command)
    return f"{first}\n### {view.title}: {code_span(view.document, 100)}\n\n**{prose(view.verdict)}**\n"


class Page:
    """A text with a limit, which refuses what does not fit."""

    def __init__(self, limit: int, all_of_it: str = "`vastplan show PLAN`") -> None:
        """`all_of_it` says where to find what does not fit."""
        self._all_of_it = all_of_it
        self._parts: list[str] = []
        self._limit = limit
        self.used = 0

    @property
    def room(self) -> int:
        """How many characters are left."""
        return self._limit - self.used

    def add(self, text: str) -> bool:
        """Add the whole text, or nothing of it; returns whether it fitted."""
        length = text_length(text)
        if length > self.room:
            return False
        self._parts.append(text)
        self.used += length
        return True

    def add_lines(self, text: str) -> None:
        """Add a text of lines: all of it, or as many lines as fit in half of the room, and the number of the others."""
        if text_length(text) <= self.room // 2 and self.add(text):
            return
        lines = text.splitlines(keepends=True)
        room, count = self.room // 2 - text_length(_MORE) - text_length(self._all_of_it), 0
        for line in lines:
            room -= text_length(line)
            if room < 0:
                break
            count += 1
        self.add("".join(lines[:count]) + _MORE.format(len(lines) - count, self._all_of_it))

    def text(self) -> str:
        """The whole text."""
        return "".join(self._parts)


def section(title: str, items: Sequence[Item], line: Callable[[Item], str], most: int = _SHOWN) -> str:
    """A heading with the number of items and a line for each, at most `most`; nothing for no items."""
    return f"\n#### {title} ({len(items):,})\n\n{bullets(items, line, most)}" if items else ""


def bullets(items: Sequence[Item], line: Callable[[Item], str], most: int = _SHOWN) -> str:
    """A line for each item, at most `most`; the others are counted."""
    more = f"- and {len(items) - most:,} more\n" if len(items) > most else ""
    return "".join(f"- {line(item)}\n" for item in items[:most]) + more


def findings_list(worst: Sequence[Finding], title: str = "Checks") -> str:
    """Findings, in the given order."""
    return section(title, folded(worst), _finding)


def _finding(finding: Finding) -> str:
    place = " ".join(code_span(part) for part in (finding.where, finding.address) if part)
    at = f"at {place}: " if place else ""
    return f"{finding.severity.value.capitalize()} {code_span(finding.code, 20)} {at}{prose(finding.message)}{fix(finding.fix)}"


def fix(text: str) -> str:
    """What to do, as the end of a line; "" if that is not known."""
    return f" — to go on: {prose(text)}" if text else ""


def unknown_section(missing: Sequence[UnknownCollection], title: str = "Unknown, and left out") -> str:
    """What could not be read."""
    return section(title, missing, _unknown)


def _unknown(collection: UnknownCollection) -> str:
    return f"{code_span('/'.join((collection.site, collection.kind)))} could not be read: {prose(collection.reason)}"
