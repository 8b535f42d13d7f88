"""What two sites say of one replicated object: which is the source, what has arrived, and how old the copy is. A figure for reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ReplicationState(Enum):
    """How a replicated object is reported: the first state that holds."""

    BUSY = "busy"  # a role changes, or is none that is known; or nothing has arrived yet
    SPLIT = "split"  # more than one site writes
    FAILED_OVER = "failed over"  # one site was detached, the other is the source
    COPY_GONE = "copy gone"  # recreating it sends all data again
    MOVED = "moved"  # the source is on another site than the document says
    UNKNOWN = "unknown"  # a site does not answer, or none says that it is the source
    STOPPED = "not replicating"  # a side says that it failed, or was suspended
    BEHIND = "behind"  # what has arrived is older than the schedule says
    IN_ORDER = "in order"


WRITTEN_TWICE = frozenset({ReplicationState.SPLIT, ReplicationState.FAILED_OVER})
"""More than one site takes writes: what is detached does, too."""
ASTRAY = WRITTEN_TWICE | {ReplicationState.COPY_GONE, ReplicationState.MOVED, ReplicationState.STOPPED}
"""Not as the document has it, by what was read."""


ABSENT = "it does not exist there"
"""What `unread` of a member says where its site answered and has none."""


@dataclass(frozen=True, slots=True)
class Member:
    """One site's own word. Times are its system's, "" where it says none; `coming` are bytes that are on their way, `None` where
    that is not known. `unread` says why nothing is known of it, or is `ABSENT`.
    """

    site: str
    role: str = ""
    state: str = ""
    health: str = ""
    peer: str = ""
    as_of: str = ""
    """When what has arrived last was taken."""
    arrived: str = ""
    coming: int | None = None
    suspended: bool = False
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Replication:
    """One object of several sites. `active` is the site that the document has lead, `leads` the one that does, "" where that is
    not known. `text` says what a person should know beside the figures.
    """

    address: str
    active: str
    leads: str
    state: ReplicationState
    text: str = ""
    members: tuple[Member, ...] = ()
    at_once: bool = False
    """Whether a write is answered when both sites have it: then there are no restore points, and no age of a copy."""
    parted: str = ""
    """Who may write of two that were `at_once` and wait no more for each other, and who gives no access; "" where they do not say so."""

    @property
    def as_of(self) -> str:
        """The time of the newest data that has arrived at a site that is not the source."""
        return max((one.as_of for one in self.members if one.site != self.leads), default="")

    @property
    def coming(self) -> int | None:
        """Bytes that are on their way to the copy, as the site says that leads."""
        return next((one.coming for one in self.members if one.site == self.leads), None)
