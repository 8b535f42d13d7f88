"""The objects that other documents own, from their ledgers in the same place: a live object has one owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """An object that another document's ledger owns; `address` is its address there."""

    kind: str
    id: str
    document: str
    address: str


@dataclass(frozen=True, slots=True)
class SiteClaims:
    """The claims of other documents in the systems of one site.

    `ledger` is the place of their ledgers. `known` are pairs of a document and a system that its ledger covers: objects there that
    it does not claim are not owned by that document. `unread` maps documents whose ledger exists but cannot be read to the reason.
    """

    ledger: str = ""
    claims: tuple[Claim, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
