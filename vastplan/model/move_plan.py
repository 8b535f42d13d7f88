"""A planned move: what it would do, what that rests on, and what it cannot take back. A frozen value in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FORMAT_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class MoveStage:
    """A stage as a person reads it; `bound` is in seconds."""

    name: str
    does: str
    until: str
    bound: float
    back: str
    no_return: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that was read, to be weighed."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class MovePlan:
    """One move. `lose` is the newest restore point at the target, which an unplanned move goes back to."""

    document: str
    digest: str
    folder: str
    sources: tuple[str, ...]
    created: str
    expires: str
    address: str
    path: str
    mode: str
    source: str
    target: str
    guid: str
    broken: str = ""
    lose: Mapping[str, str] = field(default_factory=dict)
    loss: str = ""
    jobs: tuple[Mapping[str, Any], ...] = ()
    covers: tuple[str, ...] = ()
    stages: tuple[MoveStage, ...] = ()
    evidence: tuple[Fact, ...] = ()
    by_hand: tuple[str, ...] = ()
    format_version: str = FORMAT_VERSION
    kind: str = "move"
    id: str = ""
