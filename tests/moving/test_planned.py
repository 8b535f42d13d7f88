"""The planned move, from the plan to the new protection."""

from __future__ import annotations

import pytest

from tests.moving.theatre import Theatre
from vastplan.app.move import abort_move
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.operation import Phase
from vastplan.operations.run import Stopped
from vastplan.report.operations import status_text


def test_a_job_moves_and_nothing_that_it_wrote_is_missing(scene: Theatre) -> None:
    scene.start_job()
    scene.clock.sleep(130)
    crowds: set[tuple[str, ...]] = set()
    scene.clock.watchers.append(lambda: crowds.add(tuple(scene.writers())))
    plan = scene.plan()
    assert [stage.name for stage in plan.stages if stage.no_return] == ["switch"]
    assert [job["name"] for job in plan.jobs] == ["train"]
    before = scene.labels("iad")
    done = scene.run(plan)
    assert done.phase is Phase.DONE
    assert scene.roles() == ("DESTINATION", "SOURCE")
    assert set(before) <= set(scene.labels("pdx"))
    assert scene.labels("pdx") == scene.labels("iad")
    assert scene.workloads("iad") == {"train": "Stopped"}
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    assert crowds <= {("iad",), ("pdx",), ()} and ("pdx",) in crowds


def test_a_second_move_is_refused_with_the_id_of_the_first(scene: Theatre) -> None:
    plan = scene.plan()
    scene.lab.world.link("iad", "pdx", up=False)
    with pytest.raises(Stopped, match="may write") as stopped:
        scene.run(plan)
    assert "iad may write (SOURCE)" in str(stopped.value) and "pdx may not write" in str(stopped.value)
    assert f"vastplan move abort {scene.lab.folder / 'lab.yaml'} {plan.id[:8]}" in str(stopped.value)
    with pytest.raises(VastplanError, match=f"the move {plan.id[:8]} to pdx is under way"):
        scene.plan()
    scene.lab.world.link("iad", "pdx", up=True)
    scene.clock.sleep(120)
    assert scene.run(plan).phase is Phase.DONE


def test_what_is_begun_is_taken_back_up_to_the_point_of_no_return(scene: Theatre) -> None:
    scene.start_job()
    plan = scene.plan()
    switching: list[str] = []

    def cut() -> None:
        if scene.path("pdx")["role"].startswith("GRACEFULLY") and not switching:
            switching.append("cut")
            scene.lab.world.link("iad", "pdx", up=False)

    scene.clock.watchers.append(cut)
    with pytest.raises(Stopped, match="stopped at stage switch"):
        scene.run(plan)
    scene.clock.watchers.clear()
    assert scene.writers() == [] and scene.workloads("iad") == {"train": "Stopped"}
    scene.lab.world.link("iad", "pdx", up=True)
    scene.clock.sleep(5)
    done = scene.abort(plan)
    assert done.phase is Phase.ABORTED
    assert scene.roles() == ("SOURCE", "DESTINATION")
    assert scene.workloads("iad")["train"] in ("Resuming", "Running") and scene.workloads("pdx") == {}
    assert abort_move(scene.lab.workspace(), done.id, scene.told.append, scene.clock) == done
    with pytest.raises(Stale, match="was taken back; plan another one"):
        scene.run(plan)
    scene.clock.sleep(60)
    assert scene.plan().id != plan.id


def test_a_move_that_is_over_cannot_be_taken_back(scene: Theatre) -> None:
    done = scene.run(plan := scene.plan())
    with pytest.raises(VastplanError, match=r"has ended \(done\)"):
        abort_move(scene.lab.workspace(), done.id, scene.told.append, scene.clock)
    assert scene.run(plan) == done and scene.told == []  # whoever types it again changes nothing


def test_a_plan_expires(scene: Theatre) -> None:
    plan = scene.plan()
    scene.clock.sleep(901)
    with pytest.raises(Stale, match="has expired"):
        scene.run(plan)


def test_a_workload_that_came_later_is_not_suspended_unasked(scene: Theatre) -> None:
    plan = scene.plan()
    scene.start_job()
    with pytest.raises(Stale, match=r"workloads that are not in the plan use it now: train"):
        scene.run(plan)
    assert scene.workloads("iad") == {"train": "Running"}


@pytest.mark.parametrize(("site", "system"), [("iad", "runai"), ("iad", "kubernetes"), ("pdx", "runai")])
def test_who_cannot_be_asked_for_its_work_is_not_taken_for_one_without_any(
    scene: Theatre, site: str, system: str
) -> None:
    scene.start_job()
    plan = scene.plan()
    scene.lab.world.lose(site, systems=[system])
    if system == "runai":
        with pytest.raises(VastplanError, match=r"cannot be read|cannot determine the current state"):
            scene.plan()
    with pytest.raises(VastplanError, match=r"cannot be read|cannot determine the current state"):
        scene.run(plan)
    assert scene.roles() == ("SOURCE", "DESTINATION")
    scene.lab.world.find(site)
    assert scene.run(plan).phase is Phase.DONE
    assert scene.workloads("iad") == {"train": "Stopped"}
    assert list(scene.workloads("pdx").values()) == ["Running"]


def test_work_that_mounts_what_stays_is_not_started_without_it(scene: Theatre) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "multi", gpus=1, claim_names=["home", "scratch"])
    plan = scene.plan()
    told = [line for line in plan.by_hand if "multi" in line]
    assert told == ["workload multi is not submitted at pdx: it mounts scratch as well, which does not move"]
    assert any(
        "but scratch does not move, so the workload is not submitted there" in fact.value for fact in plan.evidence
    )
    done = scene.run(plan)
    assert done.phase is Phase.DONE
    assert "  multi was not submitted at pdx, which lacks scratch that it mounts\n" in status_text(done)
    assert scene.workloads("iad") == {"multi": "Stopped"} and scene.workloads("pdx") == {}
    back = scene.plan("iad")
    (left,) = [line for line in back.by_hand if "is suspended at" in line]
    assert left.startswith(
        f"workload multi is suspended at iad since the move {plan.id[:8]}, which submitted it nowhere"
    )
