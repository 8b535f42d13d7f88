"""The proxies of the environment. A login in one is the runner's, who has no other place for it: it is used and never shown."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import unquote
from urllib.request import getproxies

from vastplan.model.sensitive import keep_secret


def without_login(address: str) -> str:
    """The address of a proxy as messages show it."""
    scheme, separator, rest = address.rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2].rstrip('/')}"


def environment_proxies() -> Collection[str]:
    """Their addresses; from now on no message shows the logins in them."""
    addresses = getproxies().values()
    for address in addresses:
        login = address.rpartition("@")[0].rpartition("//")[2]
        password = login.partition(":")[2] or login
        for text in {password, unquote(password)}:
            keep_secret(text)
    return addresses
