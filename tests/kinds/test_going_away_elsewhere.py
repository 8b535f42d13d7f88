"""Objects that VAST and Run:AI are deleting, and what a snapshot keeps of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lab import EVERYTHING, Lab
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.app.record import record_snapshot
from vastplan.model.live_state import Condition
from vastplan.model.plan import Plan
from vastplan.sim.agenda import Agenda

PROJECT = "iad/project/team-a"


def planned(lab: Lab, *, offline: bool) -> Plan:
    """The plan, by one read of the systems or from a snapshot of one read: what is being deleted is gone at a later one."""
    if not offline:
        return lab.plan()
    snapshot = record_snapshot(lab.workspace(), tuple(lab.sites))
    return make_plan(lab.workspace(), PlanOptions(tuple(lab.sites), consent=EVERYTHING, snapshot=snapshot)).plan


def stop_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the systems have begun stays begun."""
    monkeypatch.setattr(Agenda, "add", lambda *_: None)


def team(gpus: int) -> dict[str, Any]:
    return {
        "departments": {"research": {"gpus": {"default": 8}}},
        "projects": {"team-a": {"department": "research", "gpus": {"default": gpus}}},
    }


@pytest.mark.parametrize("offline", [False, True], ids=["live", "from a snapshot"])
def test_a_project_that_run_ai_is_deleting_is_reported_and_not_written_into(
    tmp_path: Path, offline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Lab(tmp_path, {"iad": ["runai"]}) as lab:
        lab.write(team(4))
        lab.converge()
        live = lab.live(PROJECT)
        assert live is not None and live.state.condition is Condition.WELL
        lab.write(team(2))
        stop_time(monkeypatch)
        lab.by_hand("iad", "runai", "DELETE", f"/api/v1/org-unit/projects/{live.id}")
        plan = planned(lab, offline=offline)
        (row,) = plan.states
        assert (row.address, row.state.condition, row.state.word) == (PROJECT, Condition.GOING_AWAY, "Deleting")
        (action,) = plan.actions
        assert [block.guard for block in action.blocked] == ["going-away"]
        assert action.blocked[0].message.startswith("it is being deleted: Deleting")
        assert [finding.code for finding in plan.findings] == ["VP354"]


@pytest.mark.parametrize("offline", [False, True], ids=["live", "from a snapshot"])
def test_a_protected_path_that_vms_is_deleting_is_reported(
    tmp_path: Path, offline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = [{"every": "1h", "keep_local": "1d"}]
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(
            {
                "tenants": {"team-a": {"view_policy": {"flavor": "NFS"}}},
                "snapshot_schedules": {"hourly": {"frames": frames}},
                "views": {"a": {"tenant": "team-a", "path": "/a", "create_dir": True, "snapshots": "hourly"}},
            }
        )
        lab.converge()
        (path,) = lab.rows("iad", "protected_path")
        stop_time(monkeypatch)
        lab.by_hand("iad", "vast", "DELETE", f"/api/v5/protectedpaths/{path['id']}/")
        (row,) = planned(lab, offline=offline).states
        assert (row.state.condition, row.state.word) == (Condition.GOING_AWAY, "DELETE_PENDING")
        assert row.address.startswith("iad/protected_path/")
