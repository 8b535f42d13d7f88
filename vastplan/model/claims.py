"""What other documents own, read from their ledgers in the same place: one live object has one owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Claim:
    """An object that another document's ledger owns; `address` is what it is called there."""

    kind: str
    id: str
    document: str
    address: str


@dataclass(frozen=True, slots=True)
class SiteClaims:
    """Who else owns something in the systems of one site.

    `ledger` is where these ledgers are. `known` are pairs of a document and a system of which such a ledger tells: what it
    does not claim there the document does not own. `unread` are documents whose ledger is there and cannot be read, with why.
    """

    ledger: str = ""
    claims: tuple[Claim, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
