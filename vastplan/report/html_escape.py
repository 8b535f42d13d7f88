"""Untrusted text in HTML: the only place that makes tags. What is not mark-up made here is escaped, also in attributes."""

from __future__ import annotations

from html import escape

from vastplan.model.escaping import inert

_VOID = frozenset({"input", "meta", "br", "hr"})
_LONGEST = 2_000


class Html(str):
    """Text that is mark-up already. What it is made from is `tag` and `joined`, or a constant."""

    __slots__ = ()


def text(value: object) -> Html:
    """Anything as visible text: one line, no mark-up, nothing hidden."""
    return value if isinstance(value, Html) else Html(escape(inert(value, _LONGEST)))


def joined(*parts: object) -> Html:
    """Parts one after the other, those that are not mark-up escaped."""
    return Html("".join(map(text, parts)))


def tag(element: str, /, *children: object, **attributes: str | int | float | bool) -> Html:
    """An element. `class_` is `class`, `aria_label` is `aria-label`; `True` writes the bare name, `False` nothing."""
    said = "".join(_attribute(key, value) for key, value in attributes.items() if value is not False)
    if element in _VOID:
        return Html(f"<{element}{said}>")
    return Html(f"<{element}{said}>{joined(*children)}</{element}>")


def _attribute(key: str, value: str | int | float | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(inert(value, _LONGEST))}"'


def code(value: object) -> Html:
    """A name or a value; its direction of writing stays its own."""
    return tag("code", value, dir="auto")
