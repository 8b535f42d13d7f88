"""Settle a write without an answer: read what became of it, and send it again where nothing did.

Never blindly: a balancer may answer 503 after the system behind it has written.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from vastplan.model.errors import Refused, Unclear, Unreachable
from vastplan.schema.kind import Row

T = TypeVar("T")
TRIES = 3
PAUSE = 0.5  # seconds until the read: what the system was still doing when the connection broke is done by then


def settled_write(send: Callable[[], T], look: Callable[[Unclear], T | None], nothing: str) -> T:
    """The answer to a write, or what `look` read in its place; `None` of it means that nothing of the write exists.

    Then the write is sent again, unless the system may still be working on it. Raises `Unclear` with `nothing` in the end, and what
    `look` raises: `Unclear` where a read cannot show what became of the write.
    """
    unclear: Unclear | None = None
    refusal = ""
    for _ in range(TRIES):
        try:
            return send()
        except Unclear as problem:
            unclear = problem
        except (Refused, Unreachable) as problem:
            if unclear is None:
                raise
            refusal = f"; sent again: {problem}"  # perhaps because the first one has arrived meanwhile
        if unclear.ended:
            time.sleep(PAUSE)
        answer = look(unclear)
        if answer is not None:
            return answer
        if refusal or not unclear.ended:
            break
    raise Unclear(f"{unclear}{refusal}; {nothing}")


def settled_change(
    send: Callable[[Row], None],
    read: Callable[[], Row | None],
    took_effect: Callable[[Row | None, Unclear], bool],
    fresh: Row,
    nothing: str,
) -> None:
    """The same for a write on an existing object, which is sent with the row that was read last, at first `fresh`."""

    def sent() -> bool:
        send(fresh)
        return True

    def look(problem: Unclear) -> bool | None:
        nonlocal fresh
        row = read()
        if took_effect(row, problem):
            return True
        fresh = row if row is not None else fresh
        return None

    settled_write(sent, look, nothing)
