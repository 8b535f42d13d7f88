"""Assets of every kind: created, changed and deleted asynchronously, inherited downwards; a delete is refused while in use."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import partial
from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import asset_lists, claims, scopes, settle, unit_secrets, workloads
from vastplan.sim.runai.asset_kinds import KINDS, AssetKind
from vastplan.sim.runai.context import ACCEPTED, TENANT, Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.scopes import ScopeUnit
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

ROOT = "/api/v1/asset"
PATH = f"{ROOT}/datasource"


def create_inherited(ctx: Context, project: Row) -> None:
    """Create the claims of inherited data sources in a project that just got its namespace."""
    for scope, key in scopes.above(ctx, "project", project["id"]):
        for row in ctx.where("asset", kind="pvc", scope=scope, unit=key):
            if "pending" not in row:
                claims.create_claims(ctx, row)
                ctx.put("asset", row)


def drop_data_sources(ctx: Context, scope: str, key: str) -> None:
    """Delete the data sources of a deleted unit, with their claims."""
    for row in ctx.where("asset", scope=scope, unit=key):
        _remove(ctx, row)


def forget_project(ctx: Context, key: str) -> None:
    """Release the claims that inherited data sources have in a deleted project; they stay in its namespace."""
    for row in ctx.rows("asset"):
        if row["claims"].pop(key, None) is not None:
            ctx.put("asset", row)


def _remove(ctx: Context, row: Row) -> None:
    if row["kind"] == "pvc":
        claims.release_claims(ctx, row)
    ctx.remove("asset", row)


def _referring(ctx: Context, row: Row) -> list[Row]:
    """The data sources that use a credential."""
    if KINDS[row["kind"]].family != "credentials":
        return []
    return [
        other
        for other in ctx.rows("asset")
        if any(other["spec"].get(name) == row["id"] for name in KINDS[other["kind"]].refers)
    ]


def _users(ctx: Context, row: Row) -> Iterator[Row]:
    for workload in workloads.live_workloads(ctx):
        if row["id"] in workload["datasources"] or claims.mounts_claim(ctx, row, workload):
            yield workload


def _view(ctx: Context, row: Row, query: Any, *, unified: bool = False) -> Row:
    kind = KINDS[row["kind"]]
    meta = json_copy(row["meta"]) | {
        "id": row["id"],
        "kind": kind.kind,
        "tenantId": TENANT,
        "projectName": None,
        "updateCount": row["updateCount"],
        **{name: row[name] for name in ("createdAt", "createdBy", "updatedAt", "updatedBy")},
    }
    if row["scope"] == "project":
        meta["projectName"] = ctx.need("project", row["unit"])["name"]
    spec = json_copy(row["spec"])
    body: Row = {"meta": meta, "spec": {kind.key: spec} if unified else spec, "compliance": None}
    if row["kind"] == "pvc":
        body["clusterInfo"] = {"resources": [{"name": claim["name"]} for claim in row["claims"].values()]}
    if query.get("statusInfo"):
        issues = json_copy(row["issues"])
        body["status"] = {"status": _status(ctx, row, kind), "issues": issues, "message": row["message"]}
    if query.get("usageInfo"):
        users: Row = {name: [] for name in (*workloads.TYPES.values(), "templates")}
        for workload in _users(ctx, row):
            entry = {"id": workload["id"], "name": workload["name"], "status": workload["phase"]}
            users[workloads.TYPES[workload["type"]]].append(entry)
        if kind.family == "credentials":
            users["assets"] = {"datasources": [_reference(other) for other in _referring(ctx, row)]}
        body |= {"usedBy": users, "usageTimes": None}
    return body


def _reference(row: Row) -> Row:
    return {"id": row["id"], "name": row["meta"]["name"], "kind": KINDS[row["kind"]].kind}


def _status(ctx: Context, row: Row, kind: AssetKind) -> str:
    if not kind.synced or row["scope"] == "tenant":
        return "No status"
    if row["phase"] is not None:
        return str(row["phase"]) if ctx.version >= (2, 21) else "No status"
    return "Issues found" if row["issues"] else "No issues found"


def finish_asset(ctx: Context, row: Row, goal: str) -> None:
    """Complete an asset's create, change or delete."""
    if goal == "delete":
        _remove(ctx, row)
        return
    row["phase"] = None
    _look(ctx, row)
    ctx.put("asset", row)


def _look(ctx: Context, row: Row) -> None:
    """Create missing claims in the clusters, and record what is missing there."""
    if row["kind"] == "pvc":
        claims.create_claims(ctx, row)
    elif KINDS[row["kind"]].family == "credentials":
        unit_secrets.find_secret(ctx, row)


def _refresh(ctx: Context, row: Row) -> None:
    # Changes made in the cluster can create or delete a claim or a Secret at any time.
    connected = row["clusterId"] is None or ctx.side(row["clusterId"]) is not None
    if KINDS[row["kind"]].in_cluster and "pending" not in row and connected:
        _look(ctx, row)
        ctx.put("asset", row)


def _list(ctx: Context, call: RunaiCall, kind: AssetKind | None, family: str) -> Response:
    rows = asset_lists.selected(ctx, call.query, kind, family)
    for row in rows:
        _refresh(ctx, row)
    return Response(200, {"entries": [_view(ctx, row, call.query, unified=kind is None) for row in rows]})


