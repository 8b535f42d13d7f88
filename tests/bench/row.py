"""A row of the table and its result."""

from __future__ import annotations

import pstats
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One result: a ratio (or kB), and in words what it was made of."""

    value: float
    detail: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `profile` answers where the time goes, of the same work."""

    name: str
    title: str
    target: float
    unit: str
    measure: Callable[[], Figure]
    profile: Callable[[], pstats.Stats]
