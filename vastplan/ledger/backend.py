"""What a ledger backend offers: read without a lock, and write under one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import TracebackType
from typing import Protocol, Self

from vastplan.ledger.events import Event
from vastplan.model.dataclass import dataclass
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.units import span_text


@dataclass(frozen=True, slots=True)
class LockOwner:
    """Who holds a part, and since when by the clock of its machine (as text; "" if unknown)."""

    name: str
    since: str = ""

    def __str__(self) -> str:
        return f"{self.name} since {self.since}" if self.since else self.name


def waiting_text(site: str, owner: LockOwner, timeout: int) -> str:
    """That a holder is waited for, for at most so many seconds."""
    return f"the ledger of {site} is held by {owner}; waiting for it for up to {span_text(timeout)}"


def waited_text(timeout: int) -> str:
    """That it was in vain; "" where nobody waited."""
    return f" (waited {span_text(timeout)} for it)" if timeout else ""


@dataclass(frozen=True, slots=True)
class OtherParts:
    """Parts of other documents; `unread` is the reason for each document whose part cannot be read."""

    parts: tuple[SiteLedger, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)


class LockedPart(Protocol):
    """One site's part, locked for this process until `close`. Any thread may use it."""

    @property
    def part(self) -> SiteLedger:
        """The part as it is now."""

    def holds(self) -> None:
        """Raise `Lost` if another process may hold the lock by now; the caller must start nothing then."""

    def record(self, *events: Event) -> None:
        """Write the events durably, then apply them to the part; on return they survive a crash. Raises `Lost`, and then applied none."""

    def close(self) -> None:
        """Compact and unlock. If the lock was lost, the stored part stays as it is."""


class Backend(Protocol):
    """Where the parts are stored. A context manager: leaving it closes its connections, if it has any."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def describe(self) -> str:
        """The location, for plans and messages."""

    def read(self, site: str) -> SiteLedger:
        """The part as it is now; an empty new one if it does not exist. Never locks."""

    def holder(self, site: str) -> LockOwner | None:
        """Who holds the lock of the part, as far as a reader can see; `None` for nobody. Never locks, and never waits."""

    def sites(self) -> tuple[str, ...]:
        """The sites for which this document has a part, in order. Reads names, not parts; never locks."""

    def others(self) -> OtherParts:
        """The parts of other documents in the same place. Never locks."""

    def open(self, site: str, holder: str) -> LockedPart:
        """Lock the part. Raises `Locked`, which names the holder; takes over the lock of a holder that is certainly gone."""

    def unlock(self, site: str) -> LockOwner | None:
        """Break the lock of a holder that is gone and return who it was. Raises `Locked` if the holder may still be running."""
