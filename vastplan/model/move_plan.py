"""A planned move, as a file keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vastplan.model.operation_plan import OperationPlan

FORMAT_VERSION = "1.0"
PLANNED, UNPLANNED, REJOIN, KEEP = "planned", "unplanned", "rejoin", "keep"
THROUGH, FORK, REHEARSE = "through-global-access", "fork", "rehearse"
MODES = (PLANNED, UNPLANNED, REJOIN, KEEP, THROUGH, FORK, REHEARSE)
BESIDE = (FORK, REHEARSE)
"""Those that leave both sides their roles: nothing is lost by them, and each has a record of its own."""
LOSSLESS = (PLANNED, THROUGH, *BESIDE)
"""Those that lose nothing, so that nobody has to consent to a loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan(OperationPlan):
    """One move. `lose` is the restore point that is gone back to: at the target by an unplanned move, on both sides by a rejoin.

    In a rejoin `target` is the side that is kept, and `source` the one that follows it from then on. Through global access no role
    changes; `warm` is the directory at the target that is prefetched, "" for all of it.
    """

    target: str
    guid: str
    broken: str = ""
    warm: str = ""
    paths: Mapping[str, str] = field(default_factory=dict)
    """Of a project or tenant: the guid of each protected path that moves, by its address."""
    lose: Mapping[str, str] = field(default_factory=dict)
    fork: str = ""
    """The volume of the document, at the target, that a fork is to be."""
    live: bool = False
    format_version: str = FORMAT_VERSION
    kind: str = "move"

    @property
    def subject(self) -> str:
        """The key of its record: the path's guid is a word of it."""
        return " ".join(filter(None, (self.mode, self.guid, self.fork))) if self.mode in BESIDE else self.guid
