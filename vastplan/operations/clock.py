"""The time of an operation, given from outside, so that tests can move it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The current time, and how to wait."""

    def now(self) -> datetime:
        """The wall-clock time."""

    def ticks(self) -> float:
        """Seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Wait."""
