"""Workloads: read, suspended, resumed and deleted; tests add them with `submit_workload` so that quota and claims are in use.

A workload that writes has a job (`Workers`), which stops and resumes with it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import settle
from vastplan.sim.runai.context import ACCEPTED, TENANT, Context, Handler, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import Fields, page_rows, select_rows
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/workloads"
HOLDING = ("Initializing", "Running", "Updating", "Degraded", "Stopping", "Terminating", "Deleting")
WAITING = ("Creating", "Pending", "Resuming")
PHASES = (*HOLDING, *WAITING, "Stopped", "Failed", "Completed", "Unknown")
TYPES = {
    "Workspace": "workspaces", "Training": "trainings", "Distributed": "distributed", "Inference": "inferences",
    "DistributedInference": "distributed-inferences",
}  # fmt: skip
INFERENCES = ("Inference", "DistributedInference")


def live_workloads(ctx: Context) -> list[Row]:
    """The workloads that are not deleted."""
    return [row for row in ctx.rows("workload") if row["deletedAt"] is None]


def held_gpus(
    ctx: Context, project_id: str, *, preemptible: bool | None = None, pending: bool = False
) -> dict[str, float]:
    """GPUs by node pool id that a project's workloads hold; with `pending` also those they wait for."""
    phases = (*HOLDING, *WAITING) if pending else HOLDING
    by_pool: dict[str, float] = {}
    for row in ctx.where("workload", projectId=project_id, deletedAt=None):
        if row["phase"] in phases and preemptible in (None, row["preemptible"]):
            by_pool[row["pool"]] = by_pool.get(row["pool"], 0.0) + row["gpus"]
    return by_pool


def submit_workload(
    ctx: Context,
    project: str,
    name: str,
    phase: str = "Running",
    gpus: float = 8,
    claim_names: Sequence[str] = (),
    *,
    node_pool: str = "default",
    preemptible: bool = False,
    type: str = "Training",
    datasources: Sequence[str] = (),
    data_volumes: Sequence[str] = (),
) -> str:
    """Add a workload to a project (by id or name) and return its id; raises `ValueError`."""
    owners = [row for row in ctx.rows("project") if project in (row["id"], row["name"])]
    if len(owners) != 1:
        raise ValueError(f"{project!r} is {'no' if not owners else 'more than one'} project")
    owner = owners[0]
    if owner["namespace"] is None:
        raise ValueError(f"project {project!r} has no namespace yet")
    if phase not in PHASES or type not in TYPES:
        raise ValueError(f"{phase!r} is not a phase or {type!r} not a type")
    pools = [row for row in ctx.rows("node-pool") if (row["clusterId"], row["name"]) == (owner["clusterId"], node_pool)]
    if not pools:
        raise ValueError(f"there is no node pool {node_pool!r}")
    row: Row = {
        "id": str(uuid.uuid4()),
        "name": name,
        "type": type,
        "phase": phase,
        "projectId": owner["id"],
        "projectName": owner["name"],
        "clusterId": owner["clusterId"],
        "departmentId": owner["parentId"],
        "departmentName": ctx.need("department", owner["parentId"])["name"],
        "namespace": owner["namespace"],
        "pool": pools[0]["id"],
        "nodePool": node_pool,
        "gpus": gpus,
        "preemptible": preemptible,
        "claims": list(claim_names),
        "datasources": list(datasources),
        "dataVolumes": list(data_volumes),
        "createdAt": ctx.now(),
        "deletedAt": None,
    }
    ctx.put("workload", row)
    return str(row["id"])


def delete_workload(ctx: Context, row: Row) -> None:
    """Mark a workload deleted."""
    row["deletedAt"] = ctx.now()
    ctx.put("workload", row)


