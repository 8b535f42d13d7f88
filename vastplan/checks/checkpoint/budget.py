"""The budget of one volume's checkpoints: figures, and which limit binds. What is not known is `None`, never a guess."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from vastplan.checks.checkpoint import failures, rhythm, space
from vastplan.checks.checkpoint.demand import Demand, Frame
from vastplan.checks.checkpoint.limits import Limit, Sort
from vastplan.checks.checkpoint.rhythm import Pace, Window
from vastplan.checks.checkpoint.size import shard_bytes


@dataclass(frozen=True, slots=True)
class Passage:
    """One limit as the write meets it: how long it takes there, and which side of the limit holds."""

    limit: Limit
    seconds: float
    sort: Sort

    def __str__(self) -> str:
        return f"{self.sort.value} of {self.limit.owner}" if self.limit.owner else self.sort.value


@dataclass(frozen=True, slots=True)
class Rhythm:
    """What follows from the interval: shares are fractions of 1, times seconds, `average` bytes a second of all jobs.

    `kept` is the interval that is really kept (`Pace.kept`).
    """

    interval: int
    kept: float
    stall_fraction: float
    duty: float
    rpo: float
    lost_work: float
    average: float
    overhead: float | None
    efficiency: float | None


@dataclass(frozen=True, slots=True)
class Space:
    """What is stored: bytes that the jobs see as live, bytes that snapshots pin here and hold on the peer, files.

    `pinned` counts the checkpoints of all frames and so is the most that it can be.
    """

    live: int
    pinned: int | None
    remote: int | None
    files: int


@dataclass(frozen=True, slots=True)
class Replica:
    """How replication keeps up: what one cycle sends, how long that takes, and the oldest a restore there can be."""

    every: int
    sent: int
    transfer: float
    rpo: float


@dataclass(frozen=True, slots=True)
class Sharing:
    """What is left for others of the site while a checkpoint is written, and the caps that suit both (bytes a second)."""

    readers_left: float
    caps: space.CapWindow | None


@dataclass(frozen=True, slots=True)
class Budget:
    """All figures of one volume. `passages` are the limits, slowest first; there are none when no limit is known."""

    demand: Demand
    shard_bytes: float
    passages: tuple[Passage, ...]
    blocking: float | None
    mtbf: float | None
    mtbf_derived: bool
    pace: Pace | None
    best: float | None
    best_daly: float | None
    best_overhead: float | None
    window: Window | None
    rhythm: Rhythm | None
    drain: float
    restore: float | None
    space: Space
    replica: Replica | None
    sharing: Sharing | None
    curve: tuple[tuple[float, float], ...]

    @property
    def binding(self) -> Passage | None:
        """The limit that says when the last byte is through."""
        return self.passages[0] if self.passages else None

    @property
    def write(self) -> float | None:
        """The write time of one checkpoint, seconds, with all jobs writing at once."""
        return self.passages[0].seconds if self.passages else None

    @property
    def bandwidth(self) -> float | None:
        """The effective write bandwidth of one job, bytes a second."""
        return self.demand.size_bytes / self.write if self.write else None


def budget(demand: Demand) -> Budget:
    """The budget of `demand`. Raises nothing: what makes no sense was refused when the demand was made."""
    passages = tuple(sorted((_passage(demand, one) for one in _limits(demand)), key=lambda one: -one.seconds))
    write = passages[0].seconds if passages else None
    shard = shard_bytes(demand.size_bytes, demand.writer.ranks)
    staging = demand.writer.staging_bytes_per_second
    blocking = (shard / staging if staging else None) if demand.writer.asynchronous else write
    mtbf, derived = _mtbf(demand)
    restore = _restore(demand)
    pace = None
    if write is not None and blocking is not None:
        pace = Pace(write, blocking, demand.writer.asynchronous, mtbf, restore or demand.restart)
    drain = demand.size_bytes / demand.drain_bytes_per_second if demand.drain_bytes_per_second else 0.0
    return Budget(
        demand=demand,
        shard_bytes=shard,
        passages=passages,
        blocking=blocking,
        mtbf=mtbf,
        mtbf_derived=derived,
        pace=pace,
        best=pace.best() if pace else None,
        best_daly=pace.best(rhythm.daly) if pace else None,
        best_overhead=pace.least() if pace else None,
        window=window_of(demand, pace, drain) if pace else None,
        rhythm=_rhythm(demand, pace, drain) if pace and demand.interval else None,
        drain=drain,
        restore=restore,
        space=_space(demand),
        replica=_replica(demand, pace),
        sharing=_sharing(demand, write),
        curve=pace.curve() if pace else (),
    )


def window_of(demand: Demand, pace: Pace, drain: float) -> Window:
    """The intervals at which this demand meets its targets, at any pace of writing."""
    targets = demand.targets
    rpo = None if targets.rpo is None else targets.rpo - drain
    return rhythm.window(pace, rpo=rpo, stall=targets.stall_fraction, cost=targets.overhead)


def _limits(demand: Demand) -> list[Limit]:
    """All limits on the way: those given, and what the writers, the site and the WAN bound."""
    writer, site = demand.writer, demand.capability
    found = list(demand.limits)
    if writer.rank_bytes_per_second:
        found.append(Limit(Sort.RANKS, "", writer.ranks * writer.rank_bytes_per_second, shared=False))
    if writer.nodes and writer.node_bytes_per_second:
        found.append(Limit(Sort.NODES, "", writer.nodes * writer.node_bytes_per_second, shared=False))
    if site.write_bytes_per_second:
        found.append(Limit(Sort.SITE, "", site.write_bytes_per_second))
    if site.origin_bytes_per_second:
        found.append(Limit(Sort.WAN, "", site.origin_bytes_per_second))
    return found


def _passage(demand: Demand, limit: Limit) -> Passage:
    writer = demand.writer
    size = demand.size_bytes * (writer.at_once if limit.shared else 1)
    credit = limit.credit_left(size, demand.interval, asynchronous=writer.asynchronous)
    return Passage(limit, limit.seconds(size, credit), limit.binding(size, credit))


def _mtbf(demand: Demand) -> tuple[float | None, bool]:
    """The mean time between failures, and whether it was derived from a rate by 1/N."""
    if demand.mtbf is not None:
        return demand.mtbf, False
    if not demand.gpus:
        return None, False
    rate = demand.gpu_days_per_failure or failures.GPU_DAYS_PER_FAILURE
    return failures.mtbf_seconds(demand.gpus, rate), True


def _restore(demand: Demand) -> float | None:
    """Attach, read, restart: how long a job is away after a failure; the site's reads bound those of the ranks."""
    bounds = [
        one
        for one in (demand.capability.read_bytes_per_second, (demand.read_per_rank or 0) * demand.writer.ranks)
        if one
    ]
    return demand.attach + demand.size_bytes / min(bounds) + demand.restart if bounds else None


