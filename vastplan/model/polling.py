"""Polls, with growing pauses, until something finishes elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def poll(
    look: Callable[[], Answer | None],
    overdue: Callable[[], Exception],
    *,
    timeout: float,
    first: float = 0.02,
    longest: float = 2.0,
    growth: float = 1.6,
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """Returns the first result of `look` that is not `None`; raises the exception that `overdue` returns after `timeout` seconds.

    `look` is called at least once. The pauses begin with `first` seconds and grow by the factor `growth` up to `longest`.
    """
    deadline, pause = time.monotonic() + timeout, first
    while (answer := look()) is None:
        if time.monotonic() > deadline:
            raise overdue()
        sleep(pause)
        pause = min(pause * growth, longest)
    return answer
