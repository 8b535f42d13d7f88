"""A planned operation: what it would do, on which facts that is based, and what cannot be undone. A frozen value in its own file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """A stage, described for people; `bound` is its longest duration in seconds."""

    name: str
    does: str
    until: str
    bound: float
    back: str
    no_return: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that was read, for a person to consider."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationPlan:
    """The common part of operation plans. `address` is what the user asked for, `path` the address of the object it is done to.

    `loss` says what is lost, `jobs` are the workloads that it stops, `covers` the addresses that an ordinary apply leaves alone
    meanwhile.
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
