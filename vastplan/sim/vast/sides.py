"""The two sides of a replicated protected path: one row on each cluster, with the same guid."""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import detail

NAME = "protectedpaths"
POINTS = "replicationrestorepoints"
SOURCE, DESTINATION, STANDALONE = "SOURCE", "DESTINATION", "STANDALONE"
BECOMING = "BECOMING_"
SYNC_FAILED = "Sync Failed"
OWN = "_own_directory"  # which of the path's two directories is on this cluster
READ_ONLY = "_read_only"
CHANGE = "_change"  # the running role change, on each side that knows of it
BASE = "_base"  # the newest restore point that both sides have: its guid and pointer
DETACHED = "_detached"  # nothing is sent between the sides until one is attached again
EPOCH = "_epoch"  # how often a side was forced to be the source; no call shows it
CUT = "_cut"  # this side has noticed that the other cannot be reached
RESTORE = "_restore"  # the stream of a restore that is not committed yet
GLOBAL = "STARED_GLOBAL_NAMESPACE"  # as the document spells it
SYNCHRONOUS = "SYNC_REPLICATION"
IN_STEP = "_in_step"  # of a synchronous path: each write is on both sides before it is answered
APART = "_apart"  # of a synchronous path: this side is disconnected from the other
Side = tuple[VastCluster, Row]


def own_directory(row: Row) -> str:
    """The path's directory on its own cluster."""
    directory: str = row.get(OWN) or (row["source_dir"] if row["role"] == SOURCE else row["target_exported_dir"])
    return directory


def is_changing(row: Row) -> bool:
    """Whether the role is changing."""
    return BECOMING in row["role"]


def synchronous(row: Row) -> bool:
    """Whether each write of a path waits for the other side."""
    return bool(row["capabilities"] == SYNCHRONOUS)


def read_only(row: Row) -> bool:
    """Whether the directory refuses writes from clients."""
    return bool(row.get(READ_ONLY, row["role"] == DESTINATION))


def other_side(cluster: VastCluster, row: Row) -> Side | None:
    """The other cluster and its row, whether or not it can be reached."""
    for other in cluster.links:
        for mirror in other.rows(NAME, guid=row["guid"]):
            return other, mirror
    return None


def reached_side(cluster: VastCluster, row: Row) -> Side | None:
    """The other cluster and its row, if it can be reached."""
    side = other_side(cluster, row)
    return side if side and cluster.reaches(side[0]) else None


def cluster_row(cluster: VastCluster, guid: str) -> Row | None:
    """The row of a path on a cluster, by the guid that its sides share."""
    return next(cluster.rows(NAME, guid=guid), None)


def replicated_path_of(cluster: VastCluster, tenant: int, path: str) -> Row | None:
    """The replicated path whose directory on this cluster contains `path`."""
    from vastplan.sim.vast.directories import lies_below

    rows = (row for row in cluster.rows(NAME, tenant_id=tenant) if not row["is_local"])
    return next((row for row in rows if lies_below(path, own_directory(row))), None)


def is_needed_point(cluster: VastCluster, point: str) -> bool:
    """Whether a restore point is the newest that both sides have, or is queued or being sent."""
    if any(row["state"] in ("QUEUED", "UPLOADING") for row in cluster.rows(POINTS, guid=point)):
        return True
    if cluster.assumed.common_point_expires:
        return False
    return any((row.get(BASE) or {}).get("guid") == point for row in cluster.rows(NAME))


def refuse_call(cluster: VastCluster, case: str, text: str) -> bool:
    """Raise the assumed refusal; `True` if the call is accepted instead, and does nothing."""
    status = cluster.assumed.status(case)
    if status >= 400:
        raise detail(text, status)
    return True
