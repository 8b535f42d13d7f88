"""A planned move, as a file keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vastplan.model.operation_plan import OperationPlan

FORMAT_VERSION = "1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan(OperationPlan):
    """One move. `lose` is the newest restore point at the target, which an unplanned move goes back to."""

    target: str
    guid: str
    broken: str = ""
    lose: Mapping[str, str] = field(default_factory=dict)
    format_version: str = FORMAT_VERSION
    kind: str = "move"
