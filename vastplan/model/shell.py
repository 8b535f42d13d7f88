"""Words of a command that somebody is told to paste: a name may hold spaces, quotes, `$` and worse."""

from __future__ import annotations

import shlex
from collections.abc import Iterable


def word(text: object) -> str:
    """`text` as one word of a POSIX shell, in quotes where it needs them."""
    return shlex.quote(str(text))


def words(texts: Iterable[object]) -> str:
    """Several, with spaces between: what a command takes one after the other."""
    return " ".join(map(word, texts))
