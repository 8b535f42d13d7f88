"""A site that comes back after it was given up: it is attached again, and what only it had is in a snapshot."""

from __future__ import annotations

import pytest

from tests.moving.matrix import Judge
from tests.moving.test_unplanned import lost
from tests.moving.theatre import Theatre
from vastplan.app.move import abort_move
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.operation import Phase
from vastplan.operations.run import Stopped


def split(scene: Theatre) -> list[str]:
    """iad was given up and is back, and both have written since; what pdx has."""
    lost(scene)
    scene.run(scene.plan(mode="unplanned"))
    scene.write("pdx", "of-pdx")
    scene.lab.world.find("iad")
    scene.clock.sleep(60)
    assert scene.roles() == ("STANDALONE", "SOURCE")
    scene.write("iad", "of-iad")
    return scene.labels("pdx")


def kept_of(scene: Theatre, site: str, name: str) -> list[str]:
    with scene.lab.world.lock:
        return scene.vast(site).labels_of_snapshot(name)


def test_a_site_that_is_back_follows_and_its_branch_is_in_a_snapshot(scene: Theatre) -> None:
    here = split(scene)
    plan = scene.plan(mode="rejoin")
    assert [stage.name for stage in plan.stages if stage.no_return] == ["attach"]
    assert "all that was written at iad since" in plan.loss and plan.lose["created"] in plan.loss
    done = scene.run(plan)
    assert done.phase is Phase.DONE and scene.roles() == ("DESTINATION", "SOURCE")
    assert scene.labels("iad") == scene.labels("pdx") == here
    branch = done.facts["branch"]
    assert branch["site"] == "iad" and kept_of(scene, "iad", branch["name"])[-2:] == ["late", "of-iad"]
    assert scene.run(plan) == done


def test_then_the_way_back_is_an_ordinary_move(scene: Theatre) -> None:
    split(scene)
    scene.run(scene.plan(mode="rejoin"))
    judge = Judge(scene)
    done = scene.run(scene.plan("iad"))
    assert (done.mode, done.source, done.target, done.phase) == ("planned", "pdx", "iad", Phase.DONE)
    assert scene.roles() == ("SOURCE", "DESTINATION")
    assert scene.labels("iad")[-1] == "of-pdx"
    assert max(map(len, judge.crowds)) <= 1


def test_the_site_that_took_over_can_be_the_one_that_was_wrong(scene: Theatre) -> None:
    split(scene)
    there = scene.labels("iad")
    done = scene.run(scene.plan("iad", mode="keep"))
    assert done.phase is Phase.DONE and scene.roles() == ("SOURCE", "DESTINATION")
    assert scene.labels("iad") == scene.labels("pdx") == there
    assert kept_of(scene, "pdx", done.facts["branch"]["name"])[-1] == "of-pdx"


def test_work_at_the_site_that_is_back_is_stopped_first_and_stays_stopped(scene: Theatre) -> None:
    scene.start_job()
    split(scene)
    scene.clock.sleep(120)
    plan = scene.plan(mode="rejoin")
    assert [job["name"] for job in plan.jobs] == ["train"]
    done = scene.run(plan)
    assert scene.workloads("iad") == {"train": "Stopped"} and scene.workloads("pdx") == {}
    assert set(scene.labels("iad")) < set(kept_of(scene, "iad", done.facts["branch"]["name"])) | {"of-pdx"}


def test_what_follows_already_and_what_is_being_changed_is_not_attached(scene: Theatre) -> None:
    with pytest.raises(VastplanError, match="each has to be SOURCE or STANDALONE"):
        scene.plan(mode="rejoin")
    lost(scene)
    scene.run(scene.plan(mode="unplanned"))
    with pytest.raises(VastplanError):
        scene.plan(mode="rejoin")
    scene.lab.world.find("iad")
    scene.clock.sleep(60)
    with pytest.raises(VastplanError, match="iad has to be SOURCE, and is STANDALONE"):
        scene.plan("iad", mode="rejoin")
    scene.run(scene.plan(mode="rejoin"))
    with pytest.raises(VastplanError, match="iad follows pdx already"):
        scene.plan(mode="rejoin")


def test_it_is_taken_back_before_it_is_attached_and_not_afterwards(scene: Theatre) -> None:
    scene.start_job()
    split(scene)
    plan = scene.plan(mode="rejoin")
    stops: list[str] = []

    def tamper() -> None:
        if "keep the branch" in "".join(scene.told) and not stops:
            stops.append("x")
            scene.write("iad", "written-in-the-freeze")

    scene.clock.watchers.append(tamper)
    with pytest.raises(Stopped, match="was written to since the freeze"):
        scene.run(plan)
    done = abort_move(scene.lab.workspace(), plan.id[:8], scene.told.append, scene.clock)
    assert done.phase is Phase.ABORTED and scene.roles() == ("STANDALONE", "SOURCE")
    assert "written-in-the-freeze" in scene.labels("iad")
    assert scene.workloads("iad")["train"] in ("Resuming", "Running")
    again = scene.plan(mode="rejoin")
    scene.run(again)
    with pytest.raises(VastplanError, match="has ended"):
        abort_move(scene.lab.workspace(), again.id[:8], scene.told.append, scene.clock)


def test_another_restore_point_than_the_one_of_the_consent_stops_it(scene: Theatre) -> None:
    split(scene)
    plan = scene.plan(mode="rejoin")
    with scene.lab.world.lock:
        cluster = scene.vast("iad")._cluster
        for row in list(cluster.rows("replicationrestorepoints", guid=plan.lose["guid"])):
            cluster.store.remove("replicationrestorepoints", row["id"])
    with pytest.raises((Stopped, Stale), match="would go back to"):
        scene.run(plan)
    assert scene.roles() == ("STANDALONE", "SOURCE")
