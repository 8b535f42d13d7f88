"""Makes text from outside harmless for a terminal and a log: one line, nothing invisible, nothing that moves the cursor,
nothing that looks like something else."""

from __future__ import annotations

import re

from vastplan.model.look_alikes import is_invisible, taken_for_others

_COMMAND = re.compile(r"#(?=#[a-z]*\[)", re.IGNORECASE)
"""`##[add-mask]`, `##vso[...]`: commands that runners of GitHub and Azure look for anywhere in a logged line."""
_COMMAND_LINE = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*):(?=:)", re.MULTILINE)
"""`::add-mask::`: a command that runners of GitHub look for at the beginning of a line, after blanks."""
_COUNTED_FROM = 60  # characters: a shorter text has no room for the count


def inert(value: object, limit: int | None = 500) -> str:
    """`value` as one visible line: characters that are invisible, move the cursor or look like others become `\\xNN`.

    A longer text is cut to `limit` characters, including a note with the number of characters left out.
    """
    text = str(value)
    if limit is not None and len(text) > limit:
        text = _cut(text, limit)
    text = _COMMAND.sub(r"\\x23", text)
    if text.isascii() and text.isprintable():
        return text
    marked = taken_for_others(text)
    return "".join(_escaped(char) if place in marked or is_invisible(char) else char for place, char in enumerate(text))


def no_commands(lines: str) -> str:
    """Lines for a log, none of which is a command for a CI runner: the character that would make it one is escaped."""
    return _COMMAND_LINE.sub(r"\1\\x3a", _COMMAND.sub(r"\\x23", lines))


def json_without_commands(text: str) -> str:
    """The same JSON without commands for a CI runner: in JSON `#` occurs only inside strings, so it can be escaped there."""
    return _COMMAND.sub(r"\\u0023", text)


def _cut(text: str, limit: int) -> str:
    if limit < _COUNTED_FROM:
        return text[: limit - 1] + "…"
    hidden = len(text) - limit
    while len(rest := f"… ({hidden} more characters)") > limit - (len(text) - hidden):
        hidden += 1
    return text[: len(text) - hidden] + rest


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
