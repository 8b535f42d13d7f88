"""What an apply did: a receipt per address."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class State(Enum):
    """How one action ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"  # something it needs failed, was blocked or is unknown
    STALE = "stale"  # the object moved since the plan
    UNKNOWN = "unknown"  # sent, no answer, and reading could not settle it


@dataclass(frozen=True, slots=True)
class StaleField:
    """What made an action stale: a field or a figure, what it was when the plan was made, and what it is now."""

    path: str
    planned: Any
    live: Any
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one action ended, and why when it did not end well; `moved` is what made it stale."""

    address: str
    verb: str
    state: State
    message: str = ""
    moved: tuple[StaleField, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """The outcomes of one apply."""

    plan: str
    outcomes: tuple[Outcome, ...]

    def states(self) -> set[State]:
        """The states that occur."""
        return {outcome.state for outcome in self.outcomes}
