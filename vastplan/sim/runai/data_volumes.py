"""Data volumes: a project's claim offered as a data set, and the scopes it is shared with."""

from __future__ import annotations

import uuid
from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import scopes, settle
from vastplan.sim.runai.context import ACCEPTED, Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import Fields, page_rows, select_rows
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/datavolumes"
MOST = 50  # scopes that one call may add, or remove


def of_project(ctx: Context, key: str) -> list[Row]:
    """The data volumes of a project."""
    return list(ctx.where("datavolume", projectId=key))


def forget_scope(ctx: Context, scope: str, key: str) -> None:
    """Stop sharing with a deleted unit."""
    for row in ctx.rows("datavolume"):
        kept = [shared for shared in row["sharedScopes"] if (shared["scopeType"], shared["scopeId"]) != (scope, key)]
        if len(kept) < len(row["sharedScopes"]):
            ctx.put("datavolume", row | {"sharedScopes": kept})


def _look(ctx: Context, row: Row) -> None:
    """Set the status: Ready if the claim exists, else NotReady with the reason."""
    project, side = ctx.get("project", row["projectId"]), ctx.side(row["clusterId"])
    if side is None or project is None:
        return
    exists = project["namespace"] is not None and side.pvc_exists(project["namespace"], row["originPvcName"])
    row["status"] = {
        "phase": "Ready" if exists else "NotReady",
        "phaseMessage": "" if exists else f"claim {project['namespace']}/{row['originPvcName']} is not there",
        "datavolumePvcName": f"{row['name']}-{row['id'][:8]}" if exists else "",
    }


def finish_data_volume(ctx: Context, row: Row, goal: str) -> None:
    """Complete a data volume's create, change or delete."""
    if goal == "delete":
        ctx.remove("datavolume", row)
        return
    _look(ctx, row)
    ctx.put("datavolume", row)


def _view(ctx: Context, row: Row) -> Row:
    project = ctx.need("project", row["projectId"])
    return json_copy(row) | {"projectName": project["name"], "departmentId": project["parentId"]}


def _selected(ctx: Context, call: RunaiCall) -> list[Row]:
    rows = [_fresh(ctx, row) for row in ctx.rows("datavolume")]
    if call.query["requestType"] == "UsableInProject":
        if "usableInProjectId" not in call.query:
            raise RunaiError(400, "UsableInProject needs usableInProjectId")
        above = scopes.above(ctx, "project", call.query["usableInProjectId"])
        rows = [row for row in rows if any(unit in above for unit in _usable(row))]
    projects = {row["id"]: row for row in ctx.rows("project")}
    fields: Fields = {
        "phase": lambda row: row["status"]["phase"],
        "projectName": lambda row: projects[row["projectId"]]["name"],
        "departmentId": lambda row: projects[row["projectId"]]["parentId"],
    }
    return select_rows(rows, call.query, fields)


def _fresh(ctx: Context, row: Row) -> Row:
    """The data volume with what has happened since to its claim in the cluster; one that is being created waits for its end."""
    if "pending" not in row:
        before = row["status"]
        _look(ctx, row)
        if row["status"] != before:
            ctx.put("datavolume", row)
    return row


def _usable(row: Row) -> list[tuple[str, str]]:
    return [("project", row["projectId"]), *((scope["scopeType"], scope["scopeId"]) for scope in row["sharedScopes"])]


def _list(ctx: Context, call: RunaiCall) -> Response:
    page, following = page_rows(_selected(ctx, call), call.query)
    return Response(200, {"datavolumes": [_view(ctx, row) for row in page], **following})


def _count(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, {"count": len(_selected(ctx, call))})


def _available(ctx: Context, call: RunaiCall) -> Response:
    if any(ctx.where("datavolume", clusterId=call.query["clusterId"], name=call.query["dataName"])):
        raise RunaiError(409, f"data volume {call.query['dataName']}")
    return Response(204)


def _get(ctx: Context, call: RunaiCall) -> Response:
    row = _fresh(ctx, ctx.need("datavolume", call.params[0]))
    return Response(200, _view(ctx, row))


