"""What linked clusters share: the logical clock, its timers, and the state of the links.

Nothing here reads the wall clock, and reads move nothing: time passes only by `pass_time`.
Timers are kept in each cluster's store, so that they survive a restart.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import Fabric, VastCluster

TIMERS = "_timers"
CONTROL = "_control"
CLOCK = "clock"
Play = Callable[[VastCluster, Row], None]


def advance_clock(fabric: Fabric, seconds: float, play: Play) -> None:
    """Let time pass and `play` the timers in order of their time, including those that are armed meanwhile."""
    if seconds < 0 or fabric.timers is not None:
        raise ValueError("time only moves forward, and pass_time cannot be nested")
    until = fabric.passed + seconds
    fabric.timers = [(row["at"], cluster.name, row["id"]) for cluster in fabric.clusters for row in timers(cluster)]
    heapq.heapify(fabric.timers)
    try:
        while fabric.timers and fabric.timers[0][0] <= until:
            at, name, key = heapq.heappop(fabric.timers)
            cluster = fabric.cluster(name)
            row = None if cluster is None else cluster.store.get(TIMERS, str(key))
            if cluster is None or row is None or cluster.lost:  # disarmed, or waits until there is power again
                continue
            cluster.store.remove(TIMERS, str(key))
            fabric.passed = max(fabric.passed, at)
            play(cluster, row)
        fabric.passed = until
    finally:
        fabric.timers = None
        save_fabric(fabric)


def timers(cluster: VastCluster) -> Iterator[Row]:
    """The timers of a cluster."""
    yield from cluster.store.rows(TIMERS)


def join_clock(cluster: VastCluster, fabric: Fabric) -> None:
    """Attach a cluster to a clock, which then shows at least the cluster's own time."""
    kept = cluster.store.get(CONTROL, CLOCK) or {"passed": 0.0, "cut": []}
    fabric.passed = max(fabric.passed, cluster.fabric.passed, kept["passed"])
    fabric.cut |= {frozenset({cluster.name, other}) for other in kept["cut"]} | cluster.fabric.cut
    fabric.bandwidth |= cluster.fabric.bandwidth
    for member in [cluster, *cluster.fabric.clusters]:
        member.fabric = fabric
        if member not in fabric.clusters:
            fabric.clusters.append(member)


def save_fabric(fabric: Fabric) -> None:
    """Save the clock and the links on each cluster."""
    for cluster in fabric.clusters:
        cut = sorted(other for pair in fabric.cut if cluster.name in pair for other in pair - {cluster.name})
        now = {"passed": fabric.passed, "cut": cut}
        if (cluster.store.get(CONTROL, CLOCK) or {}) != now and (
            now["passed"] or cut or cluster.store.get(CONTROL, CLOCK)
        ):
            cluster.store.put(CONTROL, CLOCK, now)


def arm(cluster: VastCluster, after: float, kind: str, guid: str, **data: Any) -> None:
    """Arm a timer: `kind` happens to the object `guid` after `after` seconds."""
    key = cluster.store.next(TIMERS)
    at = cluster.fabric.passed + after
    cluster.store.put(TIMERS, str(key), {"id": key, "at": at, "kind": kind, "guid": guid, "data": data})
    cluster.fabric.due(at, cluster.name, key)


def armed(cluster: VastCluster, guid: str, kind: str) -> Row | None:
    """The timer of one kind for an object, or `None`."""
    return next(cluster.rows(TIMERS, guid=guid, kind=kind), None)


def disarm(cluster: VastCluster, guid: str, *kinds: str) -> None:
    """Cancel an object's timers: of these kinds, or all if none is given."""
    for row in list(cluster.rows(TIMERS, guid=guid)):
        if not kinds or row["kind"] in kinds:
            cluster.store.remove(TIMERS, str(row["id"]))
