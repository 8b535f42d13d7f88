"""The inputs of the budget: frozen, in bytes, bytes a second and seconds.

`None` means unknown; figures that depend on it are not computed. Wrong values raise `ValueError`, which says what has
to change.
"""

from __future__ import annotations

from dataclasses import field, fields
from enum import IntEnum

from vastplan.checks.checkpoint.write_time import WriteLimit
from vastplan.model.dataclass import dataclass


class Durability(IntEnum):
    """What a checkpoint outlives, least first."""

    NODE = 1
    CLUSTER = 2
    REGION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointWriter:
    """Who writes. The rates are of one rank and of one node; `staging` is the copy from GPU to host memory, of one rank.

    Several `jobs` that are `aligned` write at the same time, which is the worst case.
    """

    ranks: int = 1
    nodes: int | None = None
    rank_bytes_per_second: int | None = None
    node_bytes_per_second: int | None = None
    staging_bytes_per_second: int | None = None
    files_per_rank: int = 1
    jobs: int = 1
    aligned: bool = True
    asynchronous: bool = False

    @property
    def at_once(self) -> int:
        """How many jobs write at the same time."""
        return self.jobs if self.aligned else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteThroughput:
    """What a site can do; no API returns this, so people write it."""

    read_bytes_per_second: int | None = None
    write_bytes_per_second: int | None = None
    wan_bytes_per_second: int | None = None
    """To the site that the path replicates to."""
    origin_bytes_per_second: int | None = None
    """To the site that the path is a satellite of: every write goes there."""
    origin: str = ""
    """The name of that site if the volume is its satellite by `global_access`: what is read for the first time comes from there, too."""
    reduction: float = 1.0

    def __post_init__(self) -> None:
        if self.reduction < 1:
            raise ValueError("reduction_ratio is the size before reduction divided by the size after it: 1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFrame:
    """One frame of a snapshot schedule; 0 means that no snapshot is kept there."""

    every: int
    keep_local: int = 0
    keep_remote: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """The targets; spans in seconds, shares as fractions of 1. `durability` is what a checkpoint has to outlive."""

    rpo: int | None = None
    rto: int | None = None
    remote_rpo: int | None = None
    stall_fraction: float | None = None
    overhead: float | None = None
    durability: Durability | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointInputs:
    """Everything that is known about one volume's checkpoints. `unknown` says in sentences what could not be taken into account."""

    size_bytes: int
    bytes_per_parameter: float | None = None
    writer: CheckpointWriter = CheckpointWriter()
    interval: int | None = None
    no_interval: str = ""
    """Why no interval in seconds is known, if it was given in another form."""
    keep: int = 1
    gpus: int | None = None
    mtbf: float | None = None
    gpu_days_per_failure: float | None = None
    restart: int = 0
    attach: int = 0
    read_per_rank: int | None = None
    collective_timeout: int | None = None
    grace_period: int | None = None
    readers: int | None = None
    durability: Durability = Durability.CLUSTER
    drain_bytes_per_second: int | None = None
    drained: Durability = Durability.CLUSTER
    limits: tuple[WriteLimit, ...] = ()
    """The limits of QoS policies and of the VIP pool; those of the writers, the site and the WAN are added to them."""
    capability: SiteThroughput = SiteThroughput()
    frames: tuple[SnapshotFrame, ...] = ()
    quota_bytes: int | None = None
    tenant_bytes: int | None = None
    max_inodes: int | None = None
    targets: Targets = field(default_factory=Targets)
    unknown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.size_bytes < 1:
            raise ValueError("a checkpoint needs a size: write size, for example 980 GB, or the model's params")
        if self.interval is not None and self.interval < 1:
            raise ValueError("the interval is too short: write an interval of 1s or more")
        if self.writer.ranks < 1 or self.writer.jobs < 1 or self.writer.files_per_rank < 1:
            raise ValueError("ranks, concurrent_jobs and files_per_rank have to be 1 or more")
        if self.mtbf is not None and self.mtbf <= 0:
            raise ValueError("mtbf has to be more than 0, for example 49h")
        if self.keep < 1:
            raise ValueError("keep_last has to be 1 or more: without a checkpoint there is nothing to resume from")
        if self.writer.asynchronous and not self.writer.staging_bytes_per_second:
            raise ValueError(
                "mode: async needs staging_per_rank, the speed of the copy to host memory that blocks the job"
            )
        for values in (self, self.writer, self.capability, self.targets):
            for item in fields(values):
                value = getattr(values, item.name)
                if isinstance(value, int | float) and value < 0:
                    raise ValueError(f"{item.name} is {value}, and has to be 0 or more")
