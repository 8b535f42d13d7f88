"""The computed budget of one volume's checkpoints: figures, and which limit binds. An unknown figure is `None`, never a guess."""

from __future__ import annotations

from math import ceil

from vastplan.checks.checkpoint import capacity, intervals
from vastplan.checks.checkpoint.inputs import CheckpointInputs
from vastplan.checks.checkpoint.intervals import CostModel, IntervalRange
from vastplan.checks.checkpoint.write_time import LimitKind, WriteLimit, limit_name
from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class WriteTime:
    """How long the write takes at one limit, and which side of the limit binds."""

    limit: WriteLimit
    seconds: float
    kind: LimitKind

    def __str__(self) -> str:
        return limit_name(self.kind, self.limit.owner)


@dataclass(frozen=True, slots=True)
class IntervalFigures:
    """What follows from the interval: shares are fractions of 1, times seconds, `average` bytes a second of all jobs.

    `effective` is the interval that is really kept (`CostModel.effective_interval`).
    """

    interval: int
    effective: float
    stall_fraction: float
    duty: float
    rpo: float
    lost_work: float
    average: float
    overhead: float | None
    efficiency: float | None


@dataclass(frozen=True, slots=True)
class SpaceUse:
    """What is stored: bytes that the jobs see as live, bytes that snapshots pin here and hold on the peer, files.

    `pinned` counts the checkpoints of all frames, so it is an upper bound.
    """

    live: int
    pinned: int | None
    remote: int | None
    files: int


@dataclass(frozen=True, slots=True)
class ReplicationFigures:
    """How replication keeps up: what one cycle sends, how long that takes, and the worst RPO at the other site."""

    every: int
    sent: int
    transfer: float
    rpo: float


@dataclass(frozen=True, slots=True)
class ReadBandwidth:
    """The bandwidth left for readers of the site during a checkpoint, and the write caps that suit both (bytes a second)."""

    left: float
    caps: capacity.WriteCaps | None


@dataclass(frozen=True, slots=True)
class Budget:
    """All figures of one volume. `write_times` has the limits, slowest first; it is empty if no limit is known."""

    inputs: CheckpointInputs
    shard_bytes: float
    write_times: tuple[WriteTime, ...]
    blocking_seconds: float | None
    mtbf: float | None
    mtbf_derived: bool
    cost_model: CostModel | None
    best_interval: float | None
    best_interval_daly: float | None
    least_overhead: float | None
    on_target: IntervalRange | None
    at_interval: IntervalFigures | None
    drain_seconds: float
    restore_seconds: float | None
    space: SpaceUse
    replication: ReplicationFigures | None
    reads: ReadBandwidth | None
    curve: tuple[tuple[float, float], ...]

    @property
    def binding(self) -> WriteTime | None:
        """The limit that decides when the last byte is written."""
        return self.write_times[0] if self.write_times else None

    @property
    def write_seconds(self) -> float | None:
        """The write time of one checkpoint, with all jobs writing at once."""
        return self.write_times[0].seconds if self.write_times else None

    @property
    def bandwidth(self) -> float | None:
        """The effective write bandwidth of one job, bytes a second."""
        return self.inputs.size_bytes / self.write_seconds if self.write_seconds else None


def compute_budget(inputs: CheckpointInputs) -> Budget:
    """The budget that follows from `inputs`. Raises nothing: wrong inputs were refused when they were created."""
    write_times = tuple(
        sorted((_write_time(inputs, limit) for limit in _limits(inputs)), key=lambda time: -time.seconds)
    )
    write = write_times[0].seconds if write_times else None
    shard = capacity.shard_bytes(inputs.size_bytes, inputs.writer.ranks)
    staging = inputs.writer.staging_bytes_per_second
    blocking = (shard / staging if staging else None) if inputs.writer.asynchronous else write
    mtbf, derived = _mtbf(inputs)
    restore = _restore_seconds(inputs)
    model = None
    if write is not None and blocking is not None:
        model = CostModel(write, blocking, inputs.writer.asynchronous, mtbf, restore or inputs.restart)
    drain = inputs.size_bytes / inputs.drain_bytes_per_second if inputs.drain_bytes_per_second else 0.0
    return Budget(
        inputs=inputs,
        shard_bytes=shard,
        write_times=write_times,
        blocking_seconds=blocking,
        mtbf=mtbf,
        mtbf_derived=derived,
        cost_model=model,
        best_interval=model.best_interval() if model else None,
        best_interval_daly=model.best_interval(intervals.daly) if model else None,
        least_overhead=model.least_overhead() if model else None,
        on_target=target_intervals(inputs, model, drain) if model else None,
        at_interval=_interval_figures(inputs, model, drain) if model else None,
        drain_seconds=drain,
        restore_seconds=restore,
        space=_space(inputs),
        replication=_replication(inputs, model),
        reads=_reads(inputs, write),
        curve=model.curve() if model else (),
    )


def target_intervals(inputs: CheckpointInputs, model: CostModel, drain_seconds: float) -> IntervalRange:
    """The intervals at which these inputs meet their targets, for any cost of a checkpoint."""
    targets = inputs.targets
    rpo = None if targets.rpo is None else targets.rpo - drain_seconds
    return intervals.intervals_on_target(model, rpo=rpo, stall=targets.stall_fraction, cost=targets.overhead)


