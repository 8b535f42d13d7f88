"""The copy behind a clone: labelled content takes time to copy, within a cluster or over a link.

A clone can be used at once. What is not copied yet is read from the snapshot's owner, and cannot be read while that is unreachable.
"""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import content, directories
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.fabric import arm, armed, disarm

NAME = "globalsnapstreams"
COPIED = "copied"
OWNER = "_owner"  # the name of the cluster that has the snapshot, and the snapshot's id there
TOTAL, LEFT, SINCE = "_bytes", "_left", "_since"
FINISHED = "FINISHED"
COMPLETE = 100  # percent


def snapshot_cluster(cluster: VastCluster, row: Row) -> VastCluster | None:
    """The cluster that has the copied snapshot, if it can be reached."""
    name = row[OWNER][0]
    if name == cluster.name:
        return cluster
    other = cluster.fabric.cluster(name)
    return other if other is not None and cluster.reaches(other) else None


def begin_copy(
    cluster: VastCluster, row: Row, tenant: int, path: str, source: VastCluster, versions: content.Pointer
) -> None:
    """Give a directory the content of a snapshot; the bytes to copy are recorded in `row`."""
    content.copy(source, cluster, content.new_versions(source, versions, {}))
    content.replace_content(cluster, tenant, path, versions)
    row[TOTAL] = row[LEFT] = content.missing_bytes(cluster, versions, {})


def left(cluster: VastCluster, row: Row) -> float:
    """The bytes that are not copied yet."""
    remaining: float = row.get(LEFT, 0)
    timer = armed(cluster, row["guid"], COPIED)
    if timer is None or remaining == 0:
        return remaining
    whole = timer["at"] - row[SINCE]
    return float(remaining * (timer["at"] - cluster.fabric.passed) / whole)


def continue_copy(cluster: VastCluster, row: Row) -> None:
    """Copy the rest, if the owner can be reached."""
    source = snapshot_cluster(cluster, row)
    if not row.get(LEFT) or source is None or armed(cluster, row["guid"], COPIED) is not None:
        return
    rate = cluster.assumed.bandwidth
    if source is not cluster:
        rate = cluster.fabric.bandwidth.get(frozenset({cluster.name, source.name}), rate)
    row[SINCE] = cluster.fabric.passed
    arm(cluster, row[LEFT] / rate, COPIED, row["guid"])
    cluster.put(NAME, row)


def suspend_copy(cluster: VastCluster, row: Row) -> None:
    """Suspend the copy; what is copied stays."""
    if LEFT in row:
        row[LEFT] = left(cluster, row)
        disarm(cluster, row["guid"], COPIED)
        cluster.put(NAME, row)


def noticed(cluster: VastCluster, other: VastCluster) -> None:
    """React when the link to another cluster is cut or restored."""
    for row in list(cluster.rows(NAME)):
        if row.get(OWNER, [None])[0] != other.name or row["status"]["state"] == FINISHED:
            continue
        if not cluster.reaches(other):
            suspend_copy(cluster, row)
        elif row["enabled"]:
            continue_copy(cluster, row)


def readers(cluster: VastCluster, snapshot: Row) -> list[str]:
    """The names of the streams, here and on other clusters, that still read a snapshot."""
    wanted = [cluster.name, snapshot["id"]]
    return [
        row["name"]
        for member in (cluster, *cluster.links)
        for row in member.rows(NAME)
        if row.get(OWNER) == wanted and row["sync_progress"] != COMPLETE  # also while a finished one is being deleted
    ]


def unreadable_versions(cluster: VastCluster, tenant: int, path: str) -> set[str]:
    """The versions in a directory that a client cannot read now: not copied yet, while their owner is unreachable."""
    unreadable: set[str] = set()
    for row in cluster.rows(NAME, _tenant=tenant):
        missing = left(cluster, row) if LEFT in row else 0
        if (
            not missing
            or snapshot_cluster(cluster, row) is not None
            or not directories.lies_below(path, row["loanee_root_path"])
        ):
            continue
        copied = row[TOTAL] - missing
        for write in content.write_versions(cluster, row["_pointer"]):  # oldest first
            copied -= write["bytes"]
            if copied < 0:
                unreadable.add(write["key"])
    return unreadable
