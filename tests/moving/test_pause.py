"""For how long writes stop, as a plan says: never less than its stages take by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.moving.forking import declared, fork
from tests.moving.theatre import Theatre, shared_theatre
from tests.moving.together import both
from vastplan.model.move_plan import THROUGH, UNPLANNED, MovePlan


def pauses(plan: MovePlan) -> list[str]:
    return [fact.value for fact in plan.evidence if "writes stop for at least" in fact.name]


def test_a_planned_move_takes_two_reads_of_the_used_bytes_and_the_change_of_roles(scene: Theatre) -> None:
    forecast = scene.path("iad")["estimated_read_only_time"]
    assert pauses(scene.plan()) == [f"{15 + forecast:.0f} s"]


def test_what_stops_no_writer_says_nothing(scene: Theatre) -> None:
    assert pauses(scene.plan(mode=UNPLANNED, broken="a fault")) == []
    declared(scene)
    assert pauses(fork(scene, live=True)) == []
    assert pauses(fork(scene)) == ["15 s"]


def test_the_paths_of_a_project_are_read_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as scene:
        forecasts = [row["estimated_read_only_time"] for row in scene.rows("iad").values()]
        assert pauses(scene.plan()) == [f"{30 + sum(forecasts):.0f} s"]


def test_through_global_access_the_lease_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path) as scene:
        assert pauses(scene.plan(mode=THROUGH)) == ["320 s"]
