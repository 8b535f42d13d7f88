"""Priorities: the names that a quota entry's `priority` may have."""

from __future__ import annotations

from vastplan.sim.runai.context import Context, Routes, RunaiCall
from vastplan.sim.runai.quota import DEFAULT_PRIORITY, PRIORITIES
from vastplan.sim.wire import Response


def _list(ctx: Context, call: RunaiCall) -> Response:
    entries = [
        {"name": name, "value": value, "isDefault": name == DEFAULT_PRIORITY} for name, value in PRIORITIES.items()
    ]
    return Response(200, {"priorities": entries})


ROUTES: Routes = {("GET", "/api/v1/org-unit/priorities"): _list}
