"""How often to checkpoint: how often a job fails, what an interval costs, which is best, and which meet the targets.

All times are seconds, all shares fractions of 1. `interval` is the time from the end of one pause to the start of the next,
`blocking` what a checkpoint pauses the job for: its whole write when synchronous, only the copy to host memory when
asynchronous. `mtbf` is the job's mean time between failures, and failures are taken to be exponential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import expm1, inf, sqrt

from vastplan.model.dataclass import dataclass

DAY = 86400.0
GPU_DAYS_PER_FAILURE = 54 * 16384 / 419
"""Llama 3: 419 unplanned interruptions in 54 days on 16,384 GPUs (arXiv 2407.21783)."""
SMALL_JOB = 4096
"""Below this number of GPUs, 1/N is optimistic: Meta measured 7.9 h on 1,024 GPUs of RSC-1; 1/N yields 28.8 h (arXiv 2410.21680)."""
SMALL_JOB_PESSIMISM = 7.9 / 28.8
"""The factor from a derived time to the worse end of the range, below `SMALL_JOB` GPUs."""

BestInterval = Callable[[float, float], float]
"""The best interval from the time that a checkpoint blocks and the time between failures: `young` or `daly`."""


def mtbf_seconds(gpus: int, gpu_days_per_failure: float = GPU_DAYS_PER_FAILURE) -> float:
    """The mean time between the failures of a job: it falls as 1/N with its GPUs."""
    if gpus < 1:
        raise ValueError("the time between failures depends on the GPUs of a job: write gpus, or reliability.mtbf")
    if gpu_days_per_failure <= 0:
        raise ValueError("gpu_days_per_failure has to be more than 0, for example 2112")
    return gpu_days_per_failure * DAY / gpus


def stall_fraction(interval: float, blocking: float) -> float:
    """The share of wall time that a job stands still for its checkpoints."""
    return blocking / (interval + blocking)


def young(blocking: float, mtbf: float) -> float:
    """The best interval to first order: sqrt(2 x blocking x mtbf) (Young 1974)."""
    return sqrt(2 * blocking * mtbf)


def daly(blocking: float, mtbf: float) -> float:
    """The best interval to higher order (Daly 2006); the mean time between failures itself once blocking is twice that."""
    if blocking >= 2 * mtbf:
        return mtbf
    part = blocking / (2 * mtbf)
    return sqrt(2 * blocking * mtbf) * (1 + sqrt(part) / 3 + part / 9) - blocking


def overhead(interval: float, blocking: float, mtbf: float, unsaved: float = 0.0) -> float:
    """The time lost per second of work, to first order: pauses, and repeated work (half an interval per failure).

    `unsaved` is what an asynchronous write still lacks when a failure occurs: its write time.
    """
    return blocking / interval + (interval / 2 + unsaved) / mtbf


def efficiency(interval: float, write: float, mtbf: float, restart: float = 0.0) -> float:
    """The exact share of wall time that is kept work, for a job that stands still while it writes."""
    exponent = (interval + write) / mtbf
    return interval / ((mtbf + restart) * expm1(exponent)) if exponent < 700 else 0.0


def efficiency_async(interval: float, write: float, staging: float, mtbf: float, restart: float = 0.0) -> float:
    """The same, to first order, for a job that continues while its checkpoint is written; at least 0."""
    return max(0.0, 1 - (interval / 2 + write + restart) / mtbf) / (1 + staging / interval)


@dataclass(frozen=True, slots=True)
class CostModel:
    """What a job's checkpoints cost at any interval. `write` and `blocking` are those of one checkpoint."""

    write: float
    blocking: float
    asynchronous: bool
    mtbf: float | None = None
    restart: float = 0.0

    @property
    def unsaved(self) -> float:
        """What a failure costs besides half an interval; to first order only an asynchronous write counts."""
        return self.write if self.asynchronous else 0.0

    def effective_interval(self, interval: float) -> float:
        """The interval that results: an asynchronous write that takes longer delays the next one."""
        return max(interval, self.write) if self.asynchronous else interval

    def best_interval(self, formula: BestInterval = young) -> float | None:
        """The best interval, by `young` or `daly`: an asynchronous one is not shorter than its write."""
        return None if self.mtbf is None else self.effective_interval(formula(self.blocking, self.mtbf))

    def overhead(self, interval: float) -> float | None:
        """The time lost per second of work."""
        return None if self.mtbf is None else overhead(interval, self.blocking, self.mtbf, self.unsaved)

    def least_overhead(self) -> float | None:
        """The overhead at the best interval."""
        best = self.best_interval()
        return None if best is None else self.overhead(best)

    def efficiency(self, interval: float) -> float | None:
        """The share of wall time that is kept work."""
        if self.mtbf is None:
            return None
        if self.asynchronous:
            return efficiency_async(interval, self.write, self.blocking, self.mtbf, self.restart)
        return efficiency(interval, self.write, self.mtbf, self.restart)

    def curve(self, points: int = 41) -> tuple[tuple[float, float], ...]:
        """(interval, overhead) from a tenth of the best interval to ten times it, evenly on a logarithmic axis.

        An asynchronous job cannot write more often than its writes end: shorter intervals cost what that interval costs.
        """
        best = self.best_interval()
        if best is None or best <= 0:
            return ()
        return tuple(self._points(best, points))

    def _points(self, best: float, points: int) -> Iterator[tuple[float, float]]:
        for index in range(points):
            interval = best * 10 ** (2 * index / (points - 1) - 1)
            cost = self.overhead(self.effective_interval(interval))
            assert cost is not None
            yield interval, cost


@dataclass(frozen=True, slots=True)
class IntervalRange:
    """The intervals that meet all targets; empty when `shortest` is above `longest`."""

    shortest: float
    longest: float

    @property
    def empty(self) -> bool:
        """Whether no interval meets the targets."""
        return self.shortest > self.longest


def intervals_on_target(
    model: CostModel, *, rpo: float | None = None, stall: float | None = None, cost: float | None = None
) -> IntervalRange:
    """The intervals at which a write ends before the next one begins and no target is missed.

    `rpo` is what interval and write together may take, `stall` the largest stall fraction, `cost` the largest overhead.
    """
    shortest, longest = model.write, inf
    if rpo is not None:
        longest = rpo - model.write
    if stall is not None and model.blocking:
        shortest = max(shortest, model.blocking * (1 - stall) / stall if stall else inf)
    if cost is not None and model.mtbf is not None:
        # blocking / t + (t / 2 + unsaved) / mtbf <= cost, solved for t
        room = cost - model.unsaved / model.mtbf
        discriminant = room * room - 2 * model.blocking / model.mtbf
        if room <= 0 or discriminant < 0:
            return IntervalRange(inf, 0.0)
        shortest = max(shortest, model.mtbf * (room - sqrt(discriminant)))
        longest = min(longest, model.mtbf * (room + sqrt(discriminant)))
    return IntervalRange(shortest, longest)
