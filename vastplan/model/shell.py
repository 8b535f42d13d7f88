"""Words of a command that a message asks somebody to paste: a name may have spaces, quotes, `$` and worse."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from vastplan.model.escaping import inert

_PLAIN = frozenset(range(0x20, 0x7F)) - {*b"'\\#"}


def word(text: object) -> str:
    """`text` as one word of a shell, in quotes where it needs them.

    What cannot be shown as it is (`inert`) is spelled out byte by byte in `$'…'` (POSIX.1-2024; bash, zsh and ksh have it).
    """
    plain = str(text)
    if inert(plain, None) == plain:
        return shlex.quote(plain)
    raw = plain.encode("utf-8", "surrogateescape" if _is_of_bytes(plain) else "replace")
    return "$'" + "".join(chr(byte) if byte in _PLAIN else f"\\{byte:03o}" for byte in raw) + "'"


def _is_of_bytes(text: str) -> bool:
    """Whether it can be the name of a file, whose bytes that are no text stand for themselves."""
    return all(not "\ud800" <= char <= "\udfff" or "\udc80" <= char <= "\udcff" for char in text)


def words(texts: Iterable[object]) -> str:
    """Several, with spaces between: what a command takes one after the other."""
    return " ".join(map(word, texts))
