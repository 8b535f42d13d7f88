"""Reattaching a returned cluster to the source: it is rewound to the newest common restore point, then sent what came after."""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import content, mirrors, replication, sides, snapshots
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import not_found
from vastplan.sim.vast.fabric import arm, armed
from vastplan.sim.vast.role_changes import REJOIN
from vastplan.sim.vast.sides import (
    BASE,
    CHANGE,
    CUT,
    DESTINATION,
    DETACHED,
    EPOCH,
    NAME,
    READ_ONLY,
    SOURCE,
    STANDALONE,
    own_directory,
    refuse_call,
)  # fmt: skip

REJOINING = "_rejoining"  # attached again, and not in sync yet


def attach_other_side(cluster: VastCluster, row: Row, stream_id: str | None) -> None:
    """Attach the other side of a stream again, as the replica; called on the source. Raises `VmsError`."""
    stream, name = mirrors.stream_of(cluster, row), row["name"]
    side = sides.other_side(cluster, row)
    if stream is None or str(stream["id"]) != str(stream_id):
        raise not_found()
    if row["role"] != SOURCE:
        refuse_call(cluster, "reattach at a replica", f"{name} is {row['role']}, not {SOURCE}.")
    elif side is None or not cluster.reaches(side[0]) or row.get(CUT):
        refuse_call(cluster, "reattach of what cannot be reached", f"The peer of {name} is not connected.")
    elif not row.get(DETACHED) or not _lets(side[1]):
        refuse_call(cluster, "reattach of what is attached", f"The stream of {name} is not detached.")
    else:
        _begin(cluster, row, *side)


def _lets(mirror: Row) -> bool:
    return bool(mirror.get(DETACHED)) and mirror["role"] in (STANDALONE, SOURCE)


def _begin(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> None:
    if other.assumed.rejoined_branch_kept:
        _keep_branch(other, mirror)
    mirror["role"], mirror[READ_ONLY] = f"BECOMING_{DESTINATION}", True
    row[CHANGE] = mirror[CHANGE] = {"kind": REJOIN, "promil": 0}
    other.put(NAME, mirror)
    cluster.put(NAME, row)
    replication.schedule(other, mirror)
    arm(cluster, cluster.assumed.role_change, REJOIN, row["guid"])


def _keep_branch(cluster: VastCluster, row: Row) -> None:
    name = f"{row['name']}-before-reattach-{cluster.store.next('_kept_branches')}"
    directory = own_directory(row)
    snapshot = {"name": name, "path": directory.rstrip("/") + "/", "tenant_id": row["tenant_id"], "state": "SUCCEED"}
    versions = content.pointer(cluster, row["tenant_id"], directory)
    snapshots.SNAPSHOTS.stored(cluster, cluster.add("snapshots", snapshot | {"type": "SYSTEM", "_pointer": versions}))


def rejoined(cluster: VastCluster, row: Row) -> None:
    """Make the other side a replica: rewound to the newest common restore point, and then behind the source."""
    side = sides.reached_side(cluster, row)
    if side is None or row.get(CHANGE, {}).get("kind") != REJOIN:
        return
    other, mirror = side
    common = newest_common(cluster, row, other, mirror) if cluster.assumed.rejoined_from_common else None
    base = {"guid": common["guid"], "pointer": common["_pointer"]} if common else None
    for side_cluster, side_row in ((cluster, row), (other, mirror)):
        side_row.pop(CHANGE, None)
        side_row.pop(DETACHED, None)
        side_row.pop(BASE, None)
        if base is not None:
            side_row[BASE] = base
        side_cluster.put(NAME, side_row)
    row |= {READ_ONLY: False, "state": "Active"}  # a blocked source is the source again
    cluster.put(NAME, row)
    content.replace_content(other, mirror["tenant_id"], own_directory(mirror), base["pointer"] if base else {})
    mirror |= {"role": DESTINATION, "state": "Syncing", REJOINING: True, "enabled": row["enabled"]}
    mirror[EPOCH] = row.get(EPOCH, 0)
    other.put(NAME, mirror)
    if row["protection_policy_id"] is None:  # the other side was lost before its policy appeared here
        mirrors.mirror_policy(other, mirror)
    else:
        mirrors.mirror_policy(cluster, row)
    replication.schedule(cluster, row)
    point = replication.take(cluster, row, REJOIN, replication.first_keep(cluster, row))
    cluster.put(NAME, row | {REJOINING: point["guid"]})
    end_rejoin(cluster, sides.cluster_row(cluster, row["guid"]) or row)


def end_rejoin(cluster: VastCluster, row: Row) -> None:
    """End the rejoin when the side that was attached again has caught up."""
    side = sides.reached_side(cluster, row)
    wanted = row.get(REJOINING)
    arrived = {point["guid"] for point in replication.points(cluster, row, replication.READY)}
    if side is None or wanted not in arrived:
        return
    for side_cluster, side_row in ((cluster, row), side):
        side_row.pop(REJOINING, None)
        side_cluster.put(NAME, side_row)
        replication.refresh_state(side_cluster, side_row)


def newest_common(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> Row | None:
    """The newest completed restore point that both sides have, or `None`."""
    other_guids = {point["guid"] for point in replication.points(other, mirror, replication.READY)}
    common = [point for point in replication.points(cluster, row, replication.READY) if point["guid"] in other_guids]
    return max(common, key=lambda point: (point["created"], point["id"]), default=None)


def continue_reattach(cluster: VastCluster, row: Row) -> None:
    """Complete a reattach that a cut link interrupted."""
    if row["role"] == SOURCE and row.get(CHANGE, {}).get("kind") == REJOIN and not armed(cluster, row["guid"], REJOIN):
        rejoined(cluster, row)