def _need(ctx: Context, key: str, kind: AssetKind) -> Row:
    row = ctx.need("asset", key)
    if row["kind"] != kind.path:
        raise RunaiError(404, f"{kind.path} {key}")
    return row


def _get(ctx: Context, call: RunaiCall, kind: AssetKind) -> Response:
    row = _need(ctx, call.params[0], kind)
    _refresh(ctx, row)
    return Response(200, _view(ctx, row, call.query))


def _unit(ctx: Context, meta: Row) -> ScopeUnit:
    scope = meta["scope"]
    ids = {name: str(meta[f"{name}Id"]) for name in scopes.SCOPES if meta.get(f"{name}Id") is not None}
    if scope == "system":
        raise RunaiError(400, "the system scope is not for tenants")
    if scope != "tenant" and scope not in ids:
        raise RunaiError(400, f"meta.{scope}Id is required")
    unit = scopes.find_unit(ctx, scope, str(TENANT) if scope == "tenant" else ids[scope])
    if unit is None:
        raise RunaiError(400, f"meta.{scope}Id {ids[scope]} is not there")
    if not set(ids.items()) <= set(scopes.above(ctx, scope, unit.id)):
        raise RunaiError(400, f"meta names units that the {scope} is not in")
    return unit


def _check_name(ctx: Context, kind: AssetKind, unit: tuple[str, str], name: str, but: str = "") -> None:
    for row in ctx.where("asset", kind=kind.path, scope=unit[0], unit=unit[1]):
        if row["id"] != but and row["meta"]["name"] == name:
            raise RunaiError(409, f"{kind.path} {name} exists in this scope")


def _create(ctx: Context, call: RunaiCall, kind: AssetKind) -> Response:
    meta = call.body["meta"]
    unit = _unit(ctx, meta)
    if meta.get("private") and not kind.private:
        raise RunaiError(400, f"{kind.path} cannot be private")
    spec = kind.complete(call.body["spec"])
    if kind.path == "pvc":
        spec = claims.complete_spec(ctx, unit, spec)
    _check_name(ctx, kind, (unit.scope, unit.id), meta["name"])
    optional = ("description", "clusterId", "departmentId", "projectId", "workloadSupportedTypes")
    row: Row = {
        "id": str(uuid.uuid4()),
        "kind": kind.path,
        "scope": unit.scope,
        "unit": unit.id,
        "clusterId": unit.cluster,
        "meta": {
            "name": meta["name"],
            "scope": unit.scope,
            **{name: meta.get(name) for name in optional},
            "autoDelete": bool(meta.get("autoDelete")),
            "private": bool(meta.get("private")),
        },
        "spec": spec,
        "claim": claims.claim_name(unit.scope, meta["name"], spec) if kind.path == "pvc" else None,
        "claims": {},
        "issues": [],
        "message": "",
        "phase": "Creating",
        "updateCount": 0,
        **ctx.stamps(),
    }
    response = Response(202, _view(ctx, row, {}))
    settle.begin_change(ctx, "asset", row, "ready")
    return response


def _update(ctx: Context, call: RunaiCall, kind: AssetKind) -> Response:
    row = _need(ctx, call.params[0], kind)
    if settle.deleting(row):
        raise RunaiError(400, "the data source is being deleted")
    meta, spec = call.body.get("meta") or {}, call.body.get("spec")
    name = meta.get("name", row["meta"]["name"])  # a credential's update cannot change its name
    _check_name(ctx, kind, (row["scope"], row["unit"]), name, but=row["id"])
    if kind.updates == "spec":
        row["spec"] = kind.complete(spec)
    elif kind.updates == "path" and (spec or {}).get("path") is not None:
        row["spec"]["path"] = spec["path"]
    row["meta"] |= {"name": name, "description": meta.get("description")}
    row |= {"phase": "Updating", "updateCount": row["updateCount"] + 1}
    ctx.restamp(row)
    response = Response(202, _view(ctx, row, {}))
    settle.begin_change(ctx, "asset", row, "ready")
    return response


def _delete(ctx: Context, call: RunaiCall, kind: AssetKind) -> Response:
    row = _need(ctx, call.params[0], kind)
    users = [workload["name"] for workload in _users(ctx, row)]
    users += [other["meta"]["name"] for other in _referring(ctx, row)]
    if users:
        raise RunaiError(412, f"used by {', '.join(users)}")
    if not settle.deleting(row):
        row["phase"] = "Deleting"
        settle.begin_change(ctx, "asset", row, "delete")
    return Response(202, dict(ACCEPTED)) if kind.deleted == 202 else Response(kind.deleted)


def _routes() -> Routes:
    routes: Routes = {
        ("GET", f"{ROOT}/{family}"): partial(_list, kind=None, family=family)
        for family in ("datasource", "credentials")
    }
    for kind in KINDS.values():
        path = f"{ROOT}/{kind.family}/{kind.path}"
        routes |= {
            ("GET", path): partial(_list, kind=kind, family=kind.family),
            ("POST", path): partial(_create, kind=kind),
            ("GET", f"{path}/{{AssetId}}"): partial(_get, kind=kind),
            ("PUT", f"{path}/{{AssetId}}"): partial(_update, kind=kind),
            ("DELETE", f"{path}/{{AssetId}}"): partial(_delete, kind=kind),
        }
    return routes


ROUTES: Routes = _routes()
