"""Roles, which access rules grant; predefined, with arbitrary ids."""

from __future__ import annotations

from vastplan.sim.runai.context import Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/authorization/roles"
# Not 1, 2, 3: a client must look the id up by name.
ROLES = {
    3: "System administrator",
    7: "Department administrator",
    8: "Department viewer",
    11: "Editor",
    12: "Viewer",
    14: "Research manager",
    17: "L1 researcher",
    18: "L2 researcher",
    21: "ML engineer",
    23: "Application administrator",
    24: "Cloud operator",
    27: "Compute resource administrator",
    28: "Credentials administrator",
    31: "Data source administrator",
    32: "Data volume administrator",
    35: "Environment administrator",
    36: "Template administrator",
}
SINCE = "2024-01-01T00:00:00.000Z"


def _view(key: int) -> Row:
    return {
        "id": key,
        "name": ROLES[key],
        "description": ROLES[key],
        "custom": False,
        "enabled": True,
        "effectiveEnabled": True,
        "permissions": [],
        "createdAt": SINCE,
        "createdBy": "system",
        "updatedAt": SINCE,
        "deletedAt": None,
    }


def _list(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, [_view(key) for key in ROLES])


def _get(ctx: Context, call: RunaiCall) -> Response:
    key = next((key for key in ROLES if str(key) == call.params[0]), None)
    if key is None:
        raise RunaiError(404, f"role {call.params[0]}")
    return Response(200, _view(key))


ROUTES: Routes = {("GET", PATH): _list, ("GET", f"{PATH}/{{roleIdPath}}"): _get}
