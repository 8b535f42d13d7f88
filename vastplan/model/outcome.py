"""What an apply did: a receipt per address."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """How one action ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"  # something it needs failed, was blocked or is unknown
    STALE = "stale"  # the object moved since the plan
    UNKNOWN = "unknown"  # sent, no answer, and reading could not settle it


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one action ended, and why when it did not end well."""

    address: str
    verb: str
    state: State
    message: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The outcomes of one apply."""

    plan: str
    outcomes: tuple[Outcome, ...]

    def states(self) -> set[State]:
        """The states that occur."""
        return {outcome.state for outcome in self.outcomes}
