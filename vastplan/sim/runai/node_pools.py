"""Node pools: each cluster has an undeletable `default`; others are created, changed and deleted asynchronously."""

from __future__ import annotations

import re

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import clusters, settle
from vastplan.sim.runai.context import ACCEPTED, TENANT, Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import page_rows, select_rows
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/node-pools"
LONGEST_NAME = 63
NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
# The fields that an update may change, with the value of an absent one after a PUT; a selector cannot be cleared.
OPTIONAL: Row = {
    "overProvisioningRatio": 1,
    "placementStrategy": None,
    "gpuNetworkAccelerationLabelKey": None,
    "gpuNetworkAccelerationDetection": "Auto",
    "gpuResourceOptimization": None,
    "schedulingConfiguration": None,
    "networkTopologyId": None,
}
SELECTOR = ("labelKey", "labelValue")
SWAP_SIZES = ("cpuSwapMemorySize", "reservedGpuMemoryForSwapOperations")


def pools_of_cluster(ctx: Context, cluster_id: str) -> list[Row]:
    """The pools of a cluster that are not being deleted."""
    return [row for row in ctx.rows("node-pool") if row["clusterId"] == cluster_id and not settle.deleting(row)]


def ensure_default_pool(ctx: Context, cluster: Row) -> None:
    """Create the `default` pool that every cluster has from the start."""
    if not any(row["isDefault"] for row in ctx.rows("node-pool") if row["clusterId"] == cluster["id"]):
        selector = {"labelKey": "run.ai/node-pool", "labelValue": "default"}
        row = _new(ctx, {"name": "default", "clusterId": cluster["id"], **selector}, default=True)
        ctx.put("node-pool", row | {"phase": "Ready"})


def _new(ctx: Context, fields: Row, *, default: bool) -> Row:
    number = ctx.number("node-pool", 100000)
    return {"id": str(number), "isDefault": default, "phase": "Creating", **OPTIONAL, **fields, **ctx.stamps()}


def _view(ctx: Context, row: Row) -> Row:
    cluster = ctx.get("cluster", row["clusterId"]) or {"name": ""}
    body = json_copy(row)
    spec = {name: body[name] for name in (*SELECTOR, *OPTIONAL)}
    return body | {
        "clusterName": cluster["name"],
        "tenantId": TENANT,
        "deletedAt": None,
        "phaseMessage": "",
        "status": {"conditions": [], "nodes": [], "gpuNetworkAccelerationDetected": False, **spec},
    }


def finish_node_pool(ctx: Context, row: Row, goal: str) -> None:
    """Complete a node pool's create, change or delete."""
    if goal == "delete":
        for kind in ("department", "project"):
            for unit in ctx.rows(kind):
                if unit["resources"].pop(row["id"], None) is not None:
                    ctx.put(kind, unit)
        ctx.remove("node-pool", row)
        return
    # No simulated node has the label, so such a pool stays "Empty".
    row["phase"] = "Ready" if row["isDefault"] else "Empty"
    ctx.put("node-pool", row)


def _list(ctx: Context, call: RunaiCall) -> Response:
    page, _ = page_rows(select_rows(ctx.rows("node-pool"), call.query, {}), call.query)
    return Response(200, {"nodepools": [_view(ctx, row) for row in page]})


def _count(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, {"count": len(select_rows(ctx.rows("node-pool"), call.query, {}))})


def _get(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("node-pool", call.params[0])
    return Response(200, _view(ctx, row))


def _check(fields: Row) -> None:
    swap = fields.get("gpuResourceOptimization") or {}
    if not swap.get("swapEnabled") and any(swap.get(name) is not None for name in SWAP_SIZES):
        raise RunaiError(400, "swap sizes need swapEnabled")


def _create(ctx: Context, call: RunaiCall) -> Response:
    cluster = clusters.need(ctx, call.body["clusterId"])
    name = call.body["name"]
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise RunaiError(400, f"name {name!r} is not lower case letters, digits and hyphens, at most {LONGEST_NAME}")
    if any(row["name"] == name and row["clusterId"] == cluster["id"] for row in ctx.rows("node-pool")):
        raise RunaiError(400, f"node pool {name} exists in this cluster")
    _check(call.body)
    row = _new(ctx, {key: value for key, value in call.body.items() if value is not None}, default=False)
    response = Response(201, _view(ctx, row))
    settle.begin_change(ctx, "node-pool", row, "ready")
    return response


def _update(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("node-pool", call.params[0])
    if settle.deleting(row):
        raise RunaiError(400, "the node pool is being deleted")
    changes = {key: value for key, value in call.body.items() if value is not None}
    if row["isDefault"] and any(name in changes for name in SELECTOR):
        raise RunaiError(400, "the default node pool has no selector of its own")
    _check(changes)
    row |= (OPTIONAL if call.operation.method == "PUT" else {}) | changes | {"phase": "Updating"}
    ctx.restamp(row)
    response = Response(200, _view(ctx, row))
    settle.begin_change(ctx, "node-pool", row, "ready")
    return response


def _delete(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("node-pool", call.params[0])
    if row["isDefault"]:
        raise RunaiError(400, "the default node pool cannot be deleted")
    for kind in ("department", "project"):
        for unit in (unit for unit in ctx.rows(kind) if unit["clusterId"] == row["clusterId"]):
            quota = unit["resources"].get(row["id"], {})
            if row["name"] in (unit["defaultNodePools"] or ()) or _amount(quota):
                raise RunaiError(400, f"{kind} {unit['name']} has quota in this node pool or defaults to it")
    row["phase"] = "Deleting"
    settle.begin_change(ctx, "node-pool", row, "delete")
    return Response(202, dict(ACCEPTED))


def _amount(entry: Row) -> float:
    return sum((entry.get(name) or {}).get("deserved") or 0 for name in ("gpu", "cpu", "memory"))


ROUTES: Routes = {
    ("GET", PATH): _list,
    ("POST", PATH): _create,
    ("GET", f"{PATH}/count"): _count,
    ("GET", f"{PATH}/{{nodepoolId}}"): _get,
    ("PUT", f"{PATH}/{{nodepoolId}}"): _update,
    ("PATCH", f"{PATH}/{{nodepoolId}}"): _update,
    ("DELETE", f"{PATH}/{{nodepoolId}}"): _delete,
}
