"""Text from outside made harmless for a terminal and a log: one line, nothing invisible, nothing that moves the cursor."""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def inert(value: object, limit: int = 500) -> str:
    """`value` as one visible line: control, format (also right-to-left marks) and unassigned characters become `\\xNN`."""
    text = str(value)
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if unicodedata.category(char) not in _HIDDEN else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
