"""Workloads as their users submit and read them.

A name that is taken in the project is refused; the document has no status for that, so it is 400.
"""

from __future__ import annotations

from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import policies, settle, workloads
from vastplan.sim.runai.context import Context, Handler, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

ASKED = ("spec", "masterSpec", "masterSpecSameAsWorker")


def _view(ctx: Context, row: Row) -> Row:
    asked = row.get("asked") or {"spec": _as_submitted_outside(row)}
    wanted = "Deleted" if row["deletedAt"] else "Stopped" if row["phase"] in ("Stopping", "Stopped") else "Running"
    return {
        "workloadId": row["id"],
        "name": row["name"],
        "requestedName": row["name"],
        "projectId": row["projectId"],
        "departmentId": row["departmentId"],
        "clusterId": row["clusterId"],
        "createdBy": ctx.author,
        "createdAt": row["createdAt"],
        "deletedAt": row["deletedAt"],
        "desiredPhase": wanted,
        "actualPhase": row["phase"],
        **json_copy(asked),
    }


def _as_submitted_outside(row: Row) -> Row:
    """The specification of a workload that a test created."""
    mounts = [{"existingPvc": True, "claimName": name, "path": f"/{name}"} for name in row["claims"]]
    part = {"image": "train:1", "compute": {"gpuDevicesRequest": int(row["gpus"])}, "storage": {"pvc": mounts}}
    return {
        "nodePools": [row["nodePool"]],
        "preemptibility": "preemptible" if row["preemptible"] else "non-preemptible",
        **({"leader": part} if row["type"] == "DistributedInference" else part),
    }


def _claims(body: Row) -> list[str]:
    """The claims that a specification mounts."""
    specs = [body.get(name) or {} for name in ("spec", "masterSpec")]
    parts = [*specs, *(spec.get(name) or {} for spec in specs for name in ("leader", "worker"))]
    mounts = [mount for part in parts for mount in (part.get("storage") or {}).get("pvc") or () if mount]
    return sorted({str(mount["claimName"]) for mount in mounts if mount.get("claimName")})


def _gpus(spec: Row) -> int:
    """The GPUs of a specification: of one worker, and of all sets of a leader and its workers."""
    own, leader, worker = (
        ((part or {}).get("compute") or {}).get("gpuDevicesRequest") or 0
        for part in (spec, spec.get("leader"), spec.get("worker"))
    )
    sets = spec.get("replicas")
    return int(own + (1 if sets is None else sets) * (leader + (spec.get("workers") or 0) * worker))


def _typed(type_: str) -> tuple[Handler, Handler]:
    def get(ctx: Context, call: RunaiCall) -> Response:
        row = ctx.need("workload", call.params[0])
        if row["type"] != type_:
            raise RunaiError(404, f"workload {row['id']}")
        return Response(200, _view(ctx, row))

    def submit(ctx: Context, call: RunaiCall) -> Response:
        body: dict[str, Any] = call.body
        if any(
            (workload["projectId"], workload["name"]) == (body["projectId"], body["name"])
            for workload in workloads.live_workloads(ctx)
        ):
            raise RunaiError(400, f"a workload {body['name']} exists in the project")
        spec = body.get("spec") or {}
        refused = policies.not_addable(ctx, type_.lower(), str(body["projectId"]), spec)
        if refused:
            raise RunaiError(400, f"the policy of the project allows no storage of type {', '.join(refused)}")
        try:
            key = workloads.submit_workload(
                ctx,
                body["projectId"],
                body["name"],
                "Creating",
                _gpus(spec),
                _claims(body),
                node_pool=(spec.get("nodePools") or ["default"])[0],
                preemptible=spec.get("preemptibility") == "preemptible",
                type=type_,
            )
        except ValueError as problem:
            raise RunaiError(400, str(problem)) from None
        row = ctx.need("workload", key) | {"asked": {name: body[name] for name in ASKED if name in body}}
        answer = _view(ctx, row)
        settle.begin_change(ctx, "workload", row, "Running")
        return Response(202, answer)

    return get, submit


ROUTES: Routes = {}
for _type, _steps in workloads.TYPES.items():
    _path = f"{workloads.PATH}/{_steps}"
    ROUTES["GET", f"{_path}/{{workloadId}}"], ROUTES["POST", _path] = _typed(_type)