def _create(ctx: Context, call: RunaiCall) -> Response:
    body = call.body
    project = ctx.get("project", body["projectId"])
    if project is None:
        raise RunaiError(400, f"projectId {body['projectId']} is not there")
    if body.get("shouldDeleteOriginalVolume") and ctx.version >= (2, 22):
        raise RunaiError(400, "shouldDeleteOriginalVolume: true is not supported")
    if any(ctx.where("datavolume", clusterId=project["clusterId"], name=body["name"])):
        raise RunaiError(400, f"data volume {body['name']} exists in this cluster")  # the document has no 409 here
    row: Row = {
        "id": str(uuid.uuid4()),
        **{name: body[name] for name in ("name", "originPvcName", "projectId")},
        "description": body.get("description", ""),
        "shouldDeleteOriginalVolume": bool(body.get("shouldDeleteOriginalVolume")),
        "useOriginalVolume": body.get("useOriginalVolume") is not False,
        "clusterId": project["clusterId"],
        "sharedScopes": [],
        "status": {"phase": "Creating", "phaseMessage": ""},
        **ctx.stamps(),
    }
    response = Response(201, _view(ctx, row))
    settle.begin_change(ctx, "datavolume", row, "ready")
    return response


def _live(ctx: Context, call: RunaiCall) -> Row:
    row = ctx.need("datavolume", call.params[0])
    if settle.deleting(row):
        raise RunaiError(400, "the data volume is being deleted")
    return row


def _patch(ctx: Context, call: RunaiCall) -> Response:
    row = _live(ctx, call)
    row["description"] = call.body.get("description", row["description"])
    ctx.restamp(row)
    ctx.put("datavolume", row)
    return Response(200, _view(ctx, row))


def _scope(ctx: Context, row: Row, named: Row) -> Row:
    unit = scopes.find_unit(ctx, named["scopeType"], named["scopeId"])
    if unit is None or unit.cluster != row["clusterId"]:
        raise RunaiError(400, f"{named['scopeType']} {named['scopeId']} is not of this cluster")
    return {**named, "scopeName": unit.name, "createdAt": ctx.now(), "createdBy": ctx.author}


def _share(ctx: Context, call: RunaiCall) -> Response:
    row = _live(ctx, call)
    added, removed = call.body.get("add") or [], call.body.get("remove") or []
    if max(len(added), len(removed)) > MOST:
        raise RunaiError(400, f"at most {MOST} scopes at once")
    shared: dict[Any, Row] = {(scope["scopeType"], scope["scopeId"]): scope for scope in row["sharedScopes"]}
    for scope in added:
        shared.setdefault((scope["scopeType"], scope["scopeId"]), _scope(ctx, row, scope))
    for scope in removed:
        shared.pop((scope["scopeType"], scope["scopeId"]), None)
    row["sharedScopes"] = list(shared.values())
    ctx.restamp(row)
    ctx.put("datavolume", row)
    return Response(200, json_copy(row["sharedScopes"]))


def _shared(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, json_copy(ctx.need("datavolume", call.params[0])["sharedScopes"]))


def _delete(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("datavolume", call.params[0])
    if not settle.deleting(row):
        row["status"] = {"phase": "Deleting", "phaseMessage": ""}
        settle.begin_change(ctx, "datavolume", row, "delete")
    return Response(202, dict(ACCEPTED))


ROUTES: Routes = {
    ("GET", PATH): _list,
    ("POST", PATH): _create,
    ("GET", f"{PATH}/count"): _count,
    ("GET", f"{PATH}/name-availability"): _available,
    ("GET", f"{PATH}/{{datavolumeId}}"): _get,
    ("PATCH", f"{PATH}/{{datavolumeId}}"): _patch,
    ("DELETE", f"{PATH}/{{datavolumeId}}"): _delete,
    ("GET", f"{PATH}/{{datavolumeId}}/sharedScopes"): _shared,
    ("PATCH", f"{PATH}/{{datavolumeId}}/sharedScopes"): _share,
}
