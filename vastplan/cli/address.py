"""An address that was typed."""

from __future__ import annotations

from vastplan.model.address import Address
from vastplan.model.errors import VastplanError


def address_of(text: str) -> Address:
    """The address. Raises `VastplanError` for a text that is none."""
    try:
        return Address.parse(text)
    except ValueError as problem:
        raise VastplanError(str(problem)) from None


def is_address(text: str) -> bool:
    """Whether a text is an address."""
    try:
        Address.parse(text)
    except ValueError:
        return False
    return True


def of_site(text: str) -> str:
    """The site in `site/NAME`, which means all of a site; "" for any other text."""
    word, _, site = text.partition("/")
    return site if word == "site" and "/" not in site else ""
