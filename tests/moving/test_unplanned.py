"""The move without the source: what had not arrived is lost, and that is all."""

from __future__ import annotations

import json

import pytest

from tests.moving.theatre import Theatre
from vastplan.app.move import abort_move, run_move
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Phase
from vastplan.operations.run import Stopped


def lost(scene: Theatre) -> list[str]:
    """The site is lost with its power; what was at pdx then."""
    scene.clock.sleep(3600)
    kept = scene.labels("pdx")
    scene.write("iad", "late")
    scene.lab.world.lose("iad", power=True)
    scene.clock.sleep(60)
    return kept


def test_the_copy_takes_over_as_of_the_restore_point(scene: Theatre) -> None:
    kept = lost(scene)
    plan = scene.plan(mode="unplanned")
    assert plan.lose["guid"] and plan.lose["created"] in plan.loss
    done = scene.run(plan)
    assert done.phase is Phase.DONE and done.facts["fenced"].startswith("not fenced")
    assert scene.path("pdx")["role"] == "SOURCE"
    assert scene.labels("pdx") == kept and kept
    scene.lab.world.find("iad")
    scene.clock.sleep(60)
    assert scene.path("iad")["role"] == "STANDALONE"  # nothing is done to it by itself


def test_the_plan_asks_the_source_for_half_a_minute_and_the_run_once(scene: Theatre) -> None:
    lost(scene)
    began = scene.clock.ticks()
    plan = scene.plan(mode="unplanned")
    assert scene.clock.ticks() - began == 30
    assert scene.waited(plan)[1] == [0]


def test_a_source_that_answers_again_in_that_time_is_not_given_up(scene: Theatre) -> None:
    lost(scene)
    scene.find_after(20)
    with pytest.raises(VastplanError, match="iad answers, so a planned move loses nothing"):
        scene.plan(mode="unplanned")


@pytest.mark.parametrize("back", ["the site", "its peer"])
def test_a_source_that_is_back_when_the_run_begins_is_not_given_up(scene: Theatre, back: str) -> None:
    lost(scene)
    plan = scene.plan(mode="unplanned")
    scene.lab.world.find("iad")
    if back == "its peer":
        scene.lab.world.lose("iad", systems=["vast"])
    scene.clock.sleep(60)
    with pytest.raises(Stopped, match=r"iad (answers|is connected)"):
        scene.run(plan)
    assert scene.path("pdx")["role"] == "DESTINATION"


def test_a_source_that_answers_is_not_given_up(scene: Theatre) -> None:
    with pytest.raises(VastplanError, match="iad answers, so a planned move loses nothing"):
        scene.plan(mode="unplanned")


def test_a_graceful_move_never_becomes_a_forced_one(scene: Theatre) -> None:
    plan = scene.plan()
    scene.lab.world.lose("iad", power=True)
    scene.clock.sleep(60)
    with pytest.raises(VastplanError, match="cannot be read"):
        scene.run(plan)
    assert scene.path("pdx")["role"] == "DESTINATION"


def test_it_cannot_be_taken_back_once_it_is_detached(scene: Theatre) -> None:
    lost(scene)
    plan = scene.plan(mode="unplanned")

    def stop(text: str) -> None:
        if "take over" in text:
            raise VastplanError("stopped here")

    with pytest.raises(VastplanError, match="stopped here"):
        run_move(scene.lab.workspace(), plan, stop, "move.json", scene.clock)
    assert scene.path("pdx")["role"] == "STANDALONE"
    with pytest.raises(Stopped, match="can no longer be taken back: pdx was detached"):
        abort_move(scene.lab.workspace(), plan.id[:8], print, scene.clock)


def test_what_still_answers_of_a_site_that_is_given_up_is_suspended_and_started_again(scene: Theatre) -> None:
    scene.start_job()
    scene.clock.sleep(3700)
    scene.lab.world.lose("iad", systems=["vast"], links=True)
    scene.clock.sleep(60)
    plan = scene.plan(mode="unplanned")
    assert [job["name"] for job in plan.jobs] == ["train"]
    done = scene.run(plan)
    assert scene.workloads("iad") == {"train": "Stopped"}
    assert done.facts["fenced"] == "the workloads at iad have stopped"
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}


def test_a_site_that_answers_and_is_said_to_be_broken_is_given_up(scene: Theatre) -> None:
    done = scene.run(scene.plan(mode="unplanned", broken="its file system is damaged"))
    assert done.consent["broken"] == "its file system is damaged"
    assert scene.path("pdx")["role"] == "SOURCE"


def test_the_plan_tells_what_training_is_done_again(scene: Theatre) -> None:
    sections = json.loads(json.dumps(scene.lab.sections))
    sections["tenants"]["team"]["volumes"]["home"]["checkpoint"] = {"size": "1 GB", "interval": "15m"}
    scene.lab.write(sections)
    lost(scene)
    shown = {fact.name: fact.value for fact in scene.plan(mode="unplanned").evidence}
    assert shown["work done again"].endswith("old, and a checkpoint comes every 15 min")
