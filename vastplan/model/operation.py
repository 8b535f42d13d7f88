"""An operation that changes roles, as the ledger keeps it: what it is, how far it came, and every call that it made.

It is written before each call and after it, so that a run that died is gone on with by reading. Nothing secret is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from vastplan.model.canonical_json import plain

Facts = Mapping[str, Any]  # JSON
PAST = "past return"
"""In the facts of a record: the stage behind which it cannot be taken back any more."""
PATHS, WHOLE = "paths", "whole"
"""In the facts of a record that lies under each of several paths: their guids by their addresses, and the address that was asked for."""


class Outcome(Enum):
    """What became of a call."""

    PENDING = "pending"  # it was about to be sent, or no answer came: only reading can tell
    SEEN = "seen"  # it happened: it was answered so, or what it changes was read
    FAILED = "failed"  # it was refused, and what it changes is as it was
    NOT_SENT = "not_sent"  # two reads show that nothing happened


class Phase(Enum):
    """Where an operation stands as a whole."""

    OPEN = "open"
    ABORTING = "aborting"
    DONE = "done"
    ABORTED = "aborted"

    @property
    def closed(self) -> bool:
        """Whether nothing is left to do."""
        return self in (Phase.DONE, Phase.ABORTED)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call: its intent, what was read before it, and its outcome. `number` counts all calls of an operation."""

    number: int
    stage: str
    call: str
    what: str
    body: str
    """A digest of what was sent."""
    at: str
    before: Facts = field(default_factory=dict)
    outcome: Outcome = Outcome.PENDING
    seen: Facts = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """A record. `subject` is the guid of what changes roles, the same on both sites; `address` what the document calls it.

    `term` counts the operations of a subject: of two records the higher term is the later one, of one term the higher `serial`.
    `passed` are the stages whose gates have held, in order; `facts` what later stages need of earlier ones; `covers` the
    addresses that an ordinary apply leaves alone meanwhile.
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
        return tuple(one for one in self.attempts if one.stage == stage and call in (None, one.call))

    def happened(self, stage: str, call: str) -> bool:
        """Whether a call of a stage is known to have happened."""
        return any(one.outcome is Outcome.SEEN for one in self.of(stage, call))

    def knowing(self, **facts: Any) -> Operation:
        """The same with more facts."""
        return replace(self, facts={**self.facts, **facts})

    def with_attempt(self, attempt: Attempt) -> Operation:
        """The same with an attempt that is new, or that has another outcome now."""
        others = tuple(one for one in self.attempts if one.number != attempt.number)
        return replace(self, attempts=(*others, attempt))

    def later_than(self, other: Operation) -> bool:
        """Whether it is what became of the other one."""
        return (self.term, self.serial) > (other.term, other.serial)


def last_of_each(parts: Iterable[Iterable[Operation]]) -> tuple[Operation, ...]:
    """The record of each subject, by whichever part of the ledger knows more of it; in the order in which they began."""
    found: dict[str, Operation] = {}
    for part in parts:
        for one in part:
            if one.subject not in found or one.later_than(found[one.subject]):
                found[one.subject] = one
    return tuple(sorted(found.values(), key=lambda one: (one.began, one.id)))


def to_data(operation: Operation) -> dict[str, Any]:
    """The record as JSON-able data."""
    data: dict[str, Any] = plain(operation)
    return data


_TEXTS = ("id", "kind", "mode", "subject", "address", "source", "target", "document", "began", "stage", "stage_at")
_OF_ATTEMPT = ("stage", "call", "what", "body", "at", "why")


def from_data(data: Mapping[str, Any]) -> Operation:
    """The inverse of `to_data`; raises `ValueError` and its like for what is none: anybody may have written a ledger."""
    attempts = []
    for said in data["attempts"]:
        one = Attempt(**{**said, "outcome": Outcome(said["outcome"])})
        _checked(one, _OF_ATTEMPT, ("number",), ("before", "seen"))
        attempts.append(one)
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
