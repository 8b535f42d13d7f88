"""A planned move, as it is saved in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vastplan.model.dataclass import dataclass
from vastplan.model.operation_plan import OperationPlan

FORMAT_VERSION = "1.0"
PLANNED, UNPLANNED, REJOIN, KEEP = "planned", "unplanned", "rejoin", "keep"
THROUGH, FORK, REHEARSE, ARM = "through-global-access", "fork", "rehearse", "arm"
MODES = (PLANNED, UNPLANNED, REJOIN, KEEP, THROUGH, FORK, REHEARSE, ARM)
BESIDE = (FORK, REHEARSE, ARM)
"""The modes that leave both sides in their roles: nothing is lost, and each operation has a record of its own."""
ROLES = (PLANNED, UNPLANNED, REJOIN, KEEP)
"""The modes after which the target is the source."""
LOSSLESS = (PLANNED, THROUGH, *BESIDE)
"""The modes that lose no data, so that nobody has to consent to a loss."""

CHANGE_DOCUMENT = "change the document"
"""How the step by hand begins that --accept takes over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan(OperationPlan):
    """One move. `lose` is the restore point that the data goes back to: at the target in an unplanned move, on both sides in a
    rejoin.

    In a rejoin `target` is the side whose data is kept, and `source` the side that becomes its destination. A move through global
    access changes no role; `warm` is the directory at the target that is prefetched, "" for all of it.
    """

    target: str
    guid: str
    broken: str = ""
    warm: str = ""
    paths: Mapping[str, str] = field(default_factory=dict)
    """For a project or tenant: the guid of each protected path that moves, by its address."""
    lose: Mapping[str, str] = field(default_factory=dict)
    lose_each: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """For a project or tenant that loses data: the restore point of each path, by its address. The oldest of them is `lose`."""
    after: Mapping[str, str] = field(default_factory=dict)
    """The id of the last move of each path before this one, by the guid of the path: after any other the plan is stale."""
    fork: str = ""
    """The volume of the document, at the target, that a fork creates."""
    live: bool = False
    armed: bool = False
    """Whether an unplanned move was planned in advance, while its source answered."""
    format_version: str = FORMAT_VERSION
    kind: str = "move"

    @property
    def subject(self) -> str:
        """The key of its record; one of its words is the path's guid."""
        return " ".join(filter(None, (self.mode, self.guid, self.fork))) if self.mode in BESIDE else self.guid
