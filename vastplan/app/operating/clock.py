"""The time of operations."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """This machine's."""

    def now(self) -> datetime:
        """The time."""
        return datetime.now(UTC)

    def ticks(self) -> float:
        """Of the monotonic clock."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


CLOCK = SystemClock()
