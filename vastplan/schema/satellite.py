"""What an operation asks of the sides of something that another site uses through a cache. Systems implement these protocols."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Progress(Enum):
    """How far a prefetch is. Whatever is not understood is `RUNNING`: busy, never done."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Prefetch:
    """A prefetch: `said` is its state in the system's words, `full` whether it brings data and not only names."""

    task: int
    progress: Progress
    said: str
    full: bool = True
    size: int | None = None
    """Bytes that have come so far, `None` where nobody says."""


class Cached(Protocol):
    """One side of what is shared so. Every call raises what `Provider`'s do."""

    site: str
    path: str
    """Where its calls go, for messages and the record."""

    def shared(self) -> bool:
        """Whether this side says that it is shared by a cache."""

    def lease(self) -> float | None:
        """For how long the cache answers without asking, in seconds; `None` where nothing is told."""

    def prefetch(self, directory: str) -> int:
        """Begin to fill the cache from a directory on; only at the side that has it. Answers the task."""

    def running(self, directory: str) -> tuple[int, ...]:
        """The tasks of prefetches of that directory that are under way."""

    def prefetched(self, task: int, directory: str) -> Prefetch | None:
        """How far one is, `None` where it is not known any more."""

    def stop(self, task: int) -> None:
        """Let one end, and forget it."""
