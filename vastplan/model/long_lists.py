"""When a list that comes in pages is no list: whoever answers may always name another page, with other rows in it."""

from __future__ import annotations

from vastplan.model.errors import Unreachable

FEW = 100  # pages that any list may have
SMALLEST = 10  # rows a page, on the average of those beyond
MOST_ROWS = 1_000_000


class Length:
    """How much of a list was read; it ends what never would."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._pages = 0
        self._rows = 0

    def another(self, rows: int) -> None:
        """A page of so many rows was read, and there is a next one. Raises `Unreachable` where there can be no end."""
        self._pages += 1
        self._rows += rows
        if self._pages >= FEW + self._rows // SMALLEST or self._rows >= MOST_ROWS:
            raise Unreachable(f"{self._what} does not end: {self._pages} pages were read, with {self._rows} rows")
