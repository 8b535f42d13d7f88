"""The interface of operations to the sides of a directory that another site uses through a cache. Systems implement these
protocols."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from vastplan.model.dataclass import dataclass


class Progress(Enum):
    """The progress of a prefetch. An unknown state counts as `RUNNING`: busy, never done."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Prefetch:
    """A prefetch: `stated` is its state in the system's words, `full` is whether it fetches data and not only names."""

    task: int
    progress: Progress
    stated: str
    full: bool = True
    size: int | None = None
    """Bytes fetched so far, `None` where the system does not return them."""


class Cached(Protocol):
    """One side of a directory that is shared through a cache. Calls raise what `Provider` raises."""

    site: str
    path: str
    """The path of its calls, for messages and the record."""

    def shared(self) -> bool:
        """Whether this side shows that it is shared through a cache."""

    def lease(self) -> float | None:
        """How long the cache answers without asking the other side, in seconds; `None` where the system does not return it."""

    def prefetch(self, directory: str) -> int:
        """Start to fill the cache with a directory and what is below it; only on the side with the cache. Returns the task."""

    def running(self, directory: str) -> tuple[int, ...]:
        """The tasks of running prefetches of that directory."""

    def prefetched(self, task: int, directory: str) -> Prefetch | None:
        """The state of a prefetch, `None` where the system no longer knows it."""

    def stop(self, task: int) -> None:
        """Stop a prefetch, and delete its task."""
