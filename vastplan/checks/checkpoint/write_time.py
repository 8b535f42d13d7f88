"""How long a write takes at each limit that applies to it, and which limits a QoS policy sets.

A limit is a token bucket: it passes `bytes_per_second` forever, and out of `credit_bytes` up to
`burst_bytes_per_second` until the credit is used up. Limits are in series: VAST lets I/O that several QoS policies
limit proceed when all of them allow it, so the slowest one decides when the last byte is written. That the other limits
are in series too is inferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from vastplan.model.dataclass import dataclass

MB, GB = 10**6, 10**9
IO_BYTES = 64 * 1024
"""What VAST counts as one I/O of an IOPS limit (`io_size_bytes` of a QoS policy, its default)."""


class LimitKind(Enum):
    """What a limit restricts, in the words of a report."""

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
class WriteLimit:
    """One limit on writes. If `shared`, jobs that write at the same time divide it among them."""

    kind: LimitKind
    owner: str
    bytes_per_second: float
    burst_bytes_per_second: float | None = None
    credit_bytes: float = 0.0
    shared: bool = True

    def __post_init__(self) -> None:
        if self.bytes_per_second <= 0:
            raise ValueError(f"{self}: a limit of 0 lets no checkpoint through; remove it where writes are unlimited")

    def __str__(self) -> str:
        return limit_name(self.kind, self.owner)

    def seconds(self, size_bytes: float, credit_bytes: float | None = None) -> float:
        """How long `size_bytes` take to pass; with the whole credit unless another is given."""
        return max(self._seconds_at_burst(size_bytes), self._seconds_after_credit(size_bytes, credit_bytes))

    def binding_kind(self, size_bytes: float, credit_bytes: float | None = None) -> LimitKind:
        """Which side of the bucket binds: the burst rate while the credit lasts, or the sustained rate after that."""
        if self.burst_bytes_per_second is None or self.credit_bytes <= 0 or self.kind is LimitKind.IOPS:
            return self.kind
        slower = self._seconds_after_credit(size_bytes, credit_bytes) > self._seconds_at_burst(size_bytes)
        return LimitKind.CREDIT if slower else LimitKind.BURST

    def credit_left(self, size_bytes: float, interval_seconds: float | None, *, asynchronous: bool) -> float:
        """The credit that each write finds, if `size_bytes` are written every interval; all of it if no interval is known.

        It refills at the sustained rate while nothing is written. An asynchronous write does not stop the interval, so all
        credit is back if the average fits the sustained rate, and else none; a synchronous job computes for the whole
        interval before it writes again. VAST says that credit refills below the maximum; the rest is inferred from that.
        """
        if interval_seconds is None:
            return self.credit_bytes
        earned = self.bytes_per_second * interval_seconds
        if asynchronous:
            return self.credit_bytes if size_bytes <= earned else 0.0
        return min(self.credit_bytes, earned)

    def _seconds_at_burst(self, size_bytes: float) -> float:
        burst = self.burst_bytes_per_second
        return size_bytes / max(burst, self.bytes_per_second) if burst else size_bytes / self.bytes_per_second

    def _seconds_after_credit(self, size_bytes: float, credit_bytes: float | None) -> float:
        """The seconds from when the credit is used up; negative if it lasts. Without a burst rate it cannot be used."""
        if not self.burst_bytes_per_second:
            return size_bytes / self.bytes_per_second
        credit = self.credit_bytes if credit_bytes is None else credit_bytes
        return (size_bytes - credit) / self.bytes_per_second


def limit_name(kind: LimitKind, owner: str) -> str:
    """`QoS bandwidth of volume v`: a limit, or one side of its bucket, for people."""
    return f"{kind.value} of {owner}" if owner else kind.value


def iops_limit(
    owner: str, iops: float, burst_iops: int | None = None, credit_ios: int = 0, io_bytes: int = IO_BYTES
) -> WriteLimit:
    """A limit of I/Os a second, in bytes: 3000 IOPS of 64 KiB are 196.6 MB/s, whatever the bandwidth limit is."""
    burst = burst_iops * io_bytes if burst_iops else None
    return WriteLimit(LimitKind.IOPS, owner, iops * io_bytes, burst, credit_ios * io_bytes)


_WRITES_BANDWIDTH = ("max_writes_bw_mbps", "burst_writes_bw_mb", "burst_writes_loan_mb")
_WRITES_IOPS = ("max_writes_iops", "burst_writes_iops", "burst_writes_loan_iops")
_TOTAL_BANDWIDTH = ("max_bw_mbps", "burst_bw_mb", "burst_loan_mb")
_TOTAL_IOPS = ("max_iops", "burst_iops", "burst_loan_iops")


def policy_limits(values: Mapping[str, Any], owner: str, provisioned_bytes: int | None = None) -> Iterator[WriteLimit]:
    """The limits on writes of a QoS policy (or of QoS limits inside a view, volume or tenant).

    `*_mbps` and `*_mb` are MB (10^6), an I/O is 64 KiB; 0 or a missing field means unlimited. A credit ("loan") is
    what a burst may use on top. With `use_total_limits` the limits on reads and writes together apply, and writes may
    use all of them. A policy by provisioned capacity takes `provisioned_bytes`, counted in GB of 10^9, which is
    inferred; `follows_used_capacity` is true if a document cannot determine the limits.
    """
    total = values.get("use_total_limits") is True
    limit_by = values.get("limit_by")  # both if left out
    bandwidth_fields, iops_fields = (_TOTAL_BANDWIDTH, _TOTAL_IOPS) if total else (_WRITES_BANDWIDTH, _WRITES_IOPS)
    structs = [values.get("static_total_limits" if total else "static_limits") or {}]
    if values.get("mode") == "PROVISIONED_CAPACITY" and provisioned_bytes is not None:
        per_gb = values.get("capacity_total_limits" if total else "capacity_limits") or {}
        fields = (bandwidth_fields[0], iops_fields[0])
        structs.append({name: (per_gb.get(f"{name}_per_gb_capacity") or 0) * provisioned_bytes / GB for name in fields})
    for struct in structs:
        if limit_by != "IOPS":
            rate, burst, credit = (struct.get(name) or 0 for name in bandwidth_fields)
            if rate:
                yield WriteLimit(
                    LimitKind.QOS_BANDWIDTH, owner, rate * MB, burst * MB or None, credit * MB if burst else 0
                )
        if limit_by != "BW":
            rate, burst, credit = (struct.get(name) or 0 for name in iops_fields)
            if rate:
                yield iops_limit(owner, rate, burst, credit if burst else 0)


def follows_used_capacity(values: Mapping[str, Any]) -> bool:
    """Whether a policy's limits depend on the used capacity, which a document does not contain."""
    return values.get("mode") == "USED_CAPACITY"
