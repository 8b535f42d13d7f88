"""What departments and projects have in common: names, rules, defaults, and the list fields."""

from __future__ import annotations

import re

from vastplan.sim.runai import clusters, node_pools, quota
from vastplan.sim.runai.context import Context, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import Fields
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

# The values of fields that are absent from a PUT.
OPTIONAL: Row = {"description": "", "schedulingRules": None, "defaultNodePools": None, "nodeTypes": None}


def check_new(ctx: Context, kind: str, body: Row, pattern: re.Pattern[str], longest: int) -> None:
    """Refuse a new unit with an unknown cluster, a bad name or a duplicate identity."""
    clusters.need(ctx, body["clusterId"])
    if not pattern.fullmatch(body["name"]) or len(body["name"]) > longest:
        raise RunaiError(400, f"name {body['name']!r} does not match {pattern.pattern} or is longer than {longest}")
    if any(ctx.where(kind, name=body["name"], clusterId=body["clusterId"])):
        # The document of 2.20 and before has no 409 here.
        raise RunaiError(409 if ctx.version >= (2, 21) else 400, f"{kind} {body['name']} exists in this cluster")


def unit_settings(ctx: Context, cluster_id: str, body: Row) -> Row:
    """The optional fields of a create or PUT body, complete; refuses (400) unknown pools."""
    completed = {name: body[name] if body.get(name) is not None else default for name, default in OPTIONAL.items()}
    rules = {name: value for name, value in (completed["schedulingRules"] or {}).items() if value is not None}
    completed["schedulingRules"] = rules or None
    pool_names = {pool["name"] for pool in node_pools.pools_of_cluster(ctx, cluster_id)}
    pools = completed["defaultNodePools"] or []
    if not pool_names.issuperset(pools) or len(set(pools)) != len(pools):
        raise RunaiError(400, f"defaultNodePools: {pools} are not distinct node pools of this cluster")
    return completed


def projects_of(ctx: Context, department_id: str) -> list[Row]:
    """The projects of a department."""
    return list(ctx.where("project", parentId=department_id))


def new_resources(ctx: Context, call: RunaiCall, row: Row) -> dict[str, Row]:
    """A row's quota after PUT or PATCH `/{id}/resources`."""
    if call.operation.method == "PATCH":
        return quota.merge_quotas(ctx, row, call.body)
    return quota.replaced(ctx, row, call.body)


def resources_answer(ctx: Context, row: Row) -> Response:
    """The answer to PUT and PATCH `/{id}/resources`: the bare array."""
    return Response(200, quota.view(ctx, row))


def unit_fields(ctx: Context, projects: dict[str, list[Row]] | None = None) -> Fields:
    """The fields by which both lists can be filtered and sorted, besides the row's own."""

    def allocated(row: Row) -> float:
        members = [row] if projects is None else projects.get(row["id"], [])
        return float(quota.statuses(ctx, row["clusterId"], members)[0]["allocated"]["gpu"])

    return {"totalGpuQuota": lambda row: quota.totals(row["resources"])["gpuQuota"], "gpuAllocated": allocated}
