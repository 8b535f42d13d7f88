"""A planned move: what it would do, what that rests on, and what it cannot take back. A frozen value in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FORMAT_VERSION = "1.0"
PLANNED, UNPLANNED, REJOIN, KEEP = "planned", "unplanned", "rejoin", "keep"
MODES = (PLANNED, UNPLANNED, REJOIN, KEEP)


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
    """One move. `lose` is the restore point that is gone back to: at the target by an unplanned move, on both sides by a rejoin.

    In a rejoin `target` is the side that is kept, and `source` the one that follows it from then on.
    """

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
