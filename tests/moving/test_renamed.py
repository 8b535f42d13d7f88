"""Entries that are renamed in the document while what they are keeps its name in the systems: it is moved all the same."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.moving.forking import declared
from tests.moving.test_unplanned import lost
from tests.moving.theatre import HOME, Theatre, shared_theatre
from tests.restoring.scene import rename_home
from vastplan.app.move import abort_move, last_moves, operation_standing, plan_move, run_move
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import FORK, PLANNED, REHEARSE, THROUGH, UNPLANNED, MovePlan
from vastplan.model.operation import Phase
from vastplan.operations.wanted import WantedMove

HOMES = HOME._replace(name="homes")


def rename(scene: Theatre, apply: bool = True) -> None:
    """Somebody calls the volume `homes`, and keeps the live name as the plan proposes; once it is applied nothing is left to do."""
    rename_home(scene.lab, apply=apply)
    if apply:
        assert scene.path("iad")["name"] == scene.path("pdx")["name"] == "home"


def plan(scene: Theatre, to: str = "pdx", mode: str = PLANNED, address: Address = HOMES, **options: Any) -> MovePlan:
    return plan_move(scene.lab.workspace(), WantedMove(address, to, mode, **options), scene.clock)


@pytest.mark.parametrize("apply", [True, False], ids=["applied", "not yet applied"])
def test_a_renamed_volume_moves(scene: Theatre, apply: bool) -> None:
    scene.start_job()
    rename(scene, apply)
    planned = plan(scene)
    assert [job["name"] for job in planned.jobs] == ["train"]
    assert scene.run(planned).phase is Phase.DONE and scene.roles() == ("DESTINATION", "SOURCE")
    (moved,) = last_moves(scene.lab.workspace())
    roles = "now: iad may not write (DESTINATION), pdx may write (SOURCE)"
    assert roles in operation_standing(scene.lab.workspace(), moved)
    assert scene.run(plan(scene, "iad")).phase is Phase.DONE and scene.roles() == ("SOURCE", "DESTINATION")


def test_a_renamed_volume_moves_without_its_source(scene: Theatre) -> None:
    rename(scene)
    lost(scene)
    assert scene.run(plan(scene, mode=UNPLANNED)).phase is Phase.DONE
    assert scene.path("pdx")["role"] == "SOURCE"


def test_the_move_of_a_renamed_volume_is_taken_back(scene: Theatre) -> None:
    rename(scene)
    planned = plan(scene)

    def stop(text: str) -> None:
        if "freeze" in text:
            raise VastplanError("stopped here")

    with pytest.raises(VastplanError, match="stopped here"):
        run_move(scene.lab.workspace(), planned, stop, "move.json", scene.clock)
    assert abort_move(scene.lab.workspace(), planned.id[:8], scene.told.append, scene.clock).phase is Phase.ABORTED


def test_a_renamed_volume_is_rehearsed(scene: Theatre) -> None:
    rename(scene)
    assert scene.run(plan(scene, mode=REHEARSE)).phase is Phase.DONE


def test_a_renamed_volume_is_forked(scene: Theatre) -> None:
    rename(scene)
    declared(scene)
    assert plan(scene, mode=FORK, fork="try").source == "iad"


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path) as made:
        yield made


def test_a_renamed_volume_moves_through_global_access(shared: Theatre) -> None:
    rename(shared)
    assert shared.run(plan(shared, mode=THROUGH)).phase is Phase.DONE


def test_the_workloads_of_a_project_whose_rename_is_not_yet_applied_are_suspended(scene: Theatre) -> None:
    scene.start_job()
    sections = copy.deepcopy(scene.lab.sections)
    sections["tenants"] = {"crew": {**sections["tenants"]["team"], "renamed_from": "team"}}
    scene.lab.write(sections)
    assert [job["name"] for job in plan(scene, address=HOME).jobs] == ["train"]


def test_a_path_that_somebody_renamed_is_moved(scene: Theatre) -> None:
    row = scene.path("iad")
    scene.lab.by_hand("iad", "vast", "PATCH", f"/api/v5/protectedpaths/{row['id']}/", {"name": "theirs"})
    scene.volume = "theirs"
    assert scene.run(plan(scene, address=HOME)).phase is Phase.DONE and scene.roles() == ("DESTINATION", "SOURCE")
