"""A planned move, as a file keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vastplan.model.operation_plan import OperationPlan

FORMAT_VERSION = "1.0"
PLANNED, UNPLANNED, REJOIN, KEEP = "planned", "unplanned", "rejoin", "keep"
MODES = (PLANNED, UNPLANNED, REJOIN, KEEP)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan(OperationPlan):
    """One move. `lose` is the restore point that is gone back to: at the target by an unplanned move, on both sides by a rejoin.

    In a rejoin `target` is the side that is kept, and `source` the one that follows it from then on.
    """

    target: str
    guid: str
    broken: str = ""
    paths: Mapping[str, str] = field(default_factory=dict)
    """Of a project or tenant: the guid of each protected path that moves, by its address."""
    lose: Mapping[str, str] = field(default_factory=dict)
    format_version: str = FORMAT_VERSION
    kind: str = "move"
