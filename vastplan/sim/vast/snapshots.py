"""Snapshots: of a directory, with an expiry that indestructible ones cannot shorten."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from vastplan.sim.store import Row
from vastplan.sim.vast import directories
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import Problem
from vastplan.sim.vast.records import Collection, Query, Reference
from vastplan.sim.vast.settle import later


def _moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if old is None:
        row["state"], row["type"] = "CREATING", "MANUAL"
        later(cluster, row, {"state": "SUCCEED"})


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    path, expiry = row["path"], _moment(row["expiration_time"])
    if not (path.startswith("/") and path.endswith("/")):
        yield "path", "Path must start and end with '/'."
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


SNAPSHOTS = Collection(
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
)
