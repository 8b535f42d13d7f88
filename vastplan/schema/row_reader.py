"""Reads rows into values: field by field, or all fields at once for rows with the same keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from vastplan.schema.field import Field, Read
from vastplan.schema.rows import ABSENT, Path, dig


class _Read(NamedTuple):
    """How to read a field: at `key` of the row and at `rest` below it, or with `spread` from the row itself."""

    name: str
    key: str
    spread: bool
    rest: Path
    read: Read | None


class RowReader:
    """Reads rows field by field."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Iterable[Field]) -> None:
        self._fields = tuple(_reading(field) for field in fields)

    def __call__(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The values of one row; fields that it does not have are left out."""
        values: dict[str, Any] = {}
        for name, key, spread, rest, read in self._fields:
            if spread:
                raw: Any = row
            elif key in row:
                raw = row[key]
                if rest and (raw := dig(raw, rest)) is ABSENT:
                    continue
            else:
                continue
            values[name] = raw if read is None or raw is None else read(raw)
        return values

    def of_rows_like(self, example: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        """A reader for any row that is fast for rows with the same keys as `example`: it takes all their values at once."""
        present = [field for field in self._fields if field.key in example]
        if len(present) < 2 or any(field.spread for field in self._fields):
            return self
        absent_keys = {field.key for field in self._fields} - example.keys()
        names, values_of = [field.name for field in present], itemgetter(*(field.key for field in present))
        special = [field for field in present if field.rest or field.read is not None]

        def read_at_once(row: Mapping[str, Any]) -> dict[str, Any]:
            if not row.keys().isdisjoint(absent_keys):
                return self(row)
            try:
                values = dict(zip(names, values_of(row), strict=True))
            except KeyError:
                return self(row)
            for name, _, _, rest, read in special:
                raw = values[name]
                if rest and (raw := dig(raw, rest)) is ABSENT:
                    del values[name]
                else:
                    values[name] = raw if read is None or raw is None else read(raw)
            return values

        return read_at_once


def _reading(field: Field) -> _Read:
    place = field.read_at
    return _Read(field.name, place[0] if place else "", not place, place[1:], field.shape.reader(field))
