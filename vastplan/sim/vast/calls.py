"""Calls on a protected path that are neither its life nor its fields: replicate now, attach a stream again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from vastplan.sim.store import Row
from vastplan.sim.vast import reattach, replication
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import raise_for
from vastplan.sim.vast.sides import SOURCE, refuse

EXPIRIES = ("time_expires_local", "time_expires_target")
_FORM = "%Y-%m-%dT%H:%M:%S"


def _moment(text: str) -> float | None:
    try:
        return datetime.strptime(text.removesuffix("Z"), _FORM).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def replicate_now(cluster: VastCluster, row: Row, body: Row) -> None:
    """A restore point at once, beside those of the frames; it waits while another one is being sent."""
    ends = {name: _moment(body[name]) for name in EXPIRIES}
    wrong = f"Datetime has wrong format. Use {_FORM}."
    raise_for((name, wrong) for name, end in ends.items() if end is None)
    if row["role"] != SOURCE:
        refuse(cluster, "replicate at a replica", f"{row['name']} is {row['role']}, not {SOURCE}.")
    elif not row["enabled"]:
        refuse(cluster, "replicate while suspended", f"{row['name']} is suspended.")
    else:
        local, remote = (max(0, int((end or 0) - cluster.clock())) for end in ends.values())
        replication.take(cluster, row, "now", (local, remote))


def reattach_stream(cluster: VastCluster, row: Row, body: Row) -> None:
    """Attach the other side again."""
    reattach.reattach(cluster, row, body.get("stream_id"))


CALLS: Mapping[str, Callable[[VastCluster, Row, Row], None]] = MappingProxyType(
    {"replicate_now": replicate_now, "reattach_stream": reattach_stream}
)
"""PATCHes of a protected path that are answered 200 and nothing, by the last segment of their path."""
