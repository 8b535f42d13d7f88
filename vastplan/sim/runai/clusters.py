"""Clusters: read-only here, as a reconciler should treat them."""

from __future__ import annotations

import uuid

from vastplan.sim.runai.context import TENANT, Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

STATES = ("WaitingToConnect", "Connected", "Disconnected", "MissingPrerequisites", "ServiceIssues", "Unknown")


def register(ctx: Context, name: str) -> Row:
    """The row of a cluster, created with a new uuid if it does not exist."""
    existing = next((row for row in ctx.rows("cluster") if row["name"] == name), None)
    if existing is not None:
        return existing
    row: Row = {"id": str(uuid.uuid4()), "name": name, "state": "Connected", "createdAt": ctx.now()}
    ctx.put("cluster", row)
    return row


def set_state(ctx: Context, name: str, state: str) -> None:
    """Change a cluster's state; nothing makes progress on a cluster that is not Connected. Raises `ValueError`."""
    if state not in STATES:
        raise ValueError(f"{state!r} is not one of {', '.join(STATES)}")
    row = next(row for row in ctx.rows("cluster") if row["name"] == name)
    row["state"] = state
    ctx.put("cluster", row)


def need(ctx: Context, cluster_id: str) -> Row:
    """The cluster that a body names; refuses (400) an unknown one."""
    row = ctx.get("cluster", cluster_id)
    if row is None:
        raise RunaiError(400, f"clusterId {cluster_id} is not a cluster")
    return row


def _view(ctx: Context, row: Row, verbosity: str) -> Row:
    body: Row = {
        "uuid": row["id"],
        "tenantId": TENANT,
        "name": row["name"],
        "createdAt": row["createdAt"],
        "updatedAt": row["createdAt"],
        "deletedAt": None,
        "deleteRequestedAt": None,
        "domain": None,
        "version": ".".join(map(str, ctx.version)) + ".0",
        "lastLiveness": ctx.now() if row["state"] == "Connected" else row["createdAt"],
    }
    if verbosity != "metadata":
        body["status"] = {
            "state": row["state"],
            "conditions": [],
            "operands": {},
            "platform": {"type": "vanilla", "kubeVersion": None},
            "dependencies": {"required": {}, "optional": {}},
        }
    return body


def _list(ctx: Context, call: RunaiCall) -> Response:
    verbosity = call.query.get("verbosity", "full")
    return Response(200, [_view(ctx, row, verbosity) for row in ctx.rows("cluster")])


def _get(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, _view(ctx, ctx.need("cluster", call.params[0]), call.query.get("verbosity", "full")))


ROUTES: Routes = {("GET", "/api/v1/clusters"): _list, ("GET", "/api/v1/clusters/{clusterUuid}"): _get}
