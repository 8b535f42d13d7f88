"""Addresses as they are shown: in plans, reports, the ledger and snapshots. So there is no login in one."""

from __future__ import annotations

LOGIN_IN_URL = "there is a user or a password in it (in front of an @)"


def holds_login(url: str) -> bool:
    """Whether something is in front of an `@`, wherever: what ends a host is not the same to all who read an address."""
    return "@" in url
