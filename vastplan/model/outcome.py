"""What an apply did: one outcome per address."""

from __future__ import annotations

from enum import Enum
from typing import Any

from vastplan.model.dataclass import dataclass


class State(Enum):
    """How one action ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"  # something it needs failed, was blocked or is unknown
    STALE = "stale"  # the object changed since the plan
    UNKNOWN = "unknown"  # sent without an answer, and a read did not show whether it happened


@dataclass(frozen=True, slots=True)
class StaleField:
    """A field or figure that made an action stale: its value when the plan was made, and its value now."""

    path: str
    planned: Any
    live: Any
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one action ended, and in `message` why it did not succeed; `moved` lists what made it stale."""

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
