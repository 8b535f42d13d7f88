"""The timers of the logical clock, and the function that handles each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from vastplan.sim.store import Row
from vastplan.sim.vast import (
    copies,
    jobs,
    links,
    mirrors,
    peers,
    protectedpaths,
    reattach,
    replication,
    role_changes,
    shared_access,
    sides,
    snapshots,
    streams,
    synchronous,
    tasks,
)
from vastplan.sim.vast.cluster import Fabric, VastCluster
from vastplan.sim.vast.fabric import advance_clock, timers


def _uploaded(cluster: VastCluster, row: Row) -> None:
    replication.uploaded(cluster, row)
    role_changes.step(cluster, row)
    reattach.end_rejoin(cluster, row)


OF_A_PATH: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        protectedpaths.SCAN: protectedpaths.scan,
        replication.UPLOADED: _uploaded,
        replication.FRAME: replication.frame_due,
        mirrors.MIRROR_POLICY: mirrors.mirror_policy,
        mirrors.MIRROR_PATH: protectedpaths.mirror,
        role_changes.SWAP: role_changes.swap,
        role_changes.STAND: lambda cluster, row: role_changes.become(cluster, row, sides.STANDALONE),
        role_changes.SOURCE_SIDE: role_changes.become_source,
        role_changes.REJOIN: reattach.rejoined,
        synchronous.LEVEL: synchronous.bring_in_sync,
        synchronous.PART: synchronous.part,
    }
)
OF_ANYTHING: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        replication.EXPIRE: replication.expired,
        replication.DISCOVER: replication.discovered,
        role_changes.HEARTBEAT: links.heartbeat,
        copies.COPIED: streams.copied,
        jobs.CHECKPOINT: jobs.checkpoint,
        shared_access.PREFETCHED: shared_access.prefetched,
    }
)


def play(cluster: VastCluster, timer: Row) -> None:
    """Handle a timer that is due, if its object still exists."""
    if timer["kind"] in OF_ANYTHING:
        OF_ANYTHING[timer["kind"]](cluster, timer["guid"], **timer["data"])
        return
    row = sides.cluster_row(cluster, timer["guid"])
    if row is not None:
        OF_A_PATH[timer["kind"]](cluster, row, **timer["data"])


UNDER_WAY = frozenset(
    {
        replication.UPLOADED, role_changes.SWAP, role_changes.STAND, role_changes.SOURCE_SIDE, role_changes.REJOIN, role_changes.HEARTBEAT, copies.COPIED,
        shared_access.PREFETCHED, synchronous.LEVEL, synchronous.PART,
    }
)  # fmt: skip
READ_TIMES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        **dict.fromkeys((sides.NAME, sides.POINTS, mirrors.STREAMS, streams.NAME, tasks.VTASKS.name, peers.PEERS_NAME), UNDER_WAY),
        snapshots.SNAPSHOTS.name: frozenset({replication.DISCOVER}),
    }
)  # fmt: skip
"""The timers in progress that a read of a collection can observe."""


def was_read(cluster: VastCluster, collection: str) -> None:
    """Let a read take time, if that is assumed and the collection shows something in progress."""
    fabric, seconds = cluster.fabric, cluster.assumed.per_read
    seconds_of = READ_TIMES.get(collection)
    if not seconds or seconds_of is None:
        return
    if any(timer["kind"] in seconds_of for member in fabric.clusters for timer in timers(member)):
        pass_time(fabric, seconds)


def pass_time(fabric: Fabric, seconds: float) -> None:
    """Let time pass for all clusters of a logical clock."""
    advance_clock(fabric, seconds, play)
