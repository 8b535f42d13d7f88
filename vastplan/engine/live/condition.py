"""Reads from a row whether its object is well, by the declaration of its kind. What the system reports stays text from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vastplan.model.live_state import WELL, Condition, LiveState
from vastplan.schema.codec import at
from vastplan.schema.kind import Kind, Row

_LONGEST = 500  # characters of a text that a system returns
_MOST = 20  # things that hold an object which is going away


def state_reader(kind: Kind) -> Callable[[Row], LiveState]:
    """A function from a row of the kind to its state."""
    leaving = kind.endpoint.leaving

    def state(row: Row) -> LiveState:
        if leaving is not None and (since := at(row, leaving.since)) is not None:
            lists = (at(row, path) for path in leaving.held_by)
            holders = [holder for listed in lists if isinstance(listed, list) for holder in listed]
            return LiveState(Condition.GOING_AWAY, since=_text(since), held_by=tuple(map(_text, holders[:_MOST])))
        return WELL

    return state


def _text(value: Any) -> str:
    return str(value)[:_LONGEST]
