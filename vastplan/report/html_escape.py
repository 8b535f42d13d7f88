"""Untrusted text in HTML: the only place that creates tags. What is not mark-up created here is escaped, also in attributes."""

from __future__ import annotations

import re
from html import escape

from vastplan.model.escaping import inert

_VOID = frozenset({"input", "meta", "br", "hr"})
_LONGEST = 100_000  # characters: what takes longer to read than a page
# Most names and values need no escaping: printable ASCII without the characters that mean something in HTML.
_HARMLESS = re.compile(r"[ !#-%(-;=?-~]{0,100000}")


class Html(str):
    """Text that is mark-up already. It comes from `tag`, `joined` or a constant only."""

    __slots__ = ()


HOLE = Html("\0")
"""Where a `Form` is filled in. Escaped text never has this character, so no value is mistaken for a hole."""


def html_text(value: object) -> Html:
    """Anything as visible text: one line, no mark-up, nothing hidden."""
    return value if isinstance(value, Html) else Html(_escaped(value))


def _escaped(value: object) -> str:
    words = str(value)
    return words if _HARMLESS.fullmatch(words) else escape(inert(words, _LONGEST))


def joined(*parts: object) -> Html:
    """Parts one after the other; those that are not mark-up are escaped."""
    return Html("".join([part if isinstance(part, Html) else _escaped(part) for part in parts]))


def tag(element: str, /, *children: object, **attributes: str | int | float | bool) -> Html:
    """An element. `class_` is `class`, `aria_label` is `aria-label`; `True` writes the bare name, `False` nothing."""
    written = "".join([_attribute(key, value) for key, value in attributes.items() if value is not False])
    if element in _VOID:
        return Html(f"<{element}{written}>")
    return Html(f"<{element}{written}>{joined(*children)}</{element}>")


def _attribute(key: str, value: str | int | float | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{HOLE if value is HOLE else _escaped(value)}"'


def code_html(value: object) -> Html:
    """A name or a value; its direction of writing stays its own."""
    return tag("code", value, dir="auto")


class HtmlTemplate:
    """Mark-up that is built once and filled in a thousand times: a row of a table, a line of a list.

    >>> Form(tag("li", code(HOLE), " to ", HOLE)).fill("<a>", 3)
    '<li><code dir="auto">&lt;a&gt;</code> to 3</li>'
    """

    def __init__(self, form: Html) -> None:
        self._template = form.replace("%", "%%").replace(HOLE, "%s")

    def fill(self, *values: object) -> Html:
        """The mark-up with a value in each hole; values that are not mark-up are escaped. Raises `TypeError` for another number of
        values."""
        return Html(self._template % tuple([value if isinstance(value, Html) else _escaped(value) for value in values]))
