"""Projects: created, changed and deleted asynchronously, each bound to one namespace that outlives it."""

from __future__ import annotations

import re

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import (
    access_rules,
    assets,
    data_volumes,
    departments,
    org_units,
    policies,
    quota,
    settle,
    workloads,
)
from vastplan.sim.runai.cluster import LABEL
from vastplan.sim.runai.context import Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import page_rows, select_rows
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/org-unit/projects"
NAME = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
PREFIX = "runai-"
QUEUE = "runai/queue"
LONGEST_NAMESPACE = 63


def _view(ctx: Context, row: Row) -> Row:
    department = ctx.need("department", row["parentId"])
    total, per_pool = quota.statuses(ctx, row["clusterId"], [row])
    return json_copy(row) | {
        "resources": quota.view(ctx, row),
        "totalResources": quota.totals(row["resources"]),
        "parent": {"id": department["id"], "name": department["name"]},
        "effective": _effective(row, department),
        "status": {
            "namespace": row["namespace"],
            "phase": row["phase"],
            "phaseMessage": row["phaseMessage"],
            "lastUpdatedTime": row["updatedAt"],
            "quotaStatus": total,
            "nodePoolQuotaStatuses": per_pool,
            "additionalStatusData": None,
        },
    }


def _effective(row: Row, department: Row) -> Row:
    own, inherited = row["schedulingRules"] or {}, department["schedulingRules"] or {}
    rules = {name: min(part[name] for part in (own, inherited) if name in part) for name in own | inherited}
    effective: Row = {"schedulingRules": rules or None}
    for name in ("defaultNodePools", "nodeTypes"):
        effective[name] = json_copy(row[name] if row[name] is not None else department[name])
    return effective


def _check_rules(settings: Row, department: Row) -> None:
    inherited = department["schedulingRules"] or {}
    for name, value in (settings["schedulingRules"] or {}).items():
        if value > inherited.get(name, value):
            raise RunaiError(400, f"{name} {value} is looser than the department's {inherited[name]}")


def _bind(ctx: Context, row: Row) -> None:
    """Find or create the project's namespace, and set the phase to Ready or NotReady."""
    side = ctx.side(row["clusterId"])
    if side is None:
        return
    name = row["requestedNamespace"] or PREFIX + row["name"]
    labels = side.namespace_labels(name)
    queue = (labels or {}).get(QUEUE)
    if labels is None and row["requestedNamespace"]:
        problem = f"the namespace {name} is not there"
    elif queue != row["name"] and (queue or row["requestedNamespace"]):
        problem = f"the namespace {name} is not labelled {QUEUE}={row['name']}"
    else:
        problem = ""
        if row["requestedNamespace"] is None:
            side.ensure_namespace(name, {QUEUE: row["name"]})
    changed = row["namespace"] is None and not problem
    row |= {
        "phase": "NotReady" if problem else "Ready",
        "phaseMessage": problem,
        "namespace": None if problem else name,
    }
    ctx.put("project", row)
    if changed:
        assets.create_inherited(ctx, row)


def finish_project(ctx: Context, row: Row, goal: str) -> None:
    """Complete a project's create, change or delete."""
    if goal == "ready":
        _bind(ctx, row)
        return
    for workload in workloads.live_workloads(ctx):
        if workload["projectId"] == row["id"]:
            workloads.delete_workload(ctx, workload)
    if data_volumes.of_project(ctx, row["id"]):  # the project keeps its namespace while it has data volumes
        row |= {"phaseMessage": "the project has data volumes", "pending": {"goal": "delete"}}
        ctx.put("project", row)
        return
    data_volumes.forget_scope(ctx, "project", row["id"])
    assets.drop_data_sources(ctx, "project", row["id"])
    assets.forget_project(ctx, row["id"])
    access_rules.drop_rules(ctx, "project", row["id"])
    policies.drop_policies(ctx, "project", row["id"])
    ctx.remove("project", row)


def _refresh(ctx: Context, row: Row) -> None:
    # A namespace that is created and labelled outside Run:ai can become right or wrong at any time.
    if "pending" not in row and (row["phase"] == "NotReady" or row["requestedNamespace"]):
        _bind(ctx, row)


