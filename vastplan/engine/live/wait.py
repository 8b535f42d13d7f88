"""Wait for what a system finishes later: until an object is ready, or until it is gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from vastplan.engine.live.condition import state_reader
from vastplan.model.errors import Refused, Unclear
from vastplan.model.live_state import AILING, WELL, Condition, state_text
from vastplan.model.polling import poll
from vastplan.schema.codec import item_id
from vastplan.schema.kind import Kind, Row
from vastplan.schema.provider import Provider

T = TypeVar("T")
TIMEOUT = 300.0  # seconds
SHOWN = 60.0  # seconds: a system of several replicas may show an object only some time after it answered the write


def until_ready(kind: Kind, provider: Provider, locator: str, sleep: Callable[[float], None] = time.sleep) -> Row:
    """The object that was just written, once it is usable; raises `Refused` when it failed, `Unclear` when it is gone, is not shown or
    takes too long."""
    state, state_of = WELL, state_reader(kind)
    was_shown, waited = False, 0.0

    def pause(seconds: float) -> None:
        nonlocal waited
        waited += seconds
        sleep(seconds)

    def ready() -> Row | None:
        nonlocal state, was_shown
        row = provider.read(kind, locator)
        if row is None and not was_shown and waited < SHOWN:
            return None
        if row is None:
            why = "is gone" if was_shown else f"is not shown after {SHOWN:.0f} s"
            raise Unclear(f"{kind.name} {locator} was written and {why}")
        was_shown = True
        if kind.states is None or not kind.states.awaited:
            return row
        state = state_of(row)
        if state.condition in AILING and not state.mends:
            raise Refused(f"{kind.name} {locator} is {state_text(state)}")
        return row if state.condition is Condition.WELL else None

    def overdue() -> Unclear:
        return Unclear(f"{kind.name} {locator} is {state_text(state)} (waited {TIMEOUT:.0f} s)")

    return poll(ready, overdue, timeout=TIMEOUT, sleep=pause)


def until_shown(look: Callable[[], T | None], age: float, sleep: Callable[[float], None] = time.sleep) -> T | None:
    """What `look` finds of a write without an answer, which was sent `age` seconds ago; `None` where a read would show it by now.

    A clock that is ahead of this one sent it in the future: then it counts as sent just now."""
    age, pause = max(age, 0.0), 0.02
    while (found := look()) is None and age < SHOWN:
        sleep(pause)
        age, pause = age + pause, min(pause * 1.6, 2.0)
    return found


def until_gone(
    kind: Kind, provider: Provider, locator: str, id: str, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Return once the object with this id no longer exists; raises `Unclear` when that takes too long."""
    state, state_of = WELL, state_reader(kind)

    def gone() -> bool | None:
        row = provider.read(kind, locator)
        if row is None or item_id(kind.endpoint, row) != id:
            return True
        nonlocal state
        state = state_of(row)
        return None

    def overdue() -> Unclear:
        why = f": it is {state_text(state)}" if state.going_away else ""
        return Unclear(f"{kind.name} {locator} was deleted and still exists after {TIMEOUT:.0f} s{why}")

    poll(gone, overdue, timeout=TIMEOUT, sleep=sleep)
