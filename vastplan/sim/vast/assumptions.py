"""What no source settles about replication, as settings: findings from a live system are set here, without a code change.

Each is listed in docs/unverified.md. Times are seconds of the logical clock, sizes bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

OldSource = Literal["standalone", "stays", "blocked"]
TAKEN = 200

REFUSALS: Mapping[str, int] = MappingProxyType(
    {
        "failover while one runs": 400,
        "failover at the source": 400,
        "failover of what is detached": 400,
        "graceful before the first copy is complete": 400,
        "graceful while suspended": 400,
        "graceful while the link is down": 400,
        "force at the source": 400,
        "force at a destination": 400,
        "force while the role changes": 409,
        "abort of nothing": 400,
        "abort at the source": 400,
        "replicate at a replica": 400,
        "replicate while suspended": 400,
        "replicate during a restore": 400,
        "replicate what is synchronous": 400,
        "reattach of what cannot be reached": 400,
        "reattach at a replica": 400,
        "reattach of what is attached": 400,
        "restore at a replica": 400,
        "restore of two": 400,
        "commit before it is copied": 400,
        "prefetch at the source": 400,
        "prefetch of what is prefetched": 409,
    }
)
"""The status of a call that comes at the wrong time or to the wrong side, by what is wrong."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """One reading of what is not settled; the defaults are the simulator's. Linked clusters get the same instance."""

    answers: Mapping[str, int] = field(default_factory=dict)
    """Statuses that override `REFUSALS`; with 200 the call is accepted and does nothing."""
    existing_target: Literal["refused", "taken"] = "refused"
    """A protected path whose remote directory already exists."""
    hears_of_detach: bool = True
    """A source whose replica is detached while the link is up becomes STANDALONE too."""
    old_source: OldSource = "standalone"
    """What a source becomes when it learns, after the link is restored, that its replica was detached or became the source."""
    read_only_from: Literal["final", "call"] = "final"
    """When the old source of a graceful failover stops accepting writes: for the final copy, or from the call on."""
    abort_at: Literal["destination", "either"] = "destination"
    """Which side accepts an abort while the link is up; while it is down, each side accepts one for itself."""
    force_detaches: bool = False
    """`force_failover` of a DESTINATION detaches it first, instead of being refused."""
    enabled_after_failover: bool = True
    policy_mirrored: bool = True
    """A policy that replicates appears on the other cluster, with the same guid."""
    mirrored_path_after: float = 0
    common_point_expires: bool = False
    """The newest restore point that both sides have expires too, and everything is sent again."""
    rejoined_from_common: bool = True
    """A cluster that is attached again is sent what came after the newest common restore point, else everything."""
    rejoined_branch_kept: bool = False
    """Content that only the reattached cluster had is kept there as a snapshot."""
    stopped_clone_keeps: bool = False
    """The directory of a clone that is stopped before it is complete is kept."""
    synchronous_secondary_writes: bool = True
    """The other side of a synchronously replicated bucket accepts writes too, while the two are in sync."""
    synchronous_rejoins: bool = False
    """Disconnected sides are in sync again by themselves when the link is restored, without `reattach_stream` at the source."""
    synchronous_source_apart: Literal["Degraded", "Active", "Sync Failed"] = "Degraded"
    """The state of a disconnected source that continues alone; the other side reports `Blocked`."""
    synchronous_disconnect: int = 30
    """Seconds, for a path without its own value."""
    lease: int = 60
    """Seconds, for global access without its own value."""
    scan: float = 5
    role_change: float = 10
    heartbeat: float = 30
    """Seconds until both sides notice that a link is cut or restored."""
    discovery: float = 15
    """Seconds until VMS shows a snapshot that no request created."""
    policy_mirror: float = 60
    bandwidth: float = 1e9
    """Bytes per second over a link, and of a copy within a cluster."""
    per_read: float = 0
    """Seconds that pass with each read while something is in progress: for users who cannot move the clock."""

    def status(self, case: str) -> int:
        """The status for a call that is wrong in this way; raises `KeyError` for an unknown way."""
        return self.answers.get(case, REFUSALS[case])

    def __post_init__(self) -> None:
        unknown = self.answers.keys() - REFUSALS.keys()
        if unknown:
            raise ValueError(f"no such refusals: {', '.join(sorted(unknown))}")
