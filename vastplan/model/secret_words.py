"""What looks like the value of a secret: variables by their names, and words of a text."""

from __future__ import annotations

import re

_NAMES = {"TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIAL", "CREDENTIALS", "APIKEY", "KEY"}
"""A part of a name by which a variable holds a secret."""
_WORD = re.compile(
    r"(?i)(?:(?<![a-z])(token|password|passwd|secret|api[_-]?key|credentials?)[=:\s]+\S|://[^/@:\s]+:[^/@\s]+@)"
)


def names_secret(variable: str) -> bool:
    """Whether a variable of that name holds a secret."""
    return not _NAMES.isdisjoint(variable.upper().split("_"))


def secret_in(text: str) -> str:
    """What of a text looks like a secret: the word before it, or that it is a URL with a password; "" if nothing does."""
    match = _WORD.search(text)
    return (match[1] or "a URL with a password") if match else ""
