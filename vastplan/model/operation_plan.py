"""A planned operation: what it would do, what that rests on, and what it cannot take back. A frozen value in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PlannedStage:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationPlan:
    """What plans of operations have in common. `address` is what was asked for, `path` what of the document it is done to.

    `loss` says what is lost, `jobs` are the workloads that it stops, `covers` what an ordinary apply leaves alone meanwhile.
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
    loss: str = ""
    jobs: tuple[Mapping[str, Any], ...] = ()
    covers: tuple[str, ...] = ()
    stages: tuple[PlannedStage, ...] = ()
    evidence: tuple[Fact, ...] = ()
    by_hand: tuple[str, ...] = ()
    format_version: str
    kind: str
    id: str = ""
