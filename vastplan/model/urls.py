"""URLs of systems. Plans, reports, the ledger and snapshots show them, so they must not have a login."""

from __future__ import annotations

from urllib.parse import urlsplit

_PORTS = {"https": 443, "http": 80}
LOGIN_IN_URL = "there is a user or a password in it (before an @)"


def holds_login(url: str) -> bool:
    """Whether the URL has an `@` anywhere: parsers disagree on where the host ends."""
    return "@" in url


def can_be_taken_apart(url: str) -> bool:
    """Whether the URL's host, and its port if there is one, can be parsed: not so `https://[::1`."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def normalised(place: str) -> str:
    """An address, and the text after a blank, in one form for all its spellings: equal forms may be one system.

    The host is in lowercase without a dot at its end; the default port of the scheme and slashes at the end are left out.
    """
    url, blank, rest = place.partition(" ")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:  # not an address: compared as it is written
        return place
    if not host:
        return place
    host = f"[{host}]" if ":" in host else host
    at = f":{port}" if port not in (None, _PORTS.get(parts.scheme)) else ""
    return f"{parts.scheme}://{host}{at}{parts.path.rstrip('/')}{blank}{rest}"
