"""Text from outside made harmless for a terminal and a log: one line, nothing invisible, nothing that moves the cursor,
nothing that is taken for something else."""

from __future__ import annotations

import re

from vastplan.model.look_alikes import taken_for_others, unseen

_COMMAND = re.compile(r"#(?=#[a-z]*\[)", re.IGNORECASE)
"""`##[add-mask]`, `##vso[...]`: what runners of GitHub and Azure look for anywhere in a line that they log."""
_COMMAND_LINE = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*):(?=:)", re.MULTILINE)
"""`::add-mask::`, which those of GitHub look for where a line begins; they leave out blanks before it."""
_COUNTED_FROM = 60  # characters: in less there is no room for a number


def inert(value: object, limit: int | None = 500) -> str:
    """`value` as one visible line: what cannot be seen, moves the cursor or is taken for another letter becomes `\\xNN`.

    Of one that is longer than `limit` so much is shown, the number of its other characters included.
    """
    text = str(value)
    if limit is not None and len(text) > limit:
        text = _cut(text, limit)
    text = _COMMAND.sub(r"\\x23", text)
    if text.isascii() and text.isprintable():
        return text
    marked = taken_for_others(text)
    return "".join(_escaped(char) if place in marked or unseen(char) else char for place, char in enumerate(text))


def no_commands(lines: str) -> str:
    """Lines for a log, none of which is a command to what runs the job: what would make it one is its number."""
    return _COMMAND_LINE.sub(r"\1\\x3a", _COMMAND.sub(r"\\x23", lines))


def json_without_commands(text: str) -> str:
    """JSON that says the same, and no command of a log. `#` stands in its texts alone."""
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
