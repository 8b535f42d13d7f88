"""The engine's journal in a locked ledger (`LedgerJournal`), and clients that send nothing once the lock is lost (`LockedProvider`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vastplan.ledger import events
from vastplan.ledger.backend import LockedPart
from vastplan.model.site_ledger import Owned, RefusedChange
from vastplan.schema.kind import Kind, Row
from vastplan.schema.provider import Provider


class LedgerJournal:
    """A ledger session as the engine's journal."""

    def __init__(self, session: LockedPart, versions: Callable[[str], str]) -> None:
        """`versions` asks a system of the site for its version."""
        self._session, self._versions = session, versions

    def owns(self, address: str, owned: Owned) -> None:
        """Record that the ledger owns the object."""
        self._session.record(events.own_event(address, owned))

    def drops(self, address: str) -> None:
        """Record that the ledger no longer owns the object."""
        self._session.record(events.drop_event(address))

    def settles(self, address: str) -> None:
        """Record that the intent at the address had no effect."""
        self._session.record(events.settle_event(address))

    def refuses(self, kind: Kind, field: str, why: str, at: str) -> None:
        """Record that the kind's system refuses to change a field in place, with its version now."""
        refused = RefusedChange(self._versions(kind.system), at, why)
        self._session.record(events.refuse_event(f"{kind.name}.{field}", refused))

    def accepts(self, kind: Kind, field: str) -> None:
        """Record that it changes the field."""
        self._session.record(events.refuse_event(f"{kind.name}.{field}", None))


class LockedProvider:
    """A provider that raises `Lost` instead of sending anything once this run has lost the lock on its site's ledger."""

    def __init__(self, provider: Provider, session: LockedPart) -> None:
        self.system, self.writable = provider.system, provider.writable
        self._provider, self._session = provider, session

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows of a collection, page by page."""
        self._session.holds()
        return self._provider.pages(kind)

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object."""
        self._session.holds()
        return self._provider.read(kind, locator)

    def create(self, kind: Kind, body: Row) -> Row:
        """Create an object."""
        self._session.holds()
        return self._provider.create(kind, body)

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Change an object."""
        self._session.holds()
        self._provider.update(kind, locator, body, fresh)

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete an object."""
        self._session.holds()
        self._provider.delete(kind, locator, fresh)

    def locator(self, kind: Kind, row: Row) -> str:
        """How to find the row's object again."""
        return self._provider.locator(kind, row)

    def writers(self, row: Row) -> tuple[str, ...]:
        """Who else writes the object."""
        return self._provider.writers(row)

    def close(self) -> None:
        """Close the connections."""
        self._provider.close()

    def describe(self) -> str:
        """The system's address."""
        return self._provider.describe()
