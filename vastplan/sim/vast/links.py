"""Links that are cut and restored: when each side notices, and how it reacts."""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import copies, reattach, replication, role_changes, sides, synchronous, tasks
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.events import alarm
from vastplan.sim.vast.fabric import arm, save_fabric
from vastplan.sim.vast.peers import CONNECTED, PEERS_NAME
from vastplan.sim.vast.sides import CHANGE, CUT, DETACHED, NAME, READ_ONLY, SOURCE, STANDALONE

BEATEN = "last_heart_beat"


def set_link(cluster: VastCluster, other: VastCluster, *, up: bool) -> None:
    """Cut or restore the link between two clusters; both notice at their next heartbeat."""
    pair, fabric = frozenset({cluster.name, other.name}), cluster.fabric
    if up is not (pair in fabric.cut):
        return
    if up:
        fabric.cut.discard(pair)
    else:
        fabric.cut.add(pair)
    save_fabric(fabric)
    for near, far in ((cluster, other), (other, cluster)):
        for row in shared_paths(near, far):
            if sides.synchronous(row):
                (synchronous.mended if up else synchronous.cut)(near, row)
            elif not up:
                replication.interrupt(near, row)
        if not up:
            copies.noticed(near, far)
        for peer in peers(near, far) if not up else ():
            near.put(PEERS_NAME, peer | {BEATEN: near.now()})
        arm(near, near.assumed.heartbeat, role_changes.HEARTBEAT, far.name)


def peers(cluster: VastCluster, other: VastCluster) -> list[Row]:
    """The peers of a cluster that represent another cluster."""
    return [row for row in cluster.rows(PEERS_NAME) if any(other.rows(PEERS_NAME, guid=row["guid"]))]


def shared_paths(cluster: VastCluster, other: VastCluster) -> list[Row]:
    """The replicated paths of a cluster whose other side is on `other`."""
    return [row for row in cluster.rows(NAME) if not row["is_local"] and any(other.rows(NAME, guid=row["guid"]))]


def heartbeat(cluster: VastCluster, name: str) -> None:
    """Check whether another cluster can be reached, and react."""
    other = cluster.fabric.cluster(name)
    if other is None:
        return
    carries = cluster.reaches(other)
    copies.noticed(cluster, other)
    for peer in peers(cluster, other):
        gone = {"state": "ERROR", "status": "ERROR", "health": "FAILED", "state_description": f"{name} does not answer"}
        cluster.put(PEERS_NAME, peer | (CONNECTED if carries else gone))
    for row in shared_paths(cluster, other):
        mirror = sides.cluster_row(other, row["guid"])
        if not carries or mirror is None:
            row[CUT] = True
            cluster.put(NAME, row)
            replication.refresh_state(cluster, row)
        else:
            row.pop(CUT, None)
            cluster.put(NAME, row)
            _hears(cluster, row, other, mirror)


def _hears(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> None:
    """React to the state of the other side when it can be reached again."""
    if "_waiting" in row:  # a delete that could not reach the other side
        tasks.finish_task(cluster, row.pop("_waiting"), "TIMEOUT")
        row["state"] = "Active"
        cluster.put(NAME, row)
    graceful = [side_row.get(CHANGE, {}).get("kind") == role_changes.GRACEFUL for side_row in (row, mirror)]
    if graceful == [True, False]:  # the failover was aborted on the other side
        role_changes.give_up_failover(cluster, row)
    elif row["role"] == SOURCE and not row.get(DETACHED) and mirror.get(DETACHED):
        _loses(cluster, row, other, mirror)
    if sides.synchronous(row):
        synchronous.hears(cluster, row, other, mirror)
    replication.send_restore_points(cluster, row)
    role_changes.step(cluster, row)
    reattach.continue_reattach(cluster, row)


def _loses(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> None:
    """React as a source whose replica was detached or became the source meanwhile: both accepted writes."""
    alarm(cluster, NAME, row, f"{row['name']} is {mirror['role']} on {other.name}, and {SOURCE} here")
    replication.fail(cluster, row)
    row[DETACHED] = True
    cluster.put(NAME, row)
    if cluster.assumed.old_source == "standalone":
        role_changes.become(cluster, row, STANDALONE)
    elif cluster.assumed.old_source == "blocked":
        row["state"], row[READ_ONLY] = "Blocked", True
        cluster.put(NAME, row)
        replication.schedule(cluster, row)
