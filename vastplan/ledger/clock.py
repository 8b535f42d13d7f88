"""The time as a lease sees it: given from outside, so that tests need not wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _ticks() -> float:
    # Linux stops the ordinary monotonic clock while the machine sleeps, and a lease runs on.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True, slots=True)
class Clock:
    """`wall` is what clusters and people call the time; `ticks` are seconds that never go back."""

    wall: Callable[[], datetime] = lambda: datetime.now(UTC)
    ticks: Callable[[], float] = _ticks
    sleep: Callable[[float], None] = time.sleep


SYSTEM = Clock()
