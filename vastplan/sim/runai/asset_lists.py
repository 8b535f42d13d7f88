"""The assets that a list shows: without `scope` also those that a unit inherits, with `scope` only those of that scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.sim.runai import scopes
from vastplan.sim.runai.asset_kinds import KINDS, AssetKind
from vastplan.sim.runai.context import Context
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row

UNITS = (("projectId", "project"), ("departmentId", "department"), ("clusterId", "cluster"))  # narrowest first


def selected(ctx: Context, query: Mapping[str, Any], kind: AssetKind | None, family: str) -> list[Row]:
    """The rows that match a list's parameters, of one kind or of all kinds of a family."""
    scope = query.get("scope")
    if scope is not None and scope not in scopes.SCOPES:
        raise RunaiError(400, f"scope {scope!r} is not one of {', '.join(scopes.SCOPES)}")
    if scope is not None and query.get("includeDescendants"):
        raise RunaiError(400, "includeDescendants and scope exclude each other")
    wanted_kinds = {each.path for each in ([kind] if kind else KINDS.values()) if each.family == family}
    rows = [row for row in ctx.rows("asset") if row["kind"] in wanted_kinds]
    if "assetIds" in query:
        wanted = query["assetIds"].lower().split(",")
        rows = [row for row in rows if row["id"] in wanted]
    if "name" in query:
        rows = [row for row in rows if query["name"] in row["meta"]["name"]]
    units = [(unit, str(query[name])) for name, unit in UNITS if name in query]
    if scope is not None:
        own = [row for row in rows if row["scope"] == scope]
        return [row for row in own if set(units) <= set(scopes.above(ctx, row["scope"], row["unit"]))]
    return _inherited(ctx, rows, units, descendants=query.get("includeDescendants", False)) if units else rows


def _inherited(ctx: Context, rows: list[Row], units: list[tuple[str, str]], *, descendants: bool) -> list[Row]:
    above = scopes.above(ctx, *units[0])
    if not set(units) <= set(above):
        return []
    return [
        row
        for row in rows
        if (row["scope"], row["unit"]) in above
        or (descendants and units[0] in scopes.above(ctx, row["scope"], row["unit"]))
    ]
