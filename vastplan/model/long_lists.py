"""Detects a paged list that never ends: a server may always name another page, with other rows in it."""

from __future__ import annotations

from vastplan.model.errors import Unreachable

FEW = 100  # pages that any list may have
SMALLEST = 10  # least rows per page on average, for further pages
MOST_ROWS = 1_000_000


class Length:
    """Counts what was read of a list, and stops a list that would never end."""

    def __init__(self, list_name: str) -> None:
        self._list_name = list_name
        self._pages = 0
        self._rows = 0

    def another(self, rows: int) -> None:
        """Record that a page with so many rows was read and another follows. Raises `Unreachable` where the list is too long."""
        self._pages += 1
        self._rows += rows
        if self._pages >= FEW + self._rows // SMALLEST or self._rows >= MOST_ROWS:
            raise Unreachable(f"{self._list_name} does not end: {self._pages} pages were read, with {self._rows} rows")