def _view(ctx: Context, row: Row) -> Row:
    gpu = {"gpu": {"request": row["gpus"], "limit": row["gpus"]}}
    assets = [ctx.get("asset", key) for key in row["datasources"]]
    volumes = [ctx.get("datavolume", key) for key in row.get("dataVolumes", ())]
    body = json_copy(row) | {
        "tenantId": TENANT,
        "category": "Deploy" if row["type"] in INFERENCES else {"Workspace": "Build"}.get(row["type"], "Train"),
        "conditions": [],
        "k8sPhase": row["phase"],
        "k8sPhaseUpdatedAt": row["createdAt"],
        "phaseUpdatedAt": row["createdAt"],
        "updatedAt": row["createdAt"],
        "completedAt": None,
        "phaseMessage": "",
        "priority": None,
        "priorityClassName": "train" if row["preemptible"] else "build",
        "runningPods": 1 if row["phase"] == "Running" else 0,
        "source": "Control-plane",
        "submittedBy": ctx.author,
        "currentNodePools": [row["nodePool"]] if row["phase"] in HOLDING else [],
        "requestedNodePools": [row["nodePool"]],
        "allocatedResources": {"gpu": row["gpus"] if row["phase"] in HOLDING else 0.0},
        "workloadRequestedResources": gpu,
        "podsRequestedResources": json_copy(gpu),
        "actionsSupport": {"delete": False, "suspend": False},
        "datasources": [
            *({"id": asset["id"], "name": asset["meta"]["name"], "type": asset["kind"]} for asset in assets if asset),
            *({"id": volume["id"], "name": volume["name"], "type": "data-volume"} for volume in volumes if volume),
        ],
    }
    return body


FIELDS: Fields = {
    "allocatedGPU": lambda row: row["gpus"] if row["phase"] in HOLDING else 0,
    "nodepool": lambda row: row["nodePool"],
    "phaseUpdatedAt": lambda row: row["createdAt"],
}


def _selected(ctx: Context, call: RunaiCall) -> list[Row]:
    deleted = call.query.get("deleted", False)
    rows = [_watched(ctx, row) for row in ctx.rows("workload") if (row["deletedAt"] is not None) == deleted]
    return select_rows(rows, call.query, FIELDS)


def _list(ctx: Context, call: RunaiCall) -> Response:
    page, following = page_rows(_selected(ctx, call), call.query)
    return Response(200, {"workloads": [_view(ctx, row) for row in page], **following})


def _count(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, {"count": len(_selected(ctx, call))})


def _get(ctx: Context, call: RunaiCall) -> Response:
    row = _watched(ctx, ctx.need("workload", call.params[0]))
    return Response(200, _view(ctx, row))


def _watched(ctx: Context, row: Row) -> Row:
    """The workload, marked Failed if its job failed."""
    if row["phase"] == "Running" and ctx.workers.failed(row["id"]):
        row["phase"] = "Failed"
        ctx.put("workload", row)
    return row


def finish_phase(ctx: Context, row: Row, goal: str) -> None:
    """Complete a workload's change of phase, and stop or resume its job."""
    if goal == "delete":
        delete_workload(ctx, row)
        ctx.workers.stop(row["id"])
        return
    row["phase"] = goal
    ctx.put("workload", row)
    (ctx.workers.stop if goal == "Stopped" else ctx.workers.go_on)(row["id"])


def _move(type_: str, on_its_way: str, goal: str) -> Handler:
    """The handler that suspends or resumes workloads of a type; a workload that has the phase, or is changing to it, stays."""

    def move(ctx: Context, call: RunaiCall) -> Response:
        row = _watched(ctx, ctx.need("workload", call.params[0]))
        if row["type"] != type_ or row["deletedAt"] is not None:
            raise RunaiError(404, f"workload {row['id']}")
        if row["phase"] not in (on_its_way, goal) and not settle.deleting(row):
            row["phase"] = on_its_way
            settle.begin_change(ctx, "workload", row, goal)
        return Response(202, dict(ACCEPTED))

    return move


def _remove(type_: str) -> Handler:
    """The handler that deletes workloads of a type: they run until the delete completes."""

    def remove(ctx: Context, call: RunaiCall) -> Response:
        row = ctx.need("workload", call.params[0])
        if row["type"] != type_ or row["deletedAt"] is not None:
            raise RunaiError(404, f"workload {row['id']}")
        row["phase"] = "Deleting"
        settle.begin_change(ctx, "workload", row, "delete")
        return Response(202, dict(ACCEPTED)) if ctx.version >= (2, 21) else Response(204)

    return remove


ROUTES: Routes = {
    ("GET", PATH): _list,
    ("GET", f"{PATH}/count"): _count,
    ("GET", f"{PATH}/{{workloadId}}"): _get,
}
for _type, _path in TYPES.items():
    ROUTES["DELETE", f"{PATH}/{_path}/{{workloadId}}"] = _remove(_type)
    if _type not in INFERENCES:  # these have no such calls
        ROUTES["POST", f"{PATH}/{_path}/{{workloadId}}/suspend"] = _move(_type, "Stopping", "Stopped")
        ROUTES["POST", f"{PATH}/{_path}/{{workloadId}}/resume"] = _move(_type, "Resuming", "Running")
