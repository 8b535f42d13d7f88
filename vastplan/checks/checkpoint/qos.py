"""QoS policies as limits on writes: what a policy's values say, in bytes a second.

`*_mbps` and `*_mb` are MB (10^6), an I/O is 64 KiB, 0 and what is left out are unlimited. A credit ("loan") is what a burst
may use on top. With `use_total_limits` the limits on reads and writes together hold, and writes may have all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.checkpoint.limits import Limit, Sort, iops_limit

MB, GB = 10**6, 10**9
_WRITES = ("max_writes_bw_mbps", "burst_writes_bw_mb", "burst_writes_loan_mb")
_WRITES_IOPS = ("max_writes_iops", "burst_writes_iops", "burst_writes_loan_iops")
_TOTAL = ("max_bw_mbps", "burst_bw_mb", "burst_loan_mb")
_TOTAL_IOPS = ("max_iops", "burst_iops", "burst_loan_iops")


def limits_of(values: Mapping[str, Any], owner: str, provisioned_bytes: int | None = None) -> Iterator[Limit]:
    """The limits on writes of a policy (or of what stands inline in a view, volume or tenant).

    A policy by provisioned capacity takes `provisioned_bytes`, counted in GB of 10^9, which is inferred; `unknown_of` says
    what cannot be told.
    """
    total = values.get("use_total_limits") is True
    by = values.get("limit_by", "BW_IOPS")
    bandwidth, ios = (_TOTAL, _TOTAL_IOPS) if total else (_WRITES, _WRITES_IOPS)
    given = [values.get("static_total_limits" if total else "static_limits") or {}]
    if values.get("mode") == "PROVISIONED_CAPACITY" and provisioned_bytes is not None:
        per_gb = values.get("capacity_total_limits" if total else "capacity_limits") or {}
        most = (bandwidth[0], ios[0])
        given.append({name: (per_gb.get(f"{name}_per_gb_capacity") or 0) * provisioned_bytes / GB for name in most})
    for limits in given:
        if "BW" in by:
            yield from _bandwidth(limits, owner, bandwidth)
        if "IOPS" in by:
            yield from _iops(limits, owner, ios)


def unknown_of(values: Mapping[str, Any], owner: str) -> Iterator[str]:
    """What a policy's values leave open, in sentences."""
    if values.get("mode") == "USED_CAPACITY":
        yield f"QoS of {owner} follows the capacity used, which a document does not say"


def _bandwidth(limits: Mapping[str, Any], owner: str, names: tuple[str, str, str]) -> Iterator[Limit]:
    most, burst, credit = (limits.get(name) or 0 for name in names)
    if most:
        yield Limit(Sort.QOS_BANDWIDTH, owner, most * MB, burst * MB or None, credit * MB if burst else 0)


def _iops(limits: Mapping[str, Any], owner: str, names: tuple[str, str, str]) -> Iterator[Limit]:
    most, burst, credit = (limits.get(name) or 0 for name in names)
    if most:
        yield iops_limit(owner, most, burst, credit if burst else 0)
