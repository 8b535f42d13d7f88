"""A volume of the document at pdx that is a clone of what has come over, and the hands to fork to it."""

from __future__ import annotations

import copy
from typing import Any

from tests.moving.theatre import HOME, Theatre
from vastplan.app.move import last_moves, plan_move
from vastplan.model.move_plan import FORK, MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.operations.wanted import WantedMove

PATH = "/team/try"
BRANCH: dict[str, Any] = {
    "sites": ["pdx"], "path": PATH, "size": "10 TiB", "mount": "/try", "source": {"volume": "home-copy"},
}  # fmt: skip


def declared(scene: Theatre, **changes: Any) -> None:
    """The document has the branch, changed; what is `None` is left out. Nothing is applied."""
    sections = copy.deepcopy(scene.lab.sections)
    branch = {name: value for name, value in {**BRANCH, **changes}.items() if value is not None}
    sections["tenants"]["team"]["volumes"]["try"] = branch
    scene.lab.write(sections)


def fork(scene: Theatre, **options: Any) -> MovePlan:
    return plan_move(scene.lab.workspace(), WantedMove(HOME, "pdx", FORK, fork="try", **options), scene.clock)


def applied(scene: Theatre) -> None:
    """As somebody does who types the command that the stop tells."""
    scene.lab.converge()


def labels(scene: Theatre, path: str = PATH) -> list[str]:
    with scene.lab.world.lock:
        return scene.vast("pdx").labels(path, tenant_id=scene.tenant["pdx"])


def directories(scene: Theatre, site: str = "pdx") -> list[str]:
    """All of the tenant at a site."""
    with scene.lab.world.lock:
        rows = scene.vast(site)._cluster.rows("_directories", tenant_id=scene.tenant[site])
        return sorted(row["path"] for row in rows)


def streams(scene: Theatre) -> list[dict[str, Any]]:
    scene.lab._tokens.clear()
    return [dict(row) for row in scene.lab.by_hand("pdx", "vast", "GET", "/api/v5/globalsnapstreams/")]


def record(scene: Theatre, mode: str = FORK) -> Operation:
    (one,) = [one for one in last_moves(scene.lab.workspace()) if one.mode == mode]
    return one


def recorded(scene: Theatre, plan: MovePlan, phase: Phase) -> None:
    """Both ledgers say the same."""
    with scene.lab.workspace().ledger() as backend:
        parts = [backend.read(site).operations[plan.subject] for site in ("iad", "pdx")]
    assert parts[0] == parts[1] and parts[0].phase is phase
