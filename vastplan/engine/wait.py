"""Wait for what a system finishes later: until an object is ready, or until it is gone."""

from __future__ import annotations

import time
from collections.abc import Callable

from vastplan.model.errors import Refused, Unclear
from vastplan.schema.codec import at, item_id
from vastplan.schema.kind import Kind, Row
from vastplan.schema.provider import Provider

TIMEOUT = 300.0  # seconds
_FIRST, _LONGEST = 0.02, 2.0


def until_ready(kind: Kind, provider: Provider, locator: str, sleep: Callable[[float], None] = time.sleep) -> Row:
    """The object once it is usable; raises `Refused` when it failed, `Unclear` when it is gone or takes too long."""
    deadline, pause = time.monotonic() + TIMEOUT, _FIRST
    while True:
        row = provider.read(kind, locator)
        if row is None:
            raise Unclear(f"{kind.name} {locator} was written and is not there")
        if kind.ready is None:
            return row
        state = at(row, kind.ready.path)
        if state in kind.ready.ok:
            return row
        if state in kind.ready.failed:
            reason = at(row, kind.ready.message) if kind.ready.message else None
            raise Refused(f"{kind.name} {locator} ended as {state}" + (f": {reason}" if reason else ""))
        if time.monotonic() > deadline:
            raise Unclear(f"{kind.name} {locator} is still {state} after {TIMEOUT:.0f} s")
        sleep(pause)
        pause = min(pause * 1.6, _LONGEST)


def until_gone(
    kind: Kind, provider: Provider, locator: str, id: str, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Return once that very object no longer answers; raises `Unclear` when that takes too long."""
    deadline, pause = time.monotonic() + TIMEOUT, _FIRST
    while True:
        row = provider.read(kind, locator)
        if row is None or item_id(kind.endpoint, row) != id:
            return
        if time.monotonic() > deadline:
            raise Unclear(f"{kind.name} {locator} was deleted and is still there after {TIMEOUT:.0f} s")
        sleep(pause)
        pause = min(pause * 1.6, _LONGEST)
