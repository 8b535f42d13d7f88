"""The record in the ledger of an operation (move, restore): what it is, how far it came, and every call that it made.

It is written before and after each call, so that a run that died can be continued by reading it. It holds no secrets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any

from vastplan.model.canonical_json import plain_json
from vastplan.model.dataclass import dataclass

Facts = Mapping[str, Any]  # JSON
PAST = "past return"
"""A fact of a record: the stage after which the operation can no longer be aborted."""
MEASURED = "measured"
"""A fact of a record: the seconds from the begin of each stage to its end, interruptions included."""
BACK = "back"
"""A fact of a record: lines about the restore point that each path goes back to, and the work that is done again."""
WATCHER = "watcher"
"""In the consent of an operation: the place of the watcher that began it, and that fences before there is no way back."""
PATHS, WHOLE = "paths", "whole"
"""Facts of a record that is kept for each of several paths: their guids by address, and the address that the user gave."""


class Outcome(Enum):
    """The outcome of a call."""

    PENDING = "pending"  # about to be sent, or without an answer: only a read can show whether it happened
    SEEN = "seen"  # it happened: the answer says so, or a read showed its effect
    FAILED = "failed"  # it was refused, and changed nothing
    NOT_SENT = "not_sent"  # two reads show that nothing happened


class Phase(Enum):
    """The phase of an operation as a whole."""

    OPEN = "open"
    ABORTING = "aborting"
    DONE = "done"
    ABORTED = "aborted"

    @property
    def closed(self) -> bool:
        """Whether the operation is finished."""
        return self in (Phase.DONE, Phase.ABORTED)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call: its purpose (`what`), what was read before it, and its outcome. `number` counts all calls of an operation."""

    number: int
    stage: str
    call: str
    what: str
    body: str
    """A digest of the body that was sent."""
    at: str
    before: Facts = field(default_factory=dict)
    outcome: Outcome = Outcome.PENDING
    seen: Facts = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """A record. `subject` is the guid of the replicated object, the same on both sites; `address` is its address in the document.

    `term` counts the operations of a subject: of two records the one with the higher term is the later one; within a term the one
    with the higher `serial`. `passed` are the stages whose gates passed, in order; `facts` are what later stages need from earlier
    ones; `covers` are the addresses that an ordinary apply leaves alone meanwhile.
    """

    id: str
    kind: str
    mode: str
    subject: str
    address: str
    source: str
    target: str
    document: str
    began: str
    term: int = 1
    serial: int = 0
    phase: Phase = Phase.OPEN
    stage: str = ""
    stage_at: str = ""
    passed: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    consent: Facts = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()

    def of(self, stage: str, call: str | None = None) -> tuple[Attempt, ...]:
        """The attempts of a stage, or of one of its calls, in their order."""
        return tuple(attempt for attempt in self.attempts if attempt.stage == stage and call in (None, attempt.call))

    def happened(self, stage: str, call: str) -> bool:
        """Whether a call of a stage is known to have happened."""
        return any(attempt.outcome is Outcome.SEEN for attempt in self.of(stage, call))

    def knowing(self, **facts: Any) -> Operation:
        """The record with more facts."""
        return replace(self, facts={**self.facts, **facts})

    def with_attempt(self, attempt: Attempt) -> Operation:
        """The record with a new attempt, or with one in place of that with the same number."""
        others = tuple(other for other in self.attempts if other.number != attempt.number)
        return replace(self, attempts=(*others, attempt))

    def later_than(self, other: Operation) -> bool:
        """Whether it is later than another record of the same subject."""
        return (self.term, self.serial) > (other.term, other.serial)


def last_of_each(parts: Iterable[Iterable[Operation]]) -> tuple[Operation, ...]:
    """The latest record of each subject in all parts of the ledger, in the order in which the operations began."""
    latest: dict[str, Operation] = {}
    for part in parts:
        for operation in part:
            if operation.subject not in latest or operation.later_than(latest[operation.subject]):
                latest[operation.subject] = operation
    return tuple(sorted(latest.values(), key=lambda operation: (operation.began, operation.id)))


def operation_to_data(operation: Operation) -> dict[str, Any]:
    """The record as JSON-able data."""
    data: dict[str, Any] = plain_json(operation)
    return data


_TEXTS = ("id", "kind", "mode", "subject", "address", "source", "target", "document", "began", "stage", "stage_at")
_OF_ATTEMPT = ("stage", "call", "what", "body", "at", "why")


def operation_from_data(data: Mapping[str, Any]) -> Operation:
    """The inverse of `operation_to_data`. Raises `ValueError`, `TypeError` or `KeyError` for data that is not a record: anybody may have
    written the ledger."""
    attempts = []
    for fields in data["attempts"]:
        attempt = Attempt(**{**fields, "outcome": Outcome(fields["outcome"])})
        _checked(attempt, _OF_ATTEMPT, ("number",), ("before", "seen"))
        attempts.append(attempt)
    parsed = {"phase": Phase(data["phase"]), "passed": tuple(data["passed"]), "covers": tuple(data["covers"])}
    operation = Operation(**{**data, **parsed, "attempts": tuple(attempts)})
    _checked(operation, _TEXTS, ("term", "serial"), ("consent", "facts"))
    if not all(isinstance(text, str) for text in (*operation.passed, *operation.covers)):
        raise ValueError("something else where a text belongs")
    return operation


def _checked(
    value: Operation | Attempt, texts: tuple[str, ...], counts: tuple[str, ...], tables: tuple[str, ...]
) -> None:
    shapes: tuple[tuple[tuple[str, ...], type], ...] = ((texts, str), (counts, int), (tables, dict))
    for names, shape in shapes:
        for name in names:
            if type(getattr(value, name)) is not shape:
                raise ValueError(f"something else where {name} belongs")
