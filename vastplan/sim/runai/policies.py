"""Workload policies: one per workload type and unit, replaced as a whole.

A submitted workload is checked for storage of types that it may not add; the other rules are kept and not applied.
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import scopes
from vastplan.sim.runai.context import TENANT, Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v2/policy"
TYPES = {
    "workspaces": "workspace",
    "trainings": "training",
    "distributed": "distributed",
    "inferences": "inference",
    "distributed-inferences": "distributedInference",
    "nim-services": "nimService",
}
UNITS = {"project": "projectId", "department": "departmentId", "cluster": "clusterId"}


def drop_policies(ctx: Context, scope: str, key: str) -> None:
    """Delete the policies of a deleted unit."""
    for row in list(ctx.where("policy", scope=scope, unit=key)):
        ctx.remove("policy", row)


def _unit(ctx: Context, named: Any) -> scopes.ScopeUnit:
    scope = named["scope"]
    key = str(TENANT) if scope == "tenant" else named.get(UNITS.get(scope, ""))
    if key is None:
        raise RunaiError(400, f"scope {scope} does not say which")
    unit = scopes.find_unit(ctx, scope, str(key))
    if unit is None:
        raise RunaiError(400, f"{scope} {key} is not there")
    return unit


def _find(ctx: Context, type_: str, scope: str, key: str) -> Row | None:
    return next(iter(ctx.where("policy", type=type_, scope=scope, unit=key)), None)


def _meta(row: Row) -> Row:
    ids: Row = {"projectId": None, "departmentId": None, "clusterId": None}
    if row["scope"] in UNITS:
        ids[UNITS[row["scope"]]] = int(row["unit"]) if row["scope"] == "project" else row["unit"]
    stamps = {name: row[name] for name in ("createdAt", "createdBy", "updatedAt", "updatedBy")}
    return {"id": row["id"], "tenantId": TENANT, "scope": row["scope"], "name": row["name"], **ids, **stamps}


def _effective(ctx: Context, type_: str, scope: str, unit: str) -> Row:
    effective: Row = {}
    for above, key in reversed(scopes.above(ctx, scope, unit)):  # widest first
        policy_row = _find(ctx, type_, above, key)
        effective = _laid(effective, policy_row["policy"] or {}) if policy_row is not None else effective
    return effective


def not_addable(ctx: Context, type_: str, project: str, spec: Row) -> list[str]:
    """The types of storage in a workload's specification that the policies of its project let no workload add."""
    rules = ((_effective(ctx, type_, "project", project).get("rules") or {}).get("storage")) or {}
    refused = {name for name, rule in rules.items() if ((rule or {}).get("instances") or {}).get("canAdd") is False}
    return sorted(name for name, items in (spec.get("storage") or {}).items() if items and name in refused)


def _view(ctx: Context, row: Row) -> Row:
    effective = _effective(ctx, row["type"], row["scope"], row["unit"])
    return {
        "meta": _meta(row),
        "policy": json_copy(row["policy"]),
        "effective": json_copy(effective),
        "effectiveUpdatedAt": row["updatedAt"],
    }


def _laid(below: Any, above: Any) -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{name: _laid(below.get(name), value) for name, value in above.items()}}
    return below if above is None else above


def _list(ctx: Context, call: RunaiCall) -> Response:
    query = call.query
    rows = [row for row in ctx.rows("policy") if query.get("scope", row["scope"]) == row["scope"]]
    rows = [row for row in rows if query.get("type", row["type"]) == row["type"]]
    for scope, name in UNITS.items():
        if name in query:
            rows = [row for row in rows if (scope, query[name]) in scopes.above(ctx, row["scope"], row["unit"])]
    return Response(200, {"policies": [{"type": row["type"], "meta": _meta(row), "status": None} for row in rows]})


def _need(ctx: Context, call: RunaiCall, type_: str) -> Row:
    unit = _unit(ctx, call.query)
    row = _find(ctx, type_, unit.scope, unit.id)
    if row is None:
        raise RunaiError(404, f"policy of {type_} of {unit.scope} {unit.name}")
    return row


def _get(ctx: Context, call: RunaiCall, type_: str) -> Response:
    return Response(200, _view(ctx, _need(ctx, call, type_)))


def _put(ctx: Context, call: RunaiCall, type_: str) -> Response:
    meta, policy = call.body.get("meta"), json_copy(call.body.get("policy"))
    if meta is None:
        raise RunaiError(400, "meta is required")
    unit = _unit(ctx, meta)
    for key in (policy or {}).get("imposedAssets") or ():
        if ctx.get("asset", key) is None:
            raise RunaiError(400, f"imposedAssets: {key} is not there")
    row = _find(ctx, type_, unit.scope, unit.id) or {
        "id": str(uuid.uuid4()), "type": type_, "scope": unit.scope, "unit": unit.id, **ctx.stamps(),
    }  # fmt: skip
    row |= {"name": meta["name"], "policy": policy}
    ctx.restamp(row)
    if not call.query.get("validateOnly"):
        ctx.put("policy", row)
    return Response(200, _view(ctx, row))


def _delete(ctx: Context, call: RunaiCall, type_: str) -> Response:
    ctx.remove("policy", _need(ctx, call, type_))
    return Response(204)


def _routes() -> Routes:
    routes: Routes = {("GET", PATH): _list}
    for step, type_ in TYPES.items():
        routes |= {
            ("GET", f"{PATH}/{step}"): partial(_get, type_=type_),
            ("PUT", f"{PATH}/{step}"): partial(_put, type_=type_),
            ("DELETE", f"{PATH}/{step}"): partial(_delete, type_=type_),
        }
    return routes


ROUTES: Routes = _routes()
