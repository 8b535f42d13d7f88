"""Where a plane keeps its objects: dictionaries in memory, written through to SQLite when a path is given."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class Store:
    """Named collections of JSON rows by string id, and counters that never give a number twice.

    A row handed out is the stored one: change it, then `put` it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._rows: dict[str, dict[str, Row]] = {}
        self._counters: dict[str, int] = {}
        self._file: sqlite3.Connection | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Planes are served from many threads, but the world's lock lets one in at a time.
            self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=OFF")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS row (collection TEXT, id TEXT, body TEXT, PRIMARY KEY (collection, id))"
            )
            self._file.execute("CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER)")
            for collection, key, body in self._file.execute("SELECT collection, id, body FROM row ORDER BY rowid"):
                self._rows.setdefault(collection, {})[key] = json.loads(body)
            self._counters = dict(self._file.execute("SELECT name, value FROM counter"))

    def next(self, counter: str, start: int = 1) -> int:
        """The counter's next number."""
        value = self._counters.get(counter, start - 1) + 1
        self._counters[counter] = value
        if self._file:
            self._file.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", (counter, value))
        return value

    def put(self, collection: str, key: str, row: Row) -> Row:
        """Insert or replace a row."""
        self._rows.setdefault(collection, {})[key] = row
        if self._file:
            self._file.execute(
                "INSERT INTO row VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
                (collection, key, json.dumps(row)),
            )
        return row

    def get(self, collection: str, key: str) -> Row | None:
        """One row, or `None`."""
        return self._rows.get(collection, {}).get(key)

    def remove(self, collection: str, key: str) -> None:
        """Remove a row; it is fine when there is none."""
        self._rows.get(collection, {}).pop(key, None)
        if self._file:
            self._file.execute("DELETE FROM row WHERE collection = ? AND id = ?", (collection, key))

    def rows(self, collection: str) -> list[Row]:
        """All rows of a collection in the order of creation."""
        return list(self._rows.get(collection, {}).values())

    def where(self, collection: str, **fields: Any) -> Iterator[Row]:
        """The rows whose top-level fields equal `fields`."""
        for row in self.rows(collection):
            if all(row.get(name) == value for name, value in fields.items()):
                yield row

    def empty(self) -> bool:
        """Whether nothing was ever stored."""
        return not self._rows

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()
            self._file = None
