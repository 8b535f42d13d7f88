"""The time of an operation, given from outside, so that tests can move it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The current time, and how to wait."""

    def now(self) -> datetime:
        """The wall-clock time."""

    def ticks(self) -> float:
        """Seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


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
