"""Finds the new entries that an action is for: an object that belongs to a whole site is for every entry that needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from vastplan.model.address import Address
from vastplan.model.finding import Where
from vastplan.model.value import references
from vastplan.schema.entries import Entry

_Line = TypeVar("_Line")


class Behind(Generic[_Line]):
    """Finds these entries. `line_at` returns the new entry at a place in the files, or `None` for an old entry."""

    def __init__(self, composed: Iterable[Entry], line_at: Callable[[Where | None], _Line | None]) -> None:
        self._composed, self._line_at = {entry.address: entry for entry in composed}, line_at
        self._needing: dict[Address, list[Entry]] | None = None

    def lines(self, address: Address) -> list[_Line]:
        """The new entry that an object comes from, or else the new entries that need the object, also through objects without a place."""
        own = self._composed.get(address)
        line = self._line_at(own.where if own is not None else None)
        if line is not None:
            return [line]
        lines: list[_Line] = []
        waiting, seen = [address], {address}
        while waiting:
            for entry in self._needed_by(waiting.pop()):
                if entry.address in seen:
                    continue
                seen.add(entry.address)
                line = self._line_at(entry.where)
                if line is not None:
                    lines.append(line)
                elif entry.where is None:
                    waiting.append(entry.address)
        return lines

    def _needed_by(self, address: Address) -> list[Entry]:
        if self._needing is None:
            self._needing = {}
            for entry in self._composed.values():
                for needed in {*entry.after, *(ref.target for ref in references(entry.values))}:
                    self._needing.setdefault(needed, []).append(entry)
        return self._needing.get(address, [])
