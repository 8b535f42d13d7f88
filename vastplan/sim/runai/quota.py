"""The `resources` of projects and departments: one quota entry per node pool.

A row stores only the entries it was given, by node pool id; answers have an entry for every pool of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import node_pools, workloads
from vastplan.sim.runai.context import Context
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row

PRIORITIES = {"Very low": 1, "Low": 2, "Normal": 3, "High": 4, "Very high": 5}
DEFAULT_PRIORITY = "Normal"
LARGEST = 1e15  # excludes infinity and NaN, which Python's JSON parser accepts
UNLIMITED = -1
WEIGHT = 2
MEGABYTES = {"Mib": 1.048576, "MB": 1.0, "GB": 1000.0}


def accepted(ctx: Context, cluster_id: str, entries: list[Row]) -> dict[str, Row]:
    """A request's entries by node pool id, complete; refuses (400) what the rules do not allow."""
    if not entries:
        raise RunaiError(400, "resources is empty")
    by_pool: dict[str, Row] = {}
    for entry in entries:
        pool = _pool(ctx, cluster_id, entry.get("nodePool"))
        if pool in by_pool:
            raise RunaiError(400, f"node pool {pool} is given twice")
        by_pool[pool] = _complete(ctx, entry)
    return by_pool


def merge_quotas(ctx: Context, row: Row, entries: list[Row]) -> dict[str, Row]:
    """A row's entries after a PATCH: only the given attributes of the given entries change."""
    by_pool: dict[str, Row] = json_copy(row["resources"])
    seen: set[str] = set()
    for entry in entries:
        pool = _pool(ctx, row["clusterId"], entry.get("nodePool"))
        if pool in seen:
            raise RunaiError(400, f"node pool {pool} is given twice")
        seen.add(pool)
        old = by_pool.get(pool, _complete(ctx, {}))
        sections = {
            name: {**(old.get(name) or {}), **entry[name]} if entry[name] else entry[name]
            for name in ("gpu", "cpu", "memory")
            if name in entry
        }
        by_pool[pool] = _complete(ctx, old | entry | sections)
    return by_pool


def replaced(ctx: Context, row: Row, entries: list[Row]) -> dict[str, Row]:
    """A row's entries after a PUT of `entries`; `omitted_pools` decides what happens to the pools it omits."""
    by_pool = accepted(ctx, row["clusterId"], entries)
    return {**row["resources"], **by_pool} if ctx.omitted_pools == "keep" else by_pool


def _pool(ctx: Context, cluster_id: str, reference: Row | None) -> str:
    pools = node_pools.pools_of_cluster(ctx, cluster_id)
    if reference is None:
        if len(pools) != 1:
            raise RunaiError(400, "nodePool is needed: the cluster has more than one")
        return str(pools[0]["id"])
    pool = next((pool for pool in pools if pool["id"] == reference["id"]), None)
    if pool is None:
        raise RunaiError(400, f"nodePool {reference['id']} is not in this cluster")
    if reference.get("name", pool["name"]) != pool["name"]:
        raise RunaiError(400, f"nodePool {reference['id']} is not named {reference['name']}")
    return str(pool["id"])


def _complete(ctx: Context, entry: Row) -> Row:
    complete: Row = {"gpu": _amounts(ctx, "gpu", {"deserved": 0, **(entry.get("gpu") or {})})}
    for name in ("cpu", "memory"):
        if entry.get(name) is not None:
            complete[name] = _amounts(ctx, name, entry[name])
    complete["priority"] = entry.get("priority") or DEFAULT_PRIORITY
    if complete["priority"] not in PRIORITIES:
        raise RunaiError(400, f"priority {complete['priority']!r} is not one of {', '.join(PRIORITIES)}")
    return complete


def _amounts(ctx: Context, name: str, sent: Row) -> Row:
    deserved, limit, weight = sent.get("deserved"), sent.get("limit"), sent.get("overQuotaWeight")
    if any(value is not None and not abs(value) <= LARGEST for value in (deserved, limit, weight)):
        raise RunaiError(400, f"{name} is too large")
    if deserved is not None and deserved < 0:
        raise RunaiError(400, f"{name}.deserved {deserved} is negative")
    if limit is not None and limit != UNLIMITED and (deserved is None or limit < deserved):
        raise RunaiError(400, f"{name}.limit {limit} is neither {UNLIMITED} nor at least deserved ({deserved})")
    low, high = (1, 20) if ctx.version >= (2, 24) else (0, 3)
    if weight is not None and not low <= weight <= high:
        raise RunaiError(400, f"{name}.overQuotaWeight {weight} is not within {low} and {high}")
    amounts: Row = {
        "deserved": deserved,
        "limit": UNLIMITED if limit is None else limit,
        "overQuotaWeight": WEIGHT if weight is None else weight,
    }
    return amounts | ({"units": sent["units"]} if "units" in sent else {})


def check_running(ctx: Context, resources: dict[str, Row], projects: Iterable[Row]) -> None:
    """Refuse (400) quota below what non-preemptible workloads of these projects hold."""
    held: dict[str, float] = {}
    for project in projects:
        for pool, used in workloads.held_gpus(ctx, project["id"], preemptible=False).items():
            held[pool] = held.get(pool, 0.0) + used
    for pool, used in held.items():
        deserved = resources.get(pool, {}).get("gpu", {}).get("deserved", 0)
        if deserved < used:
            raise RunaiError(400, f"gpu.deserved {deserved} is below the {used:g} that non-preemptible workloads hold")


def view(ctx: Context, row: Row) -> list[Row]:
    """The entries as answers show them: one for every pool of the cluster."""
    zero = _complete(ctx, {})
    return [
        {"nodePool": {"id": pool["id"], "name": pool["name"]}, **json_copy(row["resources"].get(pool["id"], zero))}
        for pool in node_pools.pools_of_cluster(ctx, row["clusterId"])
    ]


def totals(resources: dict[str, Row]) -> Row:
    """`totalResources`: GPUs, CPU millicores and megabytes of memory."""

    def total(name: str) -> float:
        sections = [entry.get(name) or {} for entry in resources.values()]
        return sum((part.get("deserved") or 0) * MEGABYTES.get(part.get("units", ""), 1.0) for part in sections)

    return {"gpuQuota": total("gpu"), "cpuQuota": total("cpu"), "memoryQuota": total("memory")}


def statuses(ctx: Context, cluster_id: str, projects: list[Row]) -> tuple[Row, list[Row]]:
    """`quotaStatus` and `nodePoolQuotaStatuses` of these projects together."""
    pools = node_pools.pools_of_cluster(ctx, cluster_id)
    per_pool = []
    for pool in pools:
        status = {"nodePoolId": pool["id"], "nodePoolName": pool["name"]}
        per_pool.append(status | _status(ctx, projects, pool["id"]))
    return _status(ctx, projects, None), per_pool


def _status(ctx: Context, projects: list[Row], pool: str | None) -> dict[str, Any]:
    def gpus(**which: Any) -> Row:
        held = [workloads.held_gpus(ctx, project["id"], **which) for project in projects]
        used = sum(amount for by_pool in held for key, amount in by_pool.items() if pool in (None, key))
        return {"gpu": float(used), "cpu": 0.0, "memory": 0.0}

    return {
        "allocated": gpus(),
        "allocatedNonPreemptible": gpus(preemptible=False),
        "requested": gpus(pending=True),
    }
