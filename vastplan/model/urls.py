"""Addresses as they are shown: in plans, reports, the ledger and snapshots. So there is no login in one."""

from __future__ import annotations

from urllib.parse import urlsplit

LOGIN_IN_URL = "there is a user or a password in it (in front of an @)"


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
