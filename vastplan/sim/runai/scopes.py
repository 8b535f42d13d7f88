"""Scopes: the tenant, a cluster, a department or a project that assets and access rules belong to."""

from __future__ import annotations

from dataclasses import dataclass

from vastplan.sim.runai.context import TENANT, Context
from vastplan.sim.store import Row

SCOPES = ("system", "tenant", "cluster", "department", "project")


@dataclass(frozen=True, slots=True)
class ScopeUnit:
    """One unit of a scope; `cluster` is the id of its cluster, `None` for the tenant."""

    scope: str
    id: str
    name: str
    cluster: str | None


def find_unit(ctx: Context, scope: str, key: str) -> ScopeUnit | None:
    """The unit of this scope and id, or `None`."""
    if scope == "tenant":
        return ScopeUnit("tenant", key, "tenant", None) if key == str(TENANT) else None
    row = ctx.get(scope, key) if scope in SCOPES else None
    if row is None:
        return None
    return ScopeUnit(scope, row["id"], row["name"], row["id"] if scope == "cluster" else row["clusterId"])


def above(ctx: Context, scope: str, key: str) -> list[tuple[str, str]]:
    """The unit and all units that its assets are inherited from, as `(scope, id)`; empty if it does not exist."""
    row = ctx.get(scope, key)
    if row is None:
        return []
    units = [(scope, key)]
    if scope == "project":
        units.append(("department", row["parentId"]))
    if scope in ("project", "department"):
        units.append(("cluster", row["clusterId"]))
    return [*units, ("tenant", str(TENANT))]


def projects(ctx: Context, scope: str, key: str) -> list[Row]:
    """The projects in a unit."""
    if scope == "tenant":
        return ctx.rows("project")
    field = {"project": "id", "department": "parentId", "cluster": "clusterId"}[scope]
    return list(ctx.where("project", **{field: key}))
