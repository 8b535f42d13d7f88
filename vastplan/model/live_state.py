"""The state of a live object as its own system reports it: well, on its way, not well, or going away."""

from __future__ import annotations

from enum import Enum

from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.wording import some


class Condition(Enum):
    """What a state means to whoever uses the object."""

    WELL = "well"
    ON_ITS_WAY = "on its way"  # its system still works on it
    NOT_WELL = "not well"  # of no use until somebody mends it
    GOING_AWAY = "going away"  # it is being deleted


AILING = frozenset({Condition.NOT_WELL, Condition.GOING_AWAY})
"""The conditions of an object that somebody has to look at, however well its fields agree with the document."""


@dataclass(frozen=True, slots=True)
class LiveState:
    """The condition, and what the system reports of it: its own `word` and `reason`, for an object that is going away `since` when
    and what it is `held_by`. All of these are text from outside. What is not well `mends` where it may become well by itself."""

    condition: Condition = Condition.WELL
    word: str = ""
    reason: str = ""
    since: str = ""
    held_by: tuple[str, ...] = ()
    mends: bool = False

    @property
    def going_away(self) -> bool:
        """Whether the object is being deleted."""
        return self.condition is Condition.GOING_AWAY


WELL = LiveState()


@dataclass(frozen=True, slots=True)
class ObjectState:
    """The state of an object that is not well. `users` are those that still use it, as far as they could be read; `managed` is false
    for one that the document only refers to."""

    address: str
    state: LiveState
    users: tuple[str, ...] = ()
    managed: bool = True


def state_text(state: LiveState) -> str:
    """What a state means, after `it is`: `being deleted since 2026-05-01T10:00:00Z, held by kubernetes.io/pvc-protection`."""
    reported = ", ".join(inert(text, 300) for text in (state.word, state.reason) if text)
    match state.condition:
        case Condition.GOING_AWAY:
            since = f" since {inert(state.since, 40)}" if state.since else ""
            held = f", held by {some(state.held_by, 5, inert)}" if state.held_by else ""
            words = f"being deleted{since}{held}"
        case Condition.NOT_WELL:
            words = "not well"
        case Condition.ON_ITS_WAY:
            words = "not ready yet"
        case Condition.WELL:
            words = "well"
    return f"{words}: {reported}" if reported else words


def users_text(row: ObjectState) -> str:
    """Who still uses the object, after its state; "" where nobody is known."""
    return f"; used by {some(row.users, 5, inert)}" if row.users else ""
