"""Addresses: the one name of an object across document, ledger, plan and reports."""

from __future__ import annotations

from dataclasses import dataclass

GLOBAL = "global"


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """`site/kind/name`; the site is `global` for what is not of a site. A name may itself hold slashes."""

    site: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.site}/{self.kind}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address that `text` prints; raises `ValueError` when it has fewer than three parts."""
        parts = text.split("/", 2)
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"not an address: {text!r} (an address is site/kind/name)")
        return cls(*parts)
