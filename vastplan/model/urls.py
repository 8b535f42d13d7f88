"""Addresses as they are shown: in plans, reports, the ledger and snapshots. So there is no login in one."""

from __future__ import annotations

from urllib.parse import urlsplit

_PORTS = {"https": 443, "http": 80}
LOGIN_IN_URL = "there is a user or a password in it (before an @)"


def holds_login(url: str) -> bool:
    """Whether something is in front of an `@`, wherever: what ends a host is not the same to all who read an address."""
    return "@" in url


def can_be_taken_apart(url: str) -> bool:
    """Whether it has a host, and a port if any, that can be told: not so `https://[::1`."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def normalised(place: str) -> str:
    """An address, and what follows after a blank, as all spellings of it are: what is alike may be one system.

    The host is in lowercase letters and has no dot at its end; the port of the scheme and slashes at the end are left out.
    """
    url, blank, rest = place.partition(" ")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:  # no address: it is compared as it is written
        return place
    if not host:
        return place
    host = f"[{host}]" if ":" in host else host
    at = f":{port}" if port not in (None, _PORTS.get(parts.scheme)) else ""
    return f"{parts.scheme}://{host}{at}{parts.path.rstrip('/')}{blank}{rest}"
