"""The clock of operations."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The current time."""
        return datetime.now(UTC)

    def ticks(self) -> float:
        """The monotonic clock, in seconds."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


CLOCK = SystemClock()
