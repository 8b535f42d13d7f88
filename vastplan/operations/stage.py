"""A stage of an operation: what must hold before it, what it sends, what is observed until when, and what takes it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from vastplan.model.operation import Facts, Operation


class Told(Enum):
    """What a read says of a call, held against what was read before it."""

    HAPPENED = "happened"
    NOTHING = "nothing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Call:
    """One documented call. `read` answers what it changes, `told` compares that with what was read before it was sent.

    `name` is its own within its stage, the same in every run. `what` says method, path and site. What `send` answers is
    noted with the outcome: what only the answer says.
    """

    name: str
    what: str
    body: Mapping[str, Any]
    read: Callable[[], Facts]
    send: Callable[[], Facts | None]
    told: Callable[[Facts, Facts], Told]


class Holds(Enum):
    """What an observation of a gate says."""

    YES = "yes"
    NOT_YET = "not yet"
    NEVER = "never"  # waiting cannot help


@dataclass(frozen=True, slots=True)
class Gate:
    """One observation of a gate; `facts` are what later stages need of it."""

    holds: Holds
    says: str = ""
    facts: Facts = field(default_factory=dict)


OPEN = Gate(Holds.YES)


def _no_problem(_: Operation) -> str:
    return ""


def _no_calls(_: Operation) -> tuple[Call, ...]:
    return ()


def _open(_: Operation) -> Gate:
    return OPEN


def _not_crossed(_: Operation) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Stage:
    """What is done at once. All of its functions read when they are called; none but `Call.send` changes anything.

    `does`, `until` and `back` say calls, gate and rollback for people. `precondition` answers why it may not begin, "" where it
    may; `crossed` why it cannot be taken back any more. `bound` is how long its gate is waited for, in seconds.
    """

    name: str
    does: str
    until: str
    bound: float
    back: str = "nothing to take back"
    precondition: Callable[[Operation], str] = _no_problem
    calls: Callable[[Operation], tuple[Call, ...]] = _no_calls
    gate: Callable[[Operation], Gate] = _open
    rollback: Callable[[Operation], tuple[Call, ...]] = _no_calls
    undone: Callable[[Operation], Gate] = _open
    crossed: Callable[[Operation], str] = _not_crossed
    best_effort: bool = False
    """Whether it goes on where a call of it is refused, or where nobody can tell what became of one."""
    no_return: bool = False
    """Whether the point of no return lies in it, which `back` says."""
    covers: tuple[str, ...] | None = None
    """What an apply leaves alone from the end of this stage on, where that is less than before."""


def undoing(stages: tuple[Stage, ...], operation: Operation) -> tuple[Stage, ...]:
    """The stages that take back what an operation has begun, the last first."""
    begun = [stage for stage in stages if stage.name in operation.passed or operation.of(stage.name)]
    return tuple(
        Stage(
            name=f"undo {stage.name}",
            does=stage.back,
            until=stage.back,
            bound=stage.bound,
            calls=stage.rollback,
            gate=stage.undone,
        )
        for stage in reversed(begun)
    )
