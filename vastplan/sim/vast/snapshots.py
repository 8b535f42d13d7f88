"""Snapshots of directories, with an expiry that cannot be shortened while indestructible. Expired ones are removed."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import UTC, datetime

from vastplan.sim.store import Row
from vastplan.sim.vast import content, directories, sides, streams
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import Problem
from vastplan.sim.vast.records import ApiCollection, Query, Reference
from vastplan.sim.vast.settle import PENDING, arm_row

LONGEST_NAME = 128
POINTER = "_pointer"  # the directory's content when the snapshot was taken
POINT = "_point"  # the restore point behind the snapshot


def _moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if isinstance(row["path"], str) and row["path"].startswith("/"):  # accepted with and without a slash, shown with it
        row["path"] = row["path"].rstrip("/") + "/"
    if old is None:
        row["state"], row["type"] = "CREATING", "MANUAL"
        arm_row(cluster, row, {"state": "SUCCEED"})


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    path, expiry = row["path"], _moment(row["expiration_time"])
    if len(row["name"]) > LONGEST_NAME:
        yield "name", f"Ensure this field has no more than {LONGEST_NAME} characters."
    if not path.startswith("/"):
        yield "path", "Path must start with '/'."
    elif old is None and not directories.exists(cluster, row["tenant_id"], path):
        yield "path", f"Directory {path} does not exist."
    if row["expiration_time"] and expiry is None:
        yield "expiration_time", "Datetime has wrong format. Use ISO 8601."
    if old is not None and old["indestructible"]:
        before = _moment(old["expiration_time"])
        if not row["indestructible"]:
            yield "indestructible", "Cannot be unset while the cluster is locked."
        if expiry is not None and (before is None or expiry < before):
            yield "expiration_time", "Cannot be shortened for an indestructible snapshot."


def _guard(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    if row["indestructible"]:
        yield "it is indestructible"
    readers = streams.reading_streams(cluster, row)
    if readers:
        yield f"it is being cloned by {', '.join(readers)}"
    if POINT in row and sides.is_needed_point(cluster, row[POINT]):
        yield "it is the newest restore point that both clusters have, or is being sent"


def _gone(cluster: VastCluster, row: Row) -> None:
    for stream in list(cluster.rows(streams.NAME, loanee_snapshot_id=row["id"])):
        cluster.put(streams.NAME, stream | {"loanee_snapshot_id": None})


def _stored(cluster: VastCluster, row: Row) -> None:
    if POINTER not in row:
        row[POINTER] = content.pointer(cluster, row["tenant_id"], row["path"])
        cluster.put("snapshots", row)
    end = _moment(row["expiration_time"])
    if cluster.expiries is not None and end is not None:
        heapq.heappush(cluster.expiries, (end.timestamp(), row["id"]))


def _ends_at(row: Row, moment: float) -> bool:
    end = _moment(row["expiration_time"])
    return end is not None and end.timestamp() == moment


def expire(cluster: VastCluster) -> None:
    """Remove expired snapshots, except those that are locked, being created, held by replication, or read by a stream."""
    if cluster.expiries is None:  # after a start: from the store
        cluster.expiries = []
        for snapshot in cluster.store.rows("snapshots"):
            _stored(cluster, snapshot)
    now, kept = cluster.clock(), []
    while cluster.expiries and cluster.expiries[0][0] <= now:
        entry = heapq.heappop(cluster.expiries)
        row = cluster.get("snapshots", entry[1])
        if row is None or not _ends_at(row, entry[0]):
            continue
        needed = POINT in row and sides.is_needed_point(cluster, row[POINT])
        if row["locked"] or PENDING in row or needed or streams.reading_streams(cluster, row):
            kept.append(entry)
            continue
        cluster.remove("snapshots", row)
        _gone(cluster, row)
    for entry in kept:
        heapq.heappush(cluster.expiries, entry)


SNAPSHOTS = ApiCollection(
    "snapshots",
    unique=(("name",),),
    references=(
        Reference("tenant_id", "tenants"),
        Reference("protection_policy_id", "protectionpolicies"),
        Reference("cluster_id", "clusters"),
    ),
    defaults={"tenant_id": DEFAULT_TENANT, "eta_sec": 0, "aggr_phys_estimation": 0, "unique_phys_estimation": 0},
    nullable=frozenset({"expiration_time"}),
    fill=_fill,
    check=_check,
    guard=_guard,
    stored=_stored,
    gone=_gone,
)
