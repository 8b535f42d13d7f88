"""What no source settles about replication, as settings: what a live system shows is set here, and nothing is edited.

Each stands in docs/unverified.md. Times are seconds of the logical clock, sizes bytes.
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
"""What a call is answered that comes at the wrong time or to the wrong side, by what is wrong about it."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """One reading of what is not settled; the defaults are the simulator's. Linked clusters are given the same one."""

    answers: Mapping[str, int] = field(default_factory=dict)
    """Statuses instead of those of `REFUSALS`; 200 takes the call, which then does nothing."""
    existing_target: Literal["refused", "taken"] = "refused"
    """A protected path whose remote directory is there already."""
    hears_of_detach: bool = True
    """A source whose replica is detached while the link is up becomes STANDALONE, too."""
    old_source: OldSource = "standalone"
    """What a source becomes that hears, when the link is back, that its replica was detached or has become the source."""
    read_only_from: Literal["final", "call"] = "final"
    """When the old source of a graceful failover stops taking writes: for the last copy, or from the call on."""
    abort_at: Literal["destination", "either"] = "destination"
    """Who takes an abort while the link is up; without it each side takes one for itself."""
    force_detaches: bool = False
    """`force_failover` of a DESTINATION detaches it first, instead of being refused."""
    enabled_after_failover: bool = True
    policy_mirrored: bool = True
    """A policy that replicates appears on the other cluster, with the same guid."""
    mirrored_path_after: float = 0
    common_point_expires: bool = False
    """The newest restore point that both sides have goes when its time has come, and everything is sent again."""
    rejoined_from_common: bool = True
    """A cluster that is attached again is sent what came after the newest common restore point, else everything."""
    rejoined_branch_kept: bool = False
    """What only the cluster had that is attached again stays behind as a snapshot there."""
    stopped_clone_keeps: bool = False
    """The directory of a clone that is stopped before it is complete stays."""
    synchronous_secondary_writes: bool = True
    """The other side of a bucket that is replicated synchronously takes writes, too, while the two are in step."""
    synchronous_rejoins: bool = False
    """Two that were parted are in step again by themselves when the link is back, without `reattach_stream` at the source."""
    synchronous_source_apart: Literal["Degraded", "Active", "Sync Failed"] = "Degraded"
    """What a source says that was parted from the other side and goes on alone; the other side says `Blocked`."""
    synchronous_disconnect: int = 30
    """Seconds, where a path says none."""
    lease: int = 60
    """Of global access where none is given."""
    scan: float = 5
    role_change: float = 10
    heartbeat: float = 30
    """How long it takes until both sides notice that a link is cut, or carries again."""
    discovery: float = 15
    """How long until VMS shows a snapshot that it did not make itself."""
    policy_mirror: float = 60
    bandwidth: float = 1e9
    """Bytes a second over a link, and of a copy within a cluster."""
    per_read: float = 0
    """Seconds that pass with each read while something is under way: for those who have nobody to move the clock."""

    def status(self, what: str) -> int:
        """What a call is answered that is wrong in this way; raises `KeyError` for one that nobody knows."""
        return self.answers.get(what, REFUSALS[what])

    def __post_init__(self) -> None:
        unknown = self.answers.keys() - REFUSALS.keys()
        if unknown:
            raise ValueError(f"no such refusals: {', '.join(sorted(unknown))}")
