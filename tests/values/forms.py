"""What a text may hold a secret as."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Iterator
from functools import cache
from urllib.parse import quote, quote_plus


@cache
def forms(secret: str) -> tuple[str, ...]:
    """Itself; as JSON, a URL, a form and HTML write it; in base64, by itself and within something longer."""
    return tuple(dict.fromkeys(_forms(secret)))


def _forms(secret: str) -> Iterator[str]:
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret)[1:-1].replace("/", "\\/")
    yield quote(secret, safe="")
    yield quote_plus(secret)
    yield html.escape(secret)
    yield base64.b64encode(secret.encode()).decode()
    yield base64.urlsafe_b64encode(secret.encode()).decode()
    for ahead in range(3):  # of three bytes come four letters, and the letters at both ends are their neighbours' too
        whole = (len(secret) - (-ahead % 3)) // 3 * 3
        inside = secret[-ahead % 3 :][:whole]
        yield base64.b64encode(inside.encode()).decode()


def held(secrets: Iterable[str], text: str) -> list[str]:
    """The secrets that a text holds in any form."""
    return [secret for secret in secrets if any(form in text for form in forms(secret))]
