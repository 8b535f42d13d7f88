"""Quotes the words of commands that messages show for pasting: a name may have spaces, quotes, `$` and worse."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from vastplan.model.escaping import inert

_PLAIN = frozenset(range(0x20, 0x7F)) - {*b"'\\#"}


def word(text: object) -> str:
    """`text` as one word for a shell, in quotes where needed.

    A text that cannot be shown as it is (`inert`) is written byte by byte in `$'…'` (POSIX.1-2024; bash, zsh and ksh have it).
    """
    plain = str(text)
    if inert(plain, None) == plain:
        return shlex.quote(plain)
    raw = plain.encode("utf-8", "surrogateescape" if _is_of_bytes(plain) else "replace")
    return "$'" + "".join(chr(byte) if byte in _PLAIN else f"\\{byte:03o}" for byte in raw) + "'"


def _is_of_bytes(text: str) -> bool:
    """Whether the text can be a file name in which surrogate escapes stand for bytes that are not text."""
    return all(not "\ud800" <= char <= "\udfff" or "\udc80" <= char <= "\udcff" for char in text)


def given(option: str, value: object | None) -> list[object]:
    """An option as somebody typed it, for `words`; nothing for one that was not typed."""
    return [] if value is None else [option, value]


def words(texts: Iterable[object]) -> str:
    """Several words for a shell, separated by spaces."""
    return " ".join(map(word, texts))
