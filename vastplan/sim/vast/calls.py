"""Calls on an object beyond create, read, update and delete: replicate now, reattach, pause, commit, prefetch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from vastplan.sim.store import Row
from vastplan.sim.vast import reattach, replication, restore, shared_access, sides, streams, synchronous
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import raise_for
from vastplan.sim.vast.records import Query, is_true
from vastplan.sim.vast.sides import RESTORE, SOURCE, refuse_call
from vastplan.sim.wire import Response

EXPIRIES = ("time_expires_local", "time_expires_target")
_FORM = "%Y-%m-%dT%H:%M:%S"


def _moment(text: str) -> float | None:
    try:
        return datetime.strptime(text.removesuffix("Z"), _FORM).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def replicate_now(cluster: VastCluster, row: Row, body: Row) -> None:
    """Take a restore point now, in addition to those of the frames; it waits while another one is being sent."""
    ends = {name: _moment(body[name]) for name in EXPIRIES}
    wrong = f"Datetime has wrong format. Use {_FORM}."
    raise_for((name, wrong) for name, end in ends.items() if end is None)
    if row["role"] != SOURCE:
        refuse_call(cluster, "replicate at a replica", f"{row['name']} is {row['role']}, not {SOURCE}.")
    elif not row["enabled"]:
        refuse_call(cluster, "replicate while suspended", f"{row['name']} is suspended.")
    elif sides.synchronous(row):
        refuse_call(cluster, "replicate what is synchronous", f"{row['name']} is replicated synchronously.")
    elif RESTORE in row:
        refuse_call(cluster, "replicate during a restore", f"{row['name']} is being restored.")
    else:
        local, remote = (max(0, int((end or 0) - cluster.clock())) for end in ends.values())
        replication.take(cluster, row, "now", (local, remote))


def reattach_stream(cluster: VastCluster, row: Row, body: Row) -> None:
    """Attach the other side of a path again."""
    attach = synchronous.reconnect if sides.synchronous(row) else reattach.attach_other_side
    attach(cluster, row, body.get("stream_id"))


def _pause_stream(cluster: VastCluster, row: Row, body: Row) -> None:
    streams.switch(cluster, row, on=False)


def _resume_stream(cluster: VastCluster, row: Row, body: Row) -> None:
    streams.switch(cluster, row, on=True)


CALLS: Mapping[tuple[str, str], Callable[[VastCluster, Row, Row], None]] = MappingProxyType(
    {
        (sides.NAME, "replicate_now"): replicate_now,
        (sides.NAME, "reattach_stream"): reattach_stream,
        (sides.NAME, "pause"): restore.pause_restore,
        (sides.NAME, "resume"): restore.resume_restore,
        (sides.NAME, "stop"): restore.stop_restore,
        (sides.NAME, "commit"): restore.commit_restore,
        (streams.NAME, "pause"): _pause_stream,
        (streams.NAME, "resume"): _resume_stream,
    }
)
"""PATCHes of an object that are answered 200 without a body."""


def answer_prefetch(cluster: VastCluster, row: Row, method: str, body: Row, query: Query) -> Response:
    """Answer a call about prefetches of a path. Raises `VmsError`."""
    if method == "POST":
        return Response(200, shared_access.start_prefetch(cluster, row, body, force=is_true(query, "force")))
    if method == "GET":
        return Response(200, shared_access.prefetch_progress(cluster, row, query.get("task_id", [""])[0]))
    shared_access.remove_prefetch(cluster, row, body)
    return Response(204)
