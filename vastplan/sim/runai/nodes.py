"""Nodes: read-only in the API; tests add them with `add_node`."""

from __future__ import annotations

import uuid

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai.context import Context, Routes, RunaiCall
from vastplan.sim.runai.query import page_rows, select_rows
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/clusters/{clusterUuid}/nodes"


def add_node(ctx: Context, cluster: str, name: str, *, gpus: int = 8, node_pool: str = "default") -> None:
    """Add a node to a cluster (by name); one without GPUs has no `gpuInfo`."""
    (owner,) = (row for row in ctx.rows("cluster") if row["name"] == cluster)
    row: Row = {
        "id": str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{owner['id']}.{name}")),
        "name": name,
        "clusterUuid": owner["id"],
        "nodePool": node_pool,
        "status": "Ready",
        "conditions": [],
        "taints": [],
        "gpuInfo": {"gpuType": "NVIDIA-H100-80GB-HBM3", "gpuCount": gpus} if gpus else None,
        "createdAt": ctx.now(),
        "updatedAt": ctx.now(),
    }
    ctx.put("node", row)


def _list(ctx: Context, call: RunaiCall) -> Response:
    cluster = ctx.need("cluster", call.params[0])
    rows = [row for row in ctx.rows("node") if row["clusterUuid"] == cluster["id"]]
    rows = [row for row in rows if call.query.get("nodeName", row["name"]) == row["name"]]
    page, _ = page_rows(select_rows(rows, call.query, {}), call.query)
    return Response(200, {"nodes": json_copy(page)})


ROUTES: Routes = {("GET", PATH): _list}
