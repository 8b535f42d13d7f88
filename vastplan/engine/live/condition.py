"""Reads from a row whether its object is well, by the declaration of its kind. What the system reports stays text from outside."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from vastplan.model.live_state import WELL, Condition, LiveState
from vastplan.schema.codec import at
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import States

_LONGEST = 500  # characters of a text that a system returns
_MOST = 20  # things that hold an object which is going away


def state_reader(kind: Kind) -> Callable[[Row], LiveState]:
    """A function from a row of the kind to its state."""
    leaving, states = kind.endpoint.leaving, kind.states

    def state(row: Row) -> LiveState:
        if leaving is not None and (since := at(row, leaving.since)) is not None:
            lists = (at(row, path) for path in leaving.held_by)
            holders = [holder for listed in lists if isinstance(listed, list) for holder in listed]
            return LiveState(Condition.GOING_AWAY, since=_text(since), held_by=tuple(map(_text, holders[:_MOST])))
        return WELL if states is None else _reported(states, row)

    return state


def _reported(states: States, row: Row) -> LiveState:
    """The state by what the system reports; a value of another type than documented is none that is known."""
    raw = at(row, states.path)
    value = raw if isinstance(raw, Hashable) else _text(raw)
    if value in states.well:
        return WELL
    condition = Condition.ON_ITS_WAY
    if value in states.leaving:
        condition = Condition.GOING_AWAY
    elif value in states.failed | states.ailing:
        condition = Condition.NOT_WELL
    word = "" if raw is None or isinstance(raw, bool) else _text(raw)
    reason = _text(at(row, states.message) or "") if states.message else ""
    return LiveState(condition, word, reason, mends=value in states.ailing)


def _text(value: Any) -> str:
    return str(value)[:_LONGEST]
