"""Text from outside made harmless for a terminal and a log: one line, nothing invisible, nothing that moves the cursor,
nothing that is taken for something else."""

from __future__ import annotations

from vastplan.model.look_alikes import taken_for_others, unseen

_COUNTED_FROM = 60  # characters: in less there is no room for a number


def inert(value: object, limit: int | None = 500) -> str:
    """`value` as one visible line: what cannot be seen, moves the cursor or is taken for another letter becomes `\\xNN`.

    Of one that is longer than `limit` so much is shown, the number of its other characters included.
    """
    text = str(value)
    if limit is not None and len(text) > limit:
        text = _cut(text, limit)
    if text.isascii() and text.isprintable():
        return text
    marked = taken_for_others(text)
    return "".join(_escaped(char) if place in marked or unseen(char) else char for place, char in enumerate(text))


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
