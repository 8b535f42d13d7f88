"""Departments: the units between a cluster and its projects; every cluster has an undeletable `default`."""

from __future__ import annotations

import re

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai import access_rules, assets, data_volumes, org_units, policies, quota
from vastplan.sim.runai.context import Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import page_rows, select_rows
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/org-unit/departments"
NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
DEFAULT = "default"


def ensure_default_department(ctx: Context, cluster: Row) -> None:
    """Create the `default` department that every cluster has from the start."""
    if not any(row["name"] == DEFAULT and row["clusterId"] == cluster["id"] for row in ctx.rows("department")):
        ctx.put("department", _new(ctx, {"name": DEFAULT, "clusterId": cluster["id"]}, org_units.OPTIONAL, {}))


def _new(ctx: Context, identity: Row, settings: Row, resources: dict[str, Row]) -> Row:
    # Departments and projects share a counter, so that an id of one kind is never valid for the other.
    number = ctx.number("org-unit", 4500000)
    return {"id": str(number), **identity, **settings, "resources": resources, **ctx.stamps()}


def _view(ctx: Context, row: Row, *, verbose: bool, single: bool) -> Row:
    projects = org_units.projects_of(ctx, row["id"])
    body = json_copy(row) | {
        "resources": quota.view(ctx, row),
        "totalResources": quota.totals(row["resources"]),
        "children": [{"id": project["id"], "name": project["name"], "children": []} for project in projects],
    }
    if verbose:
        total, per_pool = quota.statuses(ctx, row["clusterId"], projects)
        body["status"] = {"quotaStatus": total, "nodePoolQuotaStatuses": per_pool}
    if single:
        body["projectsAggregatedResources"] = _aggregated(ctx, row, projects)
    return body


def _aggregated(ctx: Context, row: Row, projects: list[Row]) -> list[Row]:
    aggregated = []
    for entry in quota.view(ctx, row):
        pool = entry["nodePool"]
        shares = [quota.totals({"": project["resources"].get(pool["id"], {})}) for project in projects]
        aggregated.append(
            {
                "nodePool": pool,
                "gpu": {"deserved": sum(share["gpuQuota"] for share in shares)},
                "cpu": {"deserved": sum(share["cpuQuota"] for share in shares)},
                "memory": {"deserved": sum(share["memoryQuota"] for share in shares), "units": "MB"},
            }
        )
    return aggregated


def _selected(ctx: Context, call: RunaiCall) -> list[Row]:
    projects: dict[str, list[Row]] = {}
    for project in ctx.rows("project"):
        projects.setdefault(project["parentId"], []).append(project)
    return select_rows(ctx.rows("department"), call.query, org_units.unit_fields(ctx, projects))


def _list(ctx: Context, call: RunaiCall) -> Response:
    page, following = page_rows(_selected(ctx, call), call.query)
    verbose = call.query.get("verbosity") == "verbose"
    views = [_view(ctx, row, verbose=verbose, single=False) for row in page]
    return Response(200, {"departments": views, **following})


def _count(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, {"count": len(_selected(ctx, call))})


def _get(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, _view(ctx, ctx.need("department", call.params[0]), verbose=True, single=True))


def _create(ctx: Context, call: RunaiCall) -> Response:
    org_units.check_new(ctx, "department", call.body, NAME, 63)
    cluster = call.body["clusterId"]
    settings = org_units.unit_settings(ctx, cluster, call.body)
    resources = quota.accepted(ctx, cluster, call.body["resources"])
    row = _new(ctx, {"name": call.body["name"], "clusterId": cluster}, settings, resources)
    ctx.put("department", row)
    return Response(201, _view(ctx, row, verbose=True, single=True))


def _replace(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("department", call.params[0])
    settings = org_units.unit_settings(ctx, row["clusterId"], call.body)
    _apply(ctx, row, settings, quota.replaced(ctx, row, call.body["resources"]))
    return Response(200, _view(ctx, row, verbose=True, single=True))


def _resources(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("department", call.params[0])
    _apply(ctx, row, {}, org_units.new_resources(ctx, call, row))
    return org_units.resources_answer(ctx, row)


def _apply(ctx: Context, row: Row, settings: Row, resources: dict[str, Row]) -> None:
    quota.check_running(ctx, resources, org_units.projects_of(ctx, row["id"]))
    row |= settings | {"resources": resources}
    ctx.restamp(row)
    ctx.put("department", row)


def _delete(ctx: Context, call: RunaiCall) -> Response:
    row = ctx.need("department", call.params[0])
    if row["name"] == DEFAULT:
        raise RunaiError(400, "the default department cannot be deleted")
    projects = org_units.projects_of(ctx, row["id"])
    if projects:
        raise RunaiError(400, f"the department has {len(projects)} projects")
    assets.drop_data_sources(ctx, "department", row["id"])
    data_volumes.forget_scope(ctx, "department", row["id"])
    access_rules.drop_rules(ctx, "department", row["id"])
    policies.drop_policies(ctx, "department", row["id"])
    ctx.remove("department", row)
    return Response(204)


ROUTES: Routes = {
    ("GET", PATH): _list,
    ("POST", PATH): _create,
    ("GET", f"{PATH}/count"): _count,
    ("GET", f"{PATH}/{{departmentId}}"): _get,
    ("PUT", f"{PATH}/{{departmentId}}"): _replace,
    ("DELETE", f"{PATH}/{{departmentId}}"): _delete,
    ("PUT", f"{PATH}/{{departmentId}}/resources"): _resources,
    ("PATCH", f"{PATH}/{{departmentId}}/resources"): _resources,
}
