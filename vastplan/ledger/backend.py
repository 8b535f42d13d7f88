"""What a ledger backend offers: read without a lock, and write under one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from vastplan.ledger.events import Event
from vastplan.model.site_ledger import SiteLedger


@dataclass(frozen=True, slots=True)
class LockOwner:
    """Who holds a part, since when, and until when it is certainly theirs (both as text; "" where nobody can tell)."""

    name: str
    since: str = ""
    until: str = ""

    def __str__(self) -> str:
        since = f" since {self.since}" if self.since else ""
        return f"{self.name}{since}" + (f" (until {self.until} unless renewed)" if self.until else "")


@dataclass(frozen=True, slots=True)
class OtherParts:
    """Parts of other documents, and the documents whose parts cannot be read, with why."""

    parts: tuple[SiteLedger, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)


class Session(Protocol):
    """One site's part, locked for this process until `close`. Any thread may use it."""

    @property
    def part(self) -> SiteLedger:
        """The part as it is now."""

    def holds(self) -> None:
        """Raise `Lost` when the lock may be somebody else's by now: whoever asks must not begin anything then."""

    def record(self, *events: Event) -> None:
        """Make the events durable, then true; on return they survive a crash. Raises `Lost`, and then changed nothing."""

    def close(self) -> None:
        """Compact and unlock; what was lost stays as it is."""


class Backend(Protocol):
    """Where the parts are kept. A context manager: leaving it closes its connections, if it has any."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def describe(self) -> str:
        """Where it is, for plans and messages."""

    def read(self, site: str) -> SiteLedger:
        """The part as it is now; an empty new one when there is none. Never locks."""

    def sites(self) -> tuple[str, ...]:
        """The sites that there is a part of for this document, in order. Reads names, not parts; never locks."""

    def others(self) -> OtherParts:
        """The parts of other documents that are kept in the same place. Never locks."""

    def open(self, site: str, holder: str) -> Session:
        """Lock the part; raises `Locked`, naming the holder. The lock of a holder that is certainly gone is taken."""

    def unlock(self, site: str) -> LockOwner | None:
        """Break the lock of a holder that is gone and answer who it was; raises `Locked` for one that may be at work."""
