"""What must not be said: the secrets this process has used, and text without them.

A server may answer with what it was sent: the header, the body, or an encoding of either. Whoever takes a secret out of
its source says so here, and every text from outside loses it before it becomes part of a message.
"""

from __future__ import annotations

import base64
import html
import json
import threading
from collections import OrderedDict
from urllib.parse import quote, quote_plus

INSTEAD = "(sensitive)"
MOST = 500  # values remembered: far more than can be in flight at once, so that an echo always meets its original
_SHORTEST = 4  # characters; shorter ones are in every other word, so that hiding them would hide the message
_forms: OrderedDict[str, tuple[str, ...]] = OrderedDict()  # what each value becomes; the last used at the end
_lock = threading.Lock()


def keep_secret(value: str) -> None:
    """From now on `without_secrets` leaves out this value, and what it becomes in JSON, URLs, HTML and base64.

    Of more than `MOST` values those that were not used for longest are forgotten: tokens are renewed for ever, and what
    every text is searched for must not grow with them.
    """
    if len(value) < _SHORTEST:
        return
    with _lock:
        if value in _forms:
            _forms.move_to_end(value)
            return
        _forms[value] = tuple(
            {form for text in {value, value.strip()} for form in _encodings(text) if len(form) >= _SHORTEST}
        )
        if len(_forms) > MOST:
            _forms.popitem(last=False)


def keep_credential(header: str) -> None:
    """The same for the value of an Authorization header: the scheme in front of it is no secret."""
    keep_secret(header.rpartition(" ")[2])


def without_secrets(text: str) -> str:
    """The text with "(sensitive)" where a secret stood."""
    with _lock:
        contained = [form for forms in _forms.values() for form in forms if form in text]
    for form in sorted(contained, key=len, reverse=True):  # the longest first: a shorter one may be a part of it
        text = text.replace(form, INSTEAD)
    return text


def _encodings(value: str) -> set[str]:
    forms = {value, repr(value)[1:-1], json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    raw = value.encode("utf-8", "surrogatepass")
    forms |= {html.escape(value), quote(raw, safe=""), quote(raw), quote_plus(raw)}
    for before in range(3):  # in the middle of something encoded (user:password) it begins at any of three places
        skipped = (0, 2, 3)[before]
        for encoded in (base64.b64encode(b"\0" * before + raw), base64.urlsafe_b64encode(b"\0" * before + raw)):
            text = encoded.decode().rstrip("=")
            # the last character also holds bits of what follows
            forms.add(text[skipped : len(text) - (1 if (before + len(raw)) % 3 else 0)])
    return forms
