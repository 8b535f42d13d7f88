"""What must not be said: the secrets this process has used, and text without them.

A server may answer with what it was sent: the header, the body, or an encoding of either. Whoever takes a secret out of
its source says so here, and every text from outside loses it before it becomes part of a message.
"""

from __future__ import annotations

import base64
import html
import json
import re
import threading
from urllib.parse import quote, quote_plus

INSTEAD = "(sensitive)"
_SHORTEST = 4  # characters; shorter ones are in every other word, so that hiding them would hide the message
_forms: set[str] = set()
_pattern: re.Pattern[str] | None = None
_lock = threading.Lock()


def keep_secret(value: str) -> None:
    """From now on `without_secrets` leaves out this value, and what it becomes in JSON, URLs, HTML and base64."""
    global _pattern
    if len(value) < _SHORTEST or value in _forms:
        return
    with _lock:
        _forms.update(one for text in {value, value.strip()} for one in _written(text) if len(one) >= _SHORTEST)
        longest_first = sorted(_forms, key=lambda one: (-len(one), one))
        _pattern = re.compile("|".join(map(re.escape, longest_first)))


def keep_credential(header: str) -> None:
    """The same for the value of an Authorization header: the scheme in front of it is no secret."""
    keep_secret(header.rpartition(" ")[2])


def without_secrets(text: str) -> str:
    """The text with "(sensitive)" where a secret stood."""
    return text if _pattern is None else _pattern.sub(INSTEAD, text)


def _written(value: str) -> set[str]:
    found = {value, repr(value)[1:-1], json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    raw = value.encode("utf-8", "surrogatepass")
    found |= {html.escape(value), quote(raw, safe=""), quote(raw), quote_plus(raw)}
    for before in range(3):  # in the middle of something encoded (user:password) it begins at any of three places
        skipped = (0, 2, 3)[before]
        for encoded in (base64.b64encode(b"\0" * before + raw), base64.urlsafe_b64encode(b"\0" * before + raw)):
            text = encoded.decode().rstrip("=")
            # the last character also holds bits of what follows
            found.add(text[skipped : len(text) - (1 if (before + len(raw)) % 3 else 0)])
    return found