def _rhythm(demand: Demand, pace: Pace, drain: float) -> Rhythm:
    interval = demand.interval
    assert interval is not None
    kept = pace.kept(interval)
    return Rhythm(
        interval=interval,
        kept=kept,
        stall_fraction=rhythm.stall_fraction(kept, pace.blocking),
        duty=pace.write / interval,
        rpo=kept + pace.write + drain,
        lost_work=kept / 2 + pace.write + drain,
        average=demand.size_bytes * demand.writer.jobs / interval,
        overhead=pace.overhead(kept),
        efficiency=pace.efficiency(kept),
    )


def _space(demand: Demand) -> Space:
    asynchronous, jobs, size = demand.writer.asynchronous, demand.writer.jobs, demand.size_bytes
    live = space.live_bytes(size, demand.keep, asynchronous=asynchronous)
    count = live // size
    return Space(
        live=live * jobs,
        pinned=_snapshots(demand, "keep_local", count),
        remote=_snapshots(demand, "keep_remote", count),
        files=jobs * space.files(count, demand.writer.ranks, demand.writer.files_per_rank),
    )


def _snapshots(demand: Demand, keep: str, live: int) -> int | None:
    if not demand.frames:
        return 0
    if demand.interval is None:
        return None
    held = sum(
        space.kept_in_snapshots(getattr(one, keep), demand.interval, one.every, live)
        for one in demand.frames
        if getattr(one, keep)
    )
    return space.stored_bytes(held * demand.writer.jobs, demand.size_bytes, demand.capability.reduction)


def _replica(demand: Demand, pace: Pace | None) -> Replica | None:
    """The fastest frame that replicates; a cycle sends the checkpoints written in it, as far as they still exist."""
    frame: Frame | None = min(
        (one for one in demand.frames if one.keep_remote), key=lambda one: one.every, default=None
    )
    wan = demand.capability.wan_bytes_per_second
    if frame is None or pace is None or not wan or not demand.interval:
        return None
    sent = min(ceil(frame.every / demand.interval), demand.keep) * demand.size_bytes * demand.writer.jobs
    transfer = space.transfer_seconds(sent, wan, demand.capability.reduction)
    return Replica(frame.every, sent, transfer, pace.kept(demand.interval) + pace.write + frame.every + transfer)


def _sharing(demand: Demand, write: float | None) -> Sharing | None:
    read, capable = demand.capability.read_bytes_per_second, demand.capability.write_bytes_per_second
    if not write or not read or not capable:
        return None
    caps = None
    if demand.readers is not None and demand.interval:
        average = demand.size_bytes * demand.writer.jobs / demand.interval
        caps = space.cap_window(average, read, capable, demand.readers)
    return Sharing(space.readers_left(read, capable, demand.size_bytes * demand.writer.at_once / write), caps)
