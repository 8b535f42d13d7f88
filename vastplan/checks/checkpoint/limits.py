"""What writes have to pass, and how long that takes.

A limit is a token bucket: it passes `bytes_per_second` for ever, and out of `credit_bytes` up to `burst_bytes_per_second`
until the credit is used up. Limits stand in series: VAST lets I/O that several QoS policies hold proceed when all of them
allow it, so the slowest one says when the last byte is through. That the other limits are in series too is inferred.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

IO_BYTES = 64 * 1024
"""What VAST counts as one I/O of an IOPS limit (`io_size_bytes` of a QoS policy, its default)."""


class Sort(Enum):
    """What a limit is the limit of, in the words of a report."""

    QOS_BANDWIDTH = "QoS bandwidth"
    BURST = "burst bandwidth"
    CREDIT = "burst credit"
    IOPS = "IOPS x I/O size"
    RANKS = "writing ranks"
    NODES = "nodes' network"
    VIP_POOL = "VIP pool"
    SITE = "site's write bandwidth"
    WAN = "WAN"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit on writes. `shared` says that jobs which write at the same time have to divide it among them."""

    sort: Sort
    owner: str
    bytes_per_second: float
    burst_bytes_per_second: float | None = None
    credit_bytes: float = 0.0
    shared: bool = True

    def __post_init__(self) -> None:
        if self.bytes_per_second <= 0:
            raise ValueError(
                f"{self}: a limit of nothing lets no checkpoint through; leave it out when it is unlimited"
            )

    def __str__(self) -> str:
        return f"{self.sort.value} of {self.owner}" if self.owner else self.sort.value

    def seconds(self, size_bytes: float, credit_bytes: float | None = None) -> float:
        """How long `size_bytes` take to pass; with the whole credit unless another is given."""
        return max(self._peak(size_bytes), self._settled(size_bytes, credit_bytes))

    def binding(self, size_bytes: float, credit_bytes: float | None = None) -> Sort:
        """Which side of the bucket holds: its burst rate while the credit lasts, or what is left once it is gone."""
        if self.burst_bytes_per_second is None or self.credit_bytes <= 0 or self.sort is Sort.IOPS:
            return self.sort
        slower = self._settled(size_bytes, credit_bytes) > self._peak(size_bytes)
        return Sort.CREDIT if slower else Sort.BURST

    def credit_left(self, size_bytes: float, interval_seconds: float | None, *, asynchronous: bool) -> float:
        """The credit that each write finds, when one of `size_bytes` comes every interval; all of it where none is known.

        It refills at the sustained rate while nothing is written: beside an asynchronous write the interval goes on, so
        all of it is back if the average fits the sustained rate, and else none; a synchronous job computes for the whole
        interval before it writes again. VAST says that credit refills below the maximum; the rest is inferred from that.
        """
        if interval_seconds is None:
            return self.credit_bytes
        earned = self.bytes_per_second * interval_seconds
        if asynchronous:
            return self.credit_bytes if size_bytes <= earned else 0.0
        return min(self.credit_bytes, earned)

    def _peak(self, size_bytes: float) -> float:
        burst = self.burst_bytes_per_second
        return size_bytes / max(burst, self.bytes_per_second) if burst else size_bytes / self.bytes_per_second

    def _settled(self, size_bytes: float, credit_bytes: float | None) -> float:
        """Once the credit is gone; less than nothing where it lasts. Without a higher rate it cannot be spent."""
        if not self.burst_bytes_per_second:
            return size_bytes / self.bytes_per_second
        credit = self.credit_bytes if credit_bytes is None else credit_bytes
        return (size_bytes - credit) / self.bytes_per_second


def iops_limit(
    owner: str, iops: float, burst_iops: int | None = None, credit_ios: int = 0, io_bytes: int = IO_BYTES
) -> Limit:
    """A limit of I/Os a second, in bytes: 3000 IOPS of 64 KiB are 196.6 MB/s, whatever bandwidth was asked for."""
    burst = burst_iops * io_bytes if burst_iops else None
    return Limit(Sort.IOPS, owner, iops * io_bytes, burst, credit_ios * io_bytes)


def burst_seconds(limit: Limit) -> float:
    """How long a burst lasts at its full rate: credit / (burst - sustained), as VAST's best practices compute it."""
    burst = limit.burst_bytes_per_second
    if burst is None or burst <= limit.bytes_per_second:
        raise ValueError(f"{limit}: a burst is faster than what is sustained")
    return limit.credit_bytes / (burst - limit.bytes_per_second)
