"""A plane's objects: dictionaries in memory, written through to SQLite if a path is given."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import ELOOP
from pathlib import Path
from typing import Any

from vastplan.sim import private_files

Row = dict[str, Any]
Rows = Mapping[str, Mapping[str, Row]]


class _Index:
    """The rows of a collection by the value of one top-level field; each bucket is in the order of creation."""

    def __init__(self, field: str, rows: Mapping[str, Row]) -> None:
        self._field = field
        self._buckets: dict[Any, dict[str, Row]] = defaultdict(dict)
        self._values: dict[str, Any] = {}
        for key, row in rows.items():
            self.put(key, row, rows)

    def put(self, key: str, row: Row, rows: Mapping[str, Row]) -> None:
        """Index the row that `rows` now holds under `key`."""
        value = row.get(self._field)
        if not _hashable(value):
            self.remove(key)
            return
        indexed = key in self._values
        if indexed and self._values[key] != value:
            self.remove(key)
        bucket = self._buckets[value]
        late = indexed and key not in bucket and bool(bucket)
        bucket[key] = row
        self._values[key] = value
        if late:  # an older row joined a bucket of younger ones
            self._buckets[value] = {other: stored for other, stored in rows.items() if other in bucket}

    def remove(self, key: str) -> None:
        """Remove a row from the index."""
        if key in self._values:
            value = self._values.pop(key)
            bucket = self._buckets[value]
            bucket.pop(key, None)
            if not bucket:
                del self._buckets[value]

    def rows(self, value: Any) -> Mapping[str, Row]:
        """The rows that had this value when they were last put."""
        return self._buckets.get(value, {})


def _hashable(value: Any) -> bool:
    return not isinstance(value, list | dict)


class Store:
    """Named collections of JSON rows by string id, and counters that never give a number twice.

    A returned row is the stored one: change it, then `put` it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._rows: dict[str, dict[str, Row]] = {}
        self._lists: dict[str, tuple[Row, ...]] = {}
        self._indexes: dict[str, dict[str, _Index]] = {}
        self._counters: dict[str, int] = {}
        self._file: sqlite3.Connection | None = None
        self.restores = 0
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            private_files.claim(path)  # SQLite gives the files beside it the same rights
            for beside in ("-journal", "-wal", "-shm"):
                if path.with_name(path.name + beside).is_symlink():
                    raise OSError(ELOOP, f"{path.name}{beside} is a link")
            # Planes are served by many threads, but under the world's lock, one at a time.
            self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._refuse_what_computes()
            self._file.execute("PRAGMA synchronous=OFF")  # survives this process, not the machine; first: WAL syncs too
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS row (collection TEXT, id TEXT, body TEXT, PRIMARY KEY (collection, id))"
            )
            self._file.execute("CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER)")
            for collection, key, body in self._file.execute("SELECT collection, id, body FROM row ORDER BY rowid"):
                self._rows.setdefault(collection, {})[key] = json.loads(body)
            self._counters = dict(self._file.execute("SELECT name, value FROM counter"))

    def _refuse_what_computes(self) -> None:
        """Refuse a file with views, triggers or virtual tables, which can compute without end; only a simulator's own file has none."""
        assert self._file is not None
        self._file.execute("PRAGMA trusted_schema=OFF")
        objects = self._file.execute("SELECT type, sql FROM sqlite_master WHERE type <> 'index'").fetchall()
        if any(kind != "table" or "virtual" in sql.lower() for kind, sql in objects):
            raise sqlite3.DatabaseError("it was not created by a simulator")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all puts within to the file in one transaction, which makes thousands of rows fast."""
        if self._file is None:
            yield
            return
        self._file.execute("BEGIN")
        try:
            yield
        finally:
            self._file.execute("COMMIT")  # also after an error: memory has what was put until then

    def next(self, counter: str, start: int = 1) -> int:
        """The counter's next number."""
        value = self._counters.get(counter, start - 1) + 1
        self._counters[counter] = value
        if self._file:
            self._file.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", (counter, value))
        return value

    def put(self, collection: str, key: str, row: Row) -> Row:
        """Insert or replace a row."""
        rows = self._rows.setdefault(collection, {})
        if rows.get(key) is not row:
            rows[key] = row
            self._lists.pop(collection, None)
        for index in self._indexes.get(collection, {}).values():
            index.put(key, row, rows)
        if self._file:
            self._file.execute(
                "INSERT INTO row VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
                (collection, key, json.dumps(row)),
            )
        return row

    def get(self, collection: str, key: str) -> Row | None:
        """One row, or `None`."""
        rows = self._rows.get(collection)
        return None if rows is None else rows.get(key)

    def remove(self, collection: str, key: str) -> None:
        """Remove a row if it exists."""
        if self._rows.get(collection, {}).pop(key, None) is None:
            return
        self._lists.pop(collection, None)
        for index in self._indexes.get(collection, {}).values():
            index.remove(key)
        if self._file:
            self._file.execute("DELETE FROM row WHERE collection = ? AND id = ?", (collection, key))

    def rows(self, collection: str) -> Sequence[Row]:
        """All rows of a collection in the order of creation, as of now; a later write does not change this sequence."""
        if collection not in self._lists:
            self._lists[collection] = tuple(self._rows.get(collection, {}).values())
        return self._lists[collection]

    def where(self, collection: str, /, **fields: Any) -> Iterator[Row]:
        """The rows whose top-level fields equal `fields`, in the order of creation."""
        candidates: Sequence[Row] | Mapping[str, Row] = self.rows(collection)
        for name, value in fields.items():
            if _hashable(value):
                having = self._index(collection, name).rows(value)
                if len(having) <= len(candidates):
                    candidates = having
        rows = list(candidates.values()) if isinstance(candidates, Mapping) else candidates
        for row in rows:
            if all(row.get(name) == value for name, value in fields.items()):
                yield row

    def _index(self, collection: str, field: str) -> _Index:
        indexes = self._indexes.setdefault(collection, {})
        if field not in indexes:
            indexes[field] = _Index(field, self._rows.get(collection, {}))
        return indexes[field]

    def collections(self) -> Rows:
        """Every collection's rows by id, for reading only."""
        return self._rows

    def counters(self) -> Mapping[str, int]:
        """The last number of every counter, for reading only."""
        return self._counters

    def restore(self, collections: Rows, counters: Mapping[str, int]) -> None:
        """Replace all rows and counters by these; for a store without a file."""
        assert self._file is None
        self._rows = {collection: dict(rows) for collection, rows in collections.items()}
        self._counters = dict(counters)
        self._lists.clear()
        self._indexes.clear()
        self.restores += 1

    def empty(self) -> bool:
        """Whether nothing was ever stored."""
        return not self._rows

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()
            self._file = None
