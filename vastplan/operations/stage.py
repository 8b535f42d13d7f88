"""A stage of an operation: its precondition, its calls, its gate with a time limit, and how to take it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Facts, Operation


class CallEffect(Enum):
    """The effect of a call: a read after it compared with the read before it."""

    HAPPENED = "happened"
    NOTHING = "nothing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Call:
    """One documented call. `read` returns what it changes, `effect` compares that with the read before it was sent.

    `name` is unique within its stage and the same in every run. `what` says method, path and site. `send` returns
    what only the answer contains; the record keeps it with the outcome.
    """

    name: str
    what: str
    body: Mapping[str, Any]
    read: Callable[[], Facts]
    send: Callable[[], Facts | None]
    effect: Callable[[Facts, Facts], CallEffect]


def effect(shows: Callable[[Facts], object]) -> Callable[[Facts, Facts], CallEffect]:
    """The `told` of a call whose effect a read shows: it happened if `shows` is true of the read after it, and nothing did otherwise."""
    return lambda _, now: CallEffect.HAPPENED if shows(now) else CallEffect.NOTHING


class Holds(Enum):
    """The result of one observation of a gate."""

    YES = "yes"
    NOT_YET = "not yet"
    NEVER = "never"  # waiting cannot help


@dataclass(frozen=True, slots=True)
class Gate:
    """One observation of a gate; `facts` are what later stages need of it."""

    holds: Holds
    says: str = ""
    facts: Facts = field(default_factory=dict)


def waiting(text: str, **facts: Any) -> Gate:
    """A gate that holds, with facts, once there is no `text` that says what it waits for."""
    return Gate(Holds.NOT_YET, text) if text else Gate(Holds.YES, facts=facts)


OPEN = Gate(Holds.YES)
LOOK = "look"


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
    """One step of an operation. Its functions read when they are called; only `Call.send` changes anything.

    `does`, `until` and `back` describe calls, gate and rollback for people. `precondition` returns why it may not begin, "" if it
    may; `crossed` why it can no longer be taken back. `bound` is the time limit of its gate, in seconds.
    """

    name: str
    does: str
    until: str
    bound: float
    back: str = "nothing to take back"
    precondition: Callable[[Operation], str] = _no_problem
    once: Callable[[Operation], str] = _no_problem
    """Like `precondition`, after it: what is true of the sites as a whole, and is asked once for paths that move together."""
    calls: Callable[[Operation], tuple[Call, ...]] = _no_calls
    gate: Callable[[Operation], Gate] = _open
    rollback: Callable[[Operation], tuple[Call, ...]] = _no_calls
    undone: Callable[[Operation], Gate] = _open
    crossed: Callable[[Operation], str] = _not_crossed
    best_effort: bool = False
    """Whether it goes on if a call is refused, or the outcome of a call is unknown."""
    no_return: bool = False
    """Whether it contains the point of no return, which `back` describes."""
    pause: float = 0.0
    """The seconds that it takes at least while nobody can write: by itself, and as its system forecasts."""
    covers: tuple[str, ...] | None = None
    """What an apply leaves alone from the end of this stage on, if that is less than before."""


def look(
    does: str, until: str, problem: Callable[[Operation], str], once: Callable[[Operation], str] = _no_problem
) -> Stage:
    """The first stage, which only reads: it may not end while there is a `problem`."""
    return Stage(LOOK, does, until, bound=0.0, precondition=problem, once=once)


def noting(stages: tuple[Stage, ...], facts: Callable[[], Facts]) -> tuple[Stage, ...]:
    """The stages, of which the first notes facts that it reads when it ends: a stage that stopped before may be passed much later."""
    first, *others = stages

    def gate(operation: Operation) -> Gate:
        found = first.gate(operation)
        return replace(found, facts={**found.facts, **facts()}) if found.holds is Holds.YES else found

    return (replace(first, gate=gate), *others)


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
