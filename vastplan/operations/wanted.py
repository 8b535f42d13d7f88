"""What a person asks for: a move, or a restore."""

from __future__ import annotations

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.move_plan import PLANNED
from vastplan.model.restore_plan import NEW


@dataclass(frozen=True, slots=True)
class WantedMove:
    """The requested move. `to` is the site of the new source, `broken` the reason to give up the present source although it answers.

    `fork` is the volume that a fork creates, at `to`; `live` leaves the workloads at the source running.
    """

    address: Address
    to: str
    mode: str = PLANNED
    broken: str = ""
    warm: str = ""
    """With global access: the directory at `to` to prefetch, "" for the whole path."""
    fork: str = ""
    live: bool = False
    armed: bool = False
    """Whether an unplanned move is planned in advance, while its source answers."""
    whole: Address | None = None
    """The project or tenant whose paths are armed, of which this is one."""


@dataclass(frozen=True, slots=True)
class WantedRestore:
    """The requested restore. `name` and `directory` are those of the new volume; if empty, they follow from the old one."""

    address: Address
    snapshot: str
    mode: str = NEW
    name: str = ""
    directory: str = ""
