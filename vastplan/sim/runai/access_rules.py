"""Access rules: a subject, a role and a scope; never changed, and kept as rows marked deleted."""

from __future__ import annotations

from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import scopes, settle
from vastplan.sim.runai.context import TENANT, Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import Fields, page_rows, select_rows
from vastplan.sim.runai.roles import ROLES
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/authorization/access-rules"
IDENTITY = ("subjectType", "subjectId", "roleId", "scopeType", "scopeId")
FIELDS: Fields = {"name": lambda row: f"{row['subjectId']} {row['roleName']} {row['scopeName']}"}  # for `search`


def drop_rules(ctx: Context, scope: str, key: str) -> None:
    """Delete the rules of a deleted unit."""
    for row in ctx.rows("access-rule"):
        if row["deletedAt"] is None and (row["scopeType"], row["scopeId"]) == (scope, key):
            _begin_delete(ctx, row)


def _begin_delete(ctx: Context, row: Row) -> None:
    row.pop("pending", None)
    row |= {"deletedAt": ctx.now(), "updatedAt": ctx.now(), "phase": "Deleting"}
    ctx.put("access-rule", row)


def _view(row: Row) -> Row:
    return json_copy(row) | {"tenantId": TENANT, "status": {"phase": row["phase"], "message": "", "details": ""}}


def finish_access_rule(ctx: Context, row: Row, goal: str) -> None:
    """Complete a rule's change."""
    row["phase"] = "Ready"
    ctx.put("access-rule", row)


def _selected(ctx: Context, call: RunaiCall) -> list[Row]:
    query = call.query
    rows = [row for row in ctx.rows("access-rule") if row["deletedAt"] is None or query.get("includeDeleted")]
    exact: dict[str, Any] = {
        name: query[name] for name in ("clusterId", "roleId", "scopeId", "scopeType", "subjectType") if name in query
    }
    rows = [row for row in rows if all(row.get(name) == value for name, value in exact.items())]
    if "subjectIds" in query:
        rows = [row for row in rows if row["subjectId"] in query["subjectIds"]]
    if "subjectIdFilter" in query:
        rows = [row for row in rows if query["subjectIdFilter"] in row["subjectId"]]
    if "lastUpdated" in query:
        rows = [row for row in rows if row["updatedAt"] >= query["lastUpdated"]]
    return select_rows(rows, query, FIELDS)


def _list(ctx: Context, call: RunaiCall) -> Response:
    rows = _selected(ctx, call)
    page, _ = page_rows(rows, call.query)
    body = {"totalRecords": len(rows), "displayRecords": len(page), "accessRules": [_view(row) for row in page]}
    return Response(200, body)


def _count(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, {"count": len(_selected(ctx, call))})


def _need(ctx: Context, key: str) -> Row:
    row = ctx.need("access-rule", key)
    if row["deletedAt"] is not None:
        raise RunaiError(404, f"access rule {key}")
    return row


def _get(ctx: Context, call: RunaiCall) -> Response:
    row = _need(ctx, call.params[0])
    return Response(200, _view(row))


def _create(ctx: Context, call: RunaiCall) -> Response:
    body = call.body
    if not body["subjectId"].strip():
        raise RunaiError(400, "subjectId is empty")
    if body["scopeType"] == "system":
        raise RunaiError(400, "the system scope is not for tenants")
    if body["roleId"] not in ROLES:
        raise RunaiError(404, f"roleId {body['roleId']}")
    unit = scopes.find_unit(ctx, body["scopeType"], body["scopeId"])
    if unit is None:
        raise RunaiError(404, f"{body['scopeType']} {body['scopeId']}")
    if body.get("clusterId", unit.cluster) != unit.cluster:
        raise RunaiError(400, f"clusterId {body['clusterId']} is not the scope's cluster")
    for row in ctx.rows("access-rule"):
        if row["deletedAt"] is None and all(row[name] == body[name] for name in IDENTITY):
            raise RunaiError(409, f"access rule {row['id']} says the same")
    row = {
        "id": ctx.number("access-rule", 101),
        **{name: body[name] for name in IDENTITY},
        "roleName": ROLES[body["roleId"]],
        "scopeName": unit.name,
        "clusterId": unit.cluster,
        "phase": "Creating",
        "deletedAt": None,
        **ctx.stamps(),
    }
    response = Response(201, _view(row))
    settle.begin_change(ctx, "access-rule", row, "ready")
    return response


def _delete(ctx: Context, call: RunaiCall) -> Response:
    _begin_delete(ctx, _need(ctx, call.params[0]))
    return Response(204)


ROUTES: Routes = {
    ("GET", PATH): _list,
    ("POST", PATH): _create,
    ("GET", f"{PATH}/count"): _count,
    ("GET", f"{PATH}/{{accessRuleId}}"): _get,
    ("DELETE", f"{PATH}/{{accessRuleId}}"): _delete,
}
