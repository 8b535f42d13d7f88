"""Global access: a directory of another cluster that is read through a cache, while a lease holds, and written there.

Within a lease a read may return older content than the origin has. After it, or if the content is not cached, it crosses the link.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import content, sides
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.directories import lies_below
from vastplan.sim.vast.errors import VmsError, detail, not_found, raise_for
from vastplan.sim.vast.fabric import arm, disarm
from vastplan.sim.vast.sides import DESTINATION, GLOBAL, NAME, own_directory, refuse_call

CACHE = "_cache"  # {listing: pointer, until: when its lease ends, writes: {version: when its lease ends}}
PREFETCHES = "_prefetches"
PREFETCHED = "prefetched"
FULL = "FULL"
RUNNING, DONE = "RUNNING", "COMPLETED"


class Away(OSError):
    """The origin cannot be reached, and the cache does not suffice."""


def satellite(cluster: VastCluster, tenant: int, path: str) -> Row | None:
    """The path that makes a directory a satellite of another cluster, here."""
    row = sides.replicated_path_of(cluster, tenant, path)
    return row if row is not None and row["capabilities"] == GLOBAL and row["role"] == DESTINATION else None


def origin(cluster: VastCluster, row: Row, path: str) -> tuple[VastCluster, int, str]:
    """The cluster, tenant and directory that a satellite's directory stands for. Raises `Away`."""
    side = sides.reached_side(cluster, row)
    if side is None:
        raise Away(f"the origin of {path} does not answer")
    other, mirror = side
    rest = path.rstrip("/").removeprefix(own_directory(row).rstrip("/"))
    return other, mirror["tenant_id"], own_directory(mirror).rstrip("/") + rest


def _lease(cluster: VastCluster, row: Row) -> float:
    return cluster.fabric.passed + (row["lease_expiry_time"] or cluster.assumed.lease)


def listing(cluster: VastCluster, row: Row) -> content.Pointer:
    """What a client of the satellite sees in the directory: at most one lease old. Raises `Away`."""
    cache = row.get(CACHE)
    if cache is not None and cache["until"] > cluster.fabric.passed:
        cached: content.Pointer = cache["listing"]
        return cached
    other, tenant, directory = origin(cluster, row, own_directory(row))
    versions = content.pointer(other, tenant, directory)
    content.copy(other, cluster, content.new_versions(other, versions, {}))
    row[CACHE] = {"listing": versions, "until": _lease(cluster, row), "writes": (cache or {}).get("writes", {})}
    cluster.put(NAME, row)
    return versions


def listing_part(row: Row, versions: content.Pointer, path: str) -> content.Pointer:
    """The part of a listing that lies in a directory."""
    root = own_directory(row).rstrip("/")
    return {rest: version for rest, version in versions.items() if lies_below(root + rest, path)}


def fetch(cluster: VastCluster, row: Row, versions: list[Row]) -> int:
    """Read writes through the cache. Returns the bytes that crossed the link. Raises `Away`."""
    cache, now = row[CACHE], cluster.fabric.passed
    missing = [write for write in versions if cache["writes"].get(write["key"], 0) <= now]
    if missing:
        origin(cluster, row, own_directory(row))
        cache["writes"] |= {write["key"]: _lease(cluster, row) for write in missing}
        cluster.put(NAME, row)
    return sum(write["bytes"] for write in missing)


# Prefetches


