"""The time for leases, injected so that tests need not wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from vastplan.model.dataclass import dataclass


def _ticks() -> float:
    # Linux stops the ordinary monotonic clock while the machine sleeps, but a lease keeps running out.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True, slots=True)
class LedgerClock:
    """`wall` is the time of clusters and people; `ticks` are seconds that never go back."""

    wall: Callable[[], datetime] = lambda: datetime.now(UTC)
    ticks: Callable[[], float] = _ticks
    sleep: Callable[[float], None] = time.sleep


SYSTEM = LedgerClock()