def _limits(inputs: CheckpointInputs) -> list[WriteLimit]:
    """All limits on writes: those of the inputs, and those of the writers, the site and the WAN."""
    writer, site = inputs.writer, inputs.capability
    limits = list(inputs.limits)
    if writer.rank_bytes_per_second:
        limits.append(WriteLimit(LimitKind.RANKS, "", writer.ranks * writer.rank_bytes_per_second, shared=False))
    if writer.nodes and writer.node_bytes_per_second:
        limits.append(WriteLimit(LimitKind.NODES, "", writer.nodes * writer.node_bytes_per_second, shared=False))
    if site.write_bytes_per_second:
        limits.append(WriteLimit(LimitKind.SITE, "", site.write_bytes_per_second))
    if site.origin_bytes_per_second:
        limits.append(WriteLimit(LimitKind.WAN, "", site.origin_bytes_per_second))
    return limits


def _write_time(inputs: CheckpointInputs, limit: WriteLimit) -> WriteTime:
    writer = inputs.writer
    size = inputs.size_bytes * (writer.at_once if limit.shared else 1)
    credit = limit.credit_left(size, inputs.interval, asynchronous=writer.asynchronous)
    return WriteTime(limit, limit.seconds(size, credit), limit.binding_kind(size, credit))


def _mtbf(inputs: CheckpointInputs) -> tuple[float | None, bool]:
    """The mean time between failures, and whether it was derived from a rate by 1/N."""
    if inputs.mtbf is not None:
        return inputs.mtbf, False
    if not inputs.gpus:
        return None, False
    rate = inputs.gpu_days_per_failure or intervals.GPU_DAYS_PER_FAILURE
    return intervals.mtbf_seconds(inputs.gpus, rate), True


def _restore_seconds(inputs: CheckpointInputs) -> float | None:
    """Attach, read, restart: how long a job is down after a failure; the site's read bandwidth bounds that of the ranks."""
    rates = (inputs.capability.read_bytes_per_second, (inputs.read_per_rank or 0) * inputs.writer.ranks)
    positive_rates = [rate for rate in rates if rate]
    return inputs.attach + inputs.size_bytes / min(positive_rates) + inputs.restart if positive_rates else None


def _interval_figures(inputs: CheckpointInputs, model: CostModel, drain: float) -> IntervalFigures | None:
    interval = inputs.interval
    if not interval:
        return None
    effective = model.effective_interval(interval)
    return IntervalFigures(
        interval=interval,
        effective=effective,
        stall_fraction=intervals.stall_fraction(effective, model.blocking),
        duty=model.write / interval,
        rpo=effective + model.write + drain,
        lost_work=effective / 2 + model.write + drain,
        average=inputs.size_bytes * inputs.writer.jobs / interval,
        overhead=model.overhead(effective),
        efficiency=model.efficiency(effective),
    )


def _space(inputs: CheckpointInputs) -> SpaceUse:
    writer, size = inputs.writer, inputs.size_bytes
    live = capacity.live_bytes(size, inputs.keep, asynchronous=writer.asynchronous)
    checkpoints = live // size

    def in_snapshots(keep: str) -> int | None:
        """Bytes in the snapshots that are kept for `keep`, a field of the frames."""
        if not inputs.frames:
            return 0
        if inputs.interval is None:
            return None
        snapshot_spans = [(getattr(frame, keep), frame.every) for frame in inputs.frames if getattr(frame, keep)]
        checkpoints_kept = sum(
            capacity.kept_in_snapshots(span, inputs.interval, every, checkpoints) for span, every in snapshot_spans
        )
        return capacity.stored_bytes(checkpoints_kept * writer.jobs, size, inputs.capability.reduction)

    files = writer.jobs * capacity.file_count(checkpoints, writer.ranks, writer.files_per_rank)
    return SpaceUse(live * writer.jobs, in_snapshots("keep_local"), in_snapshots("keep_remote"), files)


def _replication(inputs: CheckpointInputs, model: CostModel | None) -> ReplicationFigures | None:
    """The fastest frame that replicates; a cycle sends the checkpoints written in it, as far as they still exist."""
    every = min((frame.every for frame in inputs.frames if frame.keep_remote), default=None)
    wan = inputs.capability.wan_bytes_per_second
    if every is None or model is None or not wan or not inputs.interval:
        return None
    sent = min(ceil(every / inputs.interval), inputs.keep) * inputs.size_bytes * inputs.writer.jobs
    transfer = capacity.transfer_seconds(sent, wan, inputs.capability.reduction)
    return ReplicationFigures(
        every, sent, transfer, model.effective_interval(inputs.interval) + model.write + every + transfer
    )


def _reads(inputs: CheckpointInputs, write: float | None) -> ReadBandwidth | None:
    read_rate, write_rate = inputs.capability.read_bytes_per_second, inputs.capability.write_bytes_per_second
    if not write or not read_rate or not write_rate:
        return None
    caps = None
    if inputs.readers is not None and inputs.interval:
        average = inputs.size_bytes * inputs.writer.jobs / inputs.interval
        caps = capacity.write_caps(average, read_rate, write_rate, inputs.readers)
    writing = inputs.size_bytes * inputs.writer.at_once / write
    return ReadBandwidth(capacity.readers_left(read_rate, write_rate, writing), caps)
