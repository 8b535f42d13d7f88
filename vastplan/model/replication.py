"""The state of one replicated object on two sites, for reports: which side is the source, what has arrived, how old the copy is."""

from __future__ import annotations

from enum import Enum

from vastplan.model.dataclass import dataclass


class ReplicationState(Enum):
    """The reported state of a replicated object: the first one that applies."""

    BUSY = "busy"  # a role is changing or unknown, or nothing has arrived yet
    SPLIT = "split"  # more than one site writes
    FAILED_OVER = "failed over"  # one site was detached, the other is the source
    COPY_GONE = "copy gone"  # recreating it sends all data again
    MOVED = "moved"  # the source is on another site than the document says
    UNKNOWN = "unknown"  # a site does not answer, or no side is the source
    STOPPED = "not replicating"  # a side reports a failure, or that it is suspended
    BEHIND = "behind"  # the newest data that arrived is older than the schedule allows
    IN_ORDER = "in order"


WRITTEN_TWICE = frozenset({ReplicationState.SPLIT, ReplicationState.FAILED_OVER})
"""More than one site takes writes: a detached side does too."""
ASTRAY = WRITTEN_TWICE | {ReplicationState.COPY_GONE, ReplicationState.MOVED, ReplicationState.STOPPED}
"""The states that differ from the document, by what was read."""


ABSENT = "it does not exist there"
"""The value of a member's `unread` where its site answered and does not have the object."""


@dataclass(frozen=True, slots=True)
class Member:
    """The state by one site. Times are those of its system, "" where it returns none; `coming` are the bytes in transfer, `None`
    where they are not known. `unread` says why nothing is known about this member, or is `ABSENT`.
    """

    site: str
    role: str = ""
    state: str = ""
    health: str = ""
    peer: str = ""
    as_of: str = ""
    """When the restore point that arrived last was taken."""
    arrived: str = ""
    coming: int | None = None
    suspended: bool = False
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Replication:
    """One object of several sites. `active` is the source site by the document, `leads` the actual source, "" where that is not
    known. `text` says what a person should know besides the figures.
    """

    address: str
    active: str
    leads: str
    state: ReplicationState
    text: str = ""
    members: tuple[Member, ...] = ()
    at_once: bool = False
    """Whether a write is answered when both sites have it: then there are no restore points, and the copy has no age."""
    parted: str = ""
    """For two members with `at_once` that are disconnected: which one takes writes and which one gives no access; "" otherwise."""

    @property
    def as_of(self) -> str:
        """The time of the newest data that has arrived at a site that is not the source."""
        return max((member.as_of for member in self.members if member.site != self.leads), default="")

    @property
    def coming(self) -> int | None:
        """The bytes in transfer to the copy, as the source reports them; `None` where that is not known."""
        return next((member.coming for member in self.members if member.site == self.leads), None)