def _selected(ctx: Context, call: RunaiCall) -> list[Row]:
    names = {row["id"]: row["name"] for row in ctx.rows("department")}
    rows = ctx.rows("project")
    for row in rows:
        _refresh(ctx, row)
    fields = {
        **org_units.unit_fields(ctx),
        "departmentId": lambda row: row["parentId"],
        "parentName": lambda row: names[row["parentId"]],
    }
    return select_rows(rows, call.query, fields)


def _list(ctx: Context, call: RunaiCall) -> Response:
    page, following = page_rows(_selected(ctx, call), call.query)
    return Response(200, {"projects": [_view(ctx, row) for row in page], **following})


def _count(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, {"count": len(_selected(ctx, call))})


def _get(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("project", call.params[0])
    _refresh(ctx, row)
    return Response(200, _view(ctx, row))


def _parent(ctx: Context, body: Row) -> Row:
    wanted = body.get("parentId")
    for row in ctx.rows("department"):
        if row["clusterId"] == body["clusterId"] and (
            row["id"] == wanted if wanted is not None else row["name"] == departments.DEFAULT
        ):
            return row
    raise RunaiError(400, f"parentId {wanted} is not a department of this cluster")


def _create(ctx: Context, call: RunaiCall) -> Response:
    body = call.body
    namespace = body.get("requestedNamespace")
    longest = LONGEST_NAMESPACE - (0 if namespace is not None else len(PREFIX))
    org_units.check_new(ctx, "project", body, NAME, longest)
    if namespace is not None and (not LABEL.fullmatch(namespace) or len(namespace) > LONGEST_NAMESPACE):
        raise RunaiError(400, f"requestedNamespace {namespace!r} is not a namespace's name")
    department = _parent(ctx, body)
    settings = org_units.unit_settings(ctx, body["clusterId"], body)
    _check_rules(settings, department)
    row: Row = {
        "name": body["name"],
        "clusterId": body["clusterId"],
        "parentId": department["id"],
        "requestedNamespace": namespace,
        "enforceRunaiScheduler": _enforced(body),
        **settings,
        "resources": quota.accepted(ctx, body["clusterId"], body["resources"]),
        "namespace": None,
        "phase": "Creating",
        "phaseMessage": "",
        **ctx.stamps(),
    }
    row["id"] = str(ctx.number("org-unit", 4500000))
    response = Response(201, _view(ctx, row))
    settle.begin_change(ctx, "project", row, "ready")
    return response


def _enforced(body: Row) -> bool:
    return body.get("enforceRunaiScheduler") is not False


def _live(ctx: Context, key: str) -> Row:
    row = ctx.need("project", key)
    if settle.deleting(row):
        raise RunaiError(400, "the project is being deleted")
    return row


def _replace(ctx: Context, call: RunaiCall) -> Response:
    row = _live(ctx, call.params[0])
    settings = org_units.unit_settings(ctx, row["clusterId"], call.body)
    _check_rules(settings, ctx.need("department", row["parentId"]))
    _apply(ctx, row, quota.replaced(ctx, row, call.body["resources"]))
    row |= settings | {"enforceRunaiScheduler": _enforced(call.body)}
    response = Response(200, _view(ctx, row))
    settle.begin_change(ctx, "project", row, "ready")
    return response


def _resources(ctx: Context, call: RunaiCall) -> Response:
    row = _live(ctx, call.params[0])
    _apply(ctx, row, org_units.new_resources(ctx, call, row))
    response = org_units.resources_answer(ctx, row)
    settle.begin_change(ctx, "project", row, "ready")
    return response


def _apply(ctx: Context, row: Row, resources: dict[str, Row]) -> None:
    quota.check_running(ctx, resources, [row])
    # A project that was never Ready continues to be created.
    row |= {"resources": resources, "phase": "Updating" if row["namespace"] else row["phase"]}
    ctx.restamp(row)


def _delete(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("project", call.params[0])
    if not settle.deleting(row):
        row["phase"] = "Deleting"
        settle.begin_change(ctx, "project", row, "delete")
    return Response(202)


ROUTES: Routes = {
    ("GET", PATH): _list,
    ("POST", PATH): _create,
    ("GET", f"{PATH}/count"): _count,
    ("GET", f"{PATH}/{{projectId}}"): _get,
    ("PUT", f"{PATH}/{{projectId}}"): _replace,
    ("DELETE", f"{PATH}/{{projectId}}"): _delete,
    ("PUT", f"{PATH}/{{projectId}}/resources"): _resources,
    ("PATCH", f"{PATH}/{{projectId}}/resources"): _resources,
}
