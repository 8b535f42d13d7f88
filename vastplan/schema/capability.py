"""The capability of a site, as the document declares it: the only place for figures that no API shows, or shows only in part.

Validated bandwidths are MB/s (10^6 bytes), sizes bytes. They are named like the limits of QoS policies that they are compared
with: `max_writes_bw_mbps` is a part of `writes_bw_mbps`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import MISSING, Field

from vastplan.model import units
from vastplan.schema.bounds import Many, Rate, above_zero, in_bounds
from vastplan.schema.types import Bytes, Name, Spec

_Capacity = Annotated[Bytes, above_zero(units.parse_bytes, "leave it out to use what the cluster reports")]
_Percent = Annotated[
    Annotated[int, Field(ge=1, le=10000)],
    in_bounds(lambda percent: 1 <= percent <= 10000, "100 promises exactly what exists; give 1 to 10000"),
]
_Ratio = Annotated[
    Annotated[float, Field(ge=1, le=100)],
    in_bounds(
        lambda ratio: 1 <= ratio <= 100, "a ratio is the size before reduction divided by the size after it: 1 to 100"
    ),
]
_Gpus = Annotated[float, Field(ge=0, le=10**9)]


class Capability(Spec):
    """What a site can do, as measured or bought. It is not sent to a system: a change of it plans no change."""

    usable_capacity: _Capacity | MISSING = MISSING
    """Bytes that can be stored on the site, instead of what the cluster reports."""
    promised_percent: _Percent | MISSING = MISSING
    """Percent of the usable capacity that hard limits may promise together; left out, 100. Above 100 it is
    overcommitted."""
    reads_bw_mbps: Rate | MISSING = MISSING
    """Read bandwidth of the site in MB/s (10^6 bytes), instead of what the cluster reports; checkpoint budgets use
    this figure alone."""
    writes_bw_mbps: Rate | MISSING = MISSING
    """Write bandwidth of the site in MB/s (10^6 bytes), instead of what the cluster reports; checkpoint budgets use
    this figure alone."""
    writes_bw_mbps_per_cnode: Rate | MISSING = MISSING
    """Write bandwidth of one CNode in MB/s; a VIP pool lets through as much for each CNode in its `cnode_ids`."""
    reads_iops: Many | MISSING = MISSING
    """Read operations per second of the site; QoS limits of all views together are compared with it."""
    writes_iops: Many | MISSING = MISSING
    """Write operations per second of the site; QoS limits of all views together are compared with it."""
    wan_bw_mbps: dict[Name, Rate] | MISSING = MISSING
    """Bandwidth of the link to each other site in MB/s, by the name of that site."""
    reduction_ratio: _Ratio | MISSING = MISSING
    """Size of data before reduction divided by the size after it: 2.0 halves what snapshots take and what is
    replicated."""
    gpus: dict[Name, _Gpus] | MISSING = MISSING
    """Number of GPUs in each node pool of the site, by the pool's name."""
