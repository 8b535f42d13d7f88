"""Words of a command that somebody is told to paste: a name may hold spaces, quotes, `$` and worse."""

from __future__ import annotations

import shlex


def word(text: object) -> str:
    """`text` as one word of a POSIX shell, in quotes where it needs them."""
    return shlex.quote(str(text))
