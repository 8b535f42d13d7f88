"""The state of one replicated object on two sites, for reports: which side is the source, what has arrived, how old the copy is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from vastplan.model.dataclass import dataclass

ARMED_FOR = 36 * 3600
"""Seconds after which an arming is old, and a move that was planned in advance expires: it is renewed every night."""


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
class Readiness:
    """How ready a path with workloads is to lose its source, by the ledger. Ages are in seconds, at the time of the check.

    `armed` is when it was armed last, "" for never; `lapsed` is why that no longer counts, "" while it does. `rehearsed` is when the
    last rehearsal to `target` began, "" if none has ended, and `seconds` how long it took. `arm` and `rehearse` are the commands.
    """

    target: str
    arm: str
    rehearse: str
    armed: str = ""
    armed_ago: int = 0
    kept: int = 0
    not_kept: int = 0
    lapsed: str = ""
    rehearsed: str = ""
    rehearsed_ago: int = 0
    seconds: int = 0
    workloads: Mapping[str, str] = field(default_factory=dict)
    """The phase that each workload reached in that rehearsal, or `not tried`, by its name."""

    @property
    def counts(self) -> bool:
        """Whether it is armed."""
        return bool(self.armed) and not self.lapsed

    @property
    def old(self) -> bool:
        """Whether it was armed too long ago."""
        return self.armed_ago > ARMED_FOR


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
    readiness: Readiness | None = None
    """In a check for drift: how ready it is for a move (since 1.1); `None` if it cannot move, or no workload with it."""

    @property
    def as_of(self) -> str:
        """The time of the newest data that has arrived at a site that is not the source."""
        return max((member.as_of for member in self.members if member.site != self.leads), default="")

    @property
    def coming(self) -> int | None:
        """The bytes in transfer to the copy, as the source reports them; `None` where that is not known."""
        return next((member.coming for member in self.members if member.site == self.leads), None)