def start_prefetch(cluster: VastCluster, row: Row, body: Row, *, force: bool) -> Any:
    """Start to fill the cache from a directory. Returns `{code, task_id}`. Raises `VmsError`."""
    path = body["path"]
    if row["role"] != DESTINATION or row["capabilities"] != GLOBAL:
        refuse_call(
            cluster, "prefetch at the source", f"{row['name']} is not the satellite of a global access path here."
        )
        return {"code": "SUCCESS", "task_id": 0}
    if not lies_below(path, own_directory(row)):
        raise_for([("path", f"{path} is not in {own_directory(row)}.")])
    running = [task for task in _tasks(cluster, row) if task["path"] == path and task["state"] == RUNNING]
    status = cluster.assumed.status("prefetch of what is prefetched")
    if running and not force and status >= 400:
        raise VmsError(status, {"code": "prefetch_running", "detail": f"A prefetch of {path} is running."})
    if running and not force:
        return {"code": "SUCCESS", "task_id": running[0]["id"]}
    try:
        other, tenant, directory = origin(cluster, row, path)
    except Away as away:
        raise detail(str(away)) from None
    versions = content.pointer(other, tenant, directory)
    size = content.missing_bytes(other, versions, {}) if body["prefetch_type"] == FULL else 0
    rate = cluster.fabric.bandwidth.get(frozenset({cluster.name, other.name}), cluster.assumed.bandwidth)
    key = cluster.store.next(PREFETCHES)
    task = {
        "id": key, "guid": row["guid"], "path": path, "type": body["prefetch_type"], "state": RUNNING, "bytes": size,
        "inodes": sum(1 for _ in content.new_versions(other, versions, {})), "began": cluster.fabric.passed,
        "seconds": size / rate,
    }  # fmt: skip
    cluster.store.put(PREFETCHES, str(key), task)
    arm(cluster, size / rate, PREFETCHED, _timer(key), path=row["guid"])
    return {"code": "SUCCESS", "task_id": key}


def _timer(key: int) -> str:
    return f"prefetch {key}"


def _tasks(cluster: VastCluster, row: Row) -> Iterator[Row]:
    yield from cluster.rows(PREFETCHES, guid=row["guid"])


def prefetched(cluster: VastCluster, name: str, path: str) -> None:
    """Complete a prefetch if its origin still answers; otherwise it fails."""
    task = cluster.store.get(PREFETCHES, name.removeprefix("prefetch "))
    row = sides.cluster_row(cluster, path)
    if task is None or row is None:
        return
    try:
        row.get(CACHE, {})["until"] = 0  # discard the listing, to read the current one
        versions = listing_part(row, listing(cluster, row), task["path"])
        if task["type"] == FULL:
            fetch(cluster, row, content.write_versions(cluster, versions))
        task["state"] = DONE
    except Away:
        task["state"] = "FAILED"
    cluster.store.put(PREFETCHES, str(task["id"]), task)


def prefetch_progress(cluster: VastCluster, row: Row, key: str | None) -> Any:
    """The progress of a prefetch. Raises `VmsError` (404)."""
    task = _need(cluster, row, key)
    done = 1.0 if task["state"] == DONE or not task["seconds"] else 0.0
    if task["state"] == RUNNING and task["seconds"]:
        done = (cluster.fabric.passed - task["began"]) / task["seconds"]
    return {
        "code": task["state"], "task_id": task["id"], "path": task["path"], "prefetch_type": task["type"],
        "inodes_retrieved": int(task["inodes"] * done), "size_retrieved": int(task["bytes"] * done),
    }  # fmt: skip


def _need(cluster: VastCluster, row: Row, key: str | int | None) -> Row:
    task = cluster.store.get(PREFETCHES, str(key))
    if task is None or task["guid"] != row["guid"]:
        raise not_found()
    return task


def remove_prefetch(cluster: VastCluster, row: Row, body: Row) -> None:
    """Remove a prefetch; a running one only with `stop_running_prefetch`. Raises `VmsError`."""
    task = _need(cluster, row, body["task_id"])
    if task["state"] == RUNNING and not body["stop_running_prefetch"]:
        raise detail(f"The prefetch of {task['path']} is running.")
    disarm(cluster, _timer(task["id"]))
    cluster.store.remove(PREFETCHES, str(task["id"]))


def all_prefetches(cluster: VastCluster) -> Any:
    """The running prefetches by tenant."""
    tenants: dict[int, list[Row]] = {}
    for task in cluster.rows(PREFETCHES, state=RUNNING):
        row = sides.cluster_row(cluster, task["guid"])
        if row is not None:
            tenants.setdefault(row["tenant_id"], []).append({"path": task["path"], "task_id": task["id"]})
    data = [{"tenant": cluster.brief("tenants", tenant), "paths": paths} for tenant, paths in tenants.items()]
    return {"prefetch_data": data, "stale_tasks": []}
