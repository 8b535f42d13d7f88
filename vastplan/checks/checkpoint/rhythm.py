"""How often to checkpoint: what an interval costs, and which is best. All times are seconds, all shares fractions of 1.

`interval` is the time from the end of one pause to the start of the next, `blocking` what a checkpoint pauses the job for:
its whole write when synchronous, only the copy to host memory when asynchronous. `mtbf` is the job's mean time between
failures, and failures are taken to be exponential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import expm1, inf, sqrt

Law = Callable[[float, float], float]
"""From what a checkpoint blocks and the time between failures to the best interval."""


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
    """To first order, the time lost of every second of work: pauses, and work done again (half an interval a failure).

    `unsaved` is what an asynchronous write still lacks when a failure comes: its write time.
    """
    return blocking / interval + (interval / 2 + unsaved) / mtbf


def efficiency(interval: float, write: float, mtbf: float, restart: float = 0.0) -> float:
    """The share of wall time that is work kept, exactly, of a job that stands still while it writes."""
    exponent = (interval + write) / mtbf
    return interval / ((mtbf + restart) * expm1(exponent)) if exponent < 700 else 0.0


def efficiency_async(interval: float, write: float, staging: float, mtbf: float, restart: float = 0.0) -> float:
    """The same, to first order, of a job that goes on while its checkpoint is written; nothing is left below 0."""
    return max(0.0, 1 - (interval / 2 + write + restart) / mtbf) / (1 + staging / interval)


def ettr(interval: float, write: float, mtbf: float, restart: float) -> float:
    """Meta's expected effective training time ratio (HPCA 2025), which leaves the write out of the work lost."""
    return (1 - (restart + interval / 2) / mtbf) / (1 + write / interval)


@dataclass(frozen=True, slots=True)
class Pace:
    """What a job's checkpoints cost at any interval."""

    write: float
    blocking: float
    asynchronous: bool
    mtbf: float | None = None
    restart: float = 0.0

    @property
    def unsaved(self) -> float:
        """What a failure costs beside half an interval; to first order only an asynchronous write counts."""
        return self.write if self.asynchronous else 0.0

    def kept(self, interval: float) -> float:
        """The interval that is really kept: an asynchronous write that takes longer holds up the next one."""
        return max(interval, self.write) if self.asynchronous else interval

    def best(self, law: Law = young) -> float | None:
        """The best interval, by `young` or `daly`: an asynchronous one is not shorter than its write."""
        if self.mtbf is None:
            return None
        return self.kept(law(self.blocking, self.mtbf))

    def overhead(self, interval: float) -> float | None:
        """The time lost of every second of work."""
        return None if self.mtbf is None else overhead(interval, self.blocking, self.mtbf, self.unsaved)

    def least(self) -> float | None:
        """The overhead at the best interval."""
        best = self.best()
        return None if best is None else self.overhead(best)

    def efficiency(self, interval: float) -> float | None:
        """The share of wall time that is work kept."""
        if self.mtbf is None:
            return None
        if self.asynchronous:
            return efficiency_async(interval, self.write, self.blocking, self.mtbf, self.restart)
        return efficiency(interval, self.write, self.mtbf, self.restart)

    def curve(self, points: int = 41) -> tuple[tuple[float, float], ...]:
        """(interval, overhead) from a tenth of the best interval to ten times it, evenly on a logarithmic axis.

        An asynchronous job that wants to write more often than it can is held up by its writes: it costs what those cost.
        """
        best = self.best()
        if best is None or best <= 0:
            return ()
        return tuple(self._points(best, points))

    def _points(self, best: float, points: int) -> Iterator[tuple[float, float]]:
        for index in range(points):
            interval = best * 10 ** (2 * index / (points - 1) - 1)
            cost = self.overhead(self.kept(interval))
            assert cost is not None
            yield interval, cost


@dataclass(frozen=True, slots=True)
class Window:
    """The intervals that meet all targets; empty when `shortest` is above `longest`."""

    shortest: float
    longest: float

    def __contains__(self, interval: float) -> bool:
        return self.shortest <= interval <= self.longest

    @property
    def empty(self) -> bool:
        """Whether no interval meets the targets."""
        return self.shortest > self.longest


def window(pace: Pace, *, rpo: float | None = None, stall: float | None = None, cost: float | None = None) -> Window:
    """The intervals at which a write ends before the next one begins and no target is missed.

    `rpo` is what interval and write together may take, `stall` the largest stall fraction, `cost` the largest overhead.
    """
    shortest, longest = pace.write, inf
    if rpo is not None:
        longest = rpo - pace.write
    if stall is not None and pace.blocking:
        shortest = max(shortest, pace.blocking * (1 - stall) / stall if stall else inf)
    if cost is not None and pace.mtbf is not None:
        # blocking / t + (t / 2 + unsaved) / mtbf <= cost, solved for t
        room = cost - pace.unsaved / pace.mtbf
        root = room * room - 2 * pace.blocking / pace.mtbf
        if room <= 0 or root < 0:
            return Window(inf, 0.0)
        shortest = max(shortest, pace.mtbf * (room - sqrt(root)))
        longest = min(longest, pace.mtbf * (room + sqrt(root)))
    return Window(shortest, longest)
