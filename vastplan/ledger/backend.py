"""What a ledger backend offers: read without a lock, and write under one."""

from __future__ import annotations

from typing import Protocol

from vastplan.ledger.events import Event
from vastplan.model.state import LedgerPart


class Session(Protocol):
    """One site's part, locked for this process until `close`."""

    @property
    def part(self) -> LedgerPart:
        """The part as it is now."""

    def record(self, *events: Event) -> None:
        """Make the events durable, then true; on return they survive a crash."""

    def close(self) -> None:
        """Compact and unlock."""


class Backend(Protocol):
    """Where the parts are kept."""

    def describe(self) -> str:
        """Where it is, for plans and messages."""

    def read(self, site: str) -> LedgerPart:
        """The part as it is now; an empty new one when there is none. Never locks."""

    def open(self, site: str, holder: str) -> Session:
        """Lock the part; raises `Locked`, naming the holder."""

    def unlock(self, site: str) -> str:
        """Break a lock; answers who held it, "" when nobody did."""
