"""A protected path that is put back in place: from the plan to the commit, and what stops it on the way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from tests.restoring.scene import PATH, SCRATCH, Scene
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.operation import Phase
from vastplan.operations.modes.restore.place import PLACE, place_begun
from vastplan.operations.run import Stopped


def facts_of(plan: Any) -> dict[str, str]:
    return {fact.name: fact.value for fact in plan.evidence}


def test_it_goes_back_and_keeps_what_was_there(scene: Scene) -> None:
    scene.start_job()
    scene.clock.sleep(130)
    before = scene.labels()
    plan = scene.in_place()
    assert (plan.path, [stage.name for stage in plan.stages if stage.no_return]) == (PATH, ["commit"])
    done = scene.run(plan)
    assert done.phase is Phase.DONE
    assert done.passed == ("look", "freeze", "snapshot of now", "restore", "commit", "go on")
    assert scene.labels()[0] == "good"
    assert scene.workloads()["train"] in ("Resuming", "Running")
    assert set(before) - set(scene.labels()) >= {"bad"}
    kept = done.facts["kept"]["name"]
    assert kept == f"before-restore-{done.id}" and kept in scene.snapshots()
    assert scene.call("GET", "globalsnapstreams/") == []
    scene.clock.sleep(30)
    again = scene.in_place(kept)
    assert scene.run(again).phase is Phase.DONE  # what was there is one restore away
    assert set(before) <= set(scene.labels())


def test_one_whose_volume_was_taken_out_of_the_document_resumes_what_it_suspended(scene: Scene) -> None:
    scene.start_job()
    plan = scene.in_place()
    stuck = patch("vastplan.operations.stages.work.still", return_value="stuck")
    with stuck, pytest.raises(Stopped, match="stage freeze"):
        scene.run(plan)
    scene.clock.sleep(30)
    del scene.lab.sections["tenants"]["team"]["volumes"]["home"]
    scene.lab.write(scene.lab.sections)
    with pytest.raises(VastplanError, match=r"^iad/volume/home: no longer in the document, and its restore"):
        scene.run(plan)
    assert "Running" not in scene.workloads().values()
    assert scene.abort(plan).phase is Phase.ABORTED
    assert scene.workloads()["train"] == "Running" and scene.labels()[:2] == ["good", "bad"]


def test_a_record_that_says_something_else_has_no_place(scene: Scene) -> None:
    scene.run(scene.in_place())
    done = scene.record()
    assert place_begun(done) is not None
    broken: Any
    for broken in (None, [], {}, {**done.facts[PLACE], "work": [["x"]]}, {**done.facts[PLACE], "path": []}):
        assert place_begun(replace(done, facts={PLACE: broken})) is None


def test_what_is_newer_is_counted_first(scene: Scene) -> None:
    scene.snapshot("later")
    told = facts_of(scene.in_place())
    assert told["newer snapshots"] == "1, which stay: later"
    assert told["newer bytes"].startswith("unknown: VAST reports only how many")
    assert told["newer checkpoints"].startswith("unknown: the document gives no checkpoint interval")
    assert told["used bytes now"].isdigit() and int(told["used bytes now"]) >= 2 * 10**9
    assert "good of /team/home, taken " in told["snapshot"]


def test_the_document_s_checkpoints_and_the_points_of_a_schedule_are_counted(scene: Scene) -> None:
    volumes = scene.lab.sections["tenants"]["team"]["volumes"]
    volumes["home"]["checkpoint"] = {"model": {"params": "70B"}, "interval": "15m", "keep_last": 3}
    scene.lab.write(scene.lab.sections)
    scene.clock.sleep(3700)
    scheduled = next(name for name in scene.snapshots() if name != "good")
    scene.write("bad again")
    scene.clock.sleep(1000)
    told = facts_of(scene.in_place(scheduled))
    assert told["newer checkpoints"] == "up to 1, one every 900 s as the document says"
    assert told["newer bytes"].endswith("so at least 1000000000")


@pytest.mark.parametrize("hours", [-4, 4])
def test_checkpoints_are_counted_by_the_clock_that_dated_the_snapshot(scene: Scene, hours: int) -> None:
    volumes = scene.lab.sections["tenants"]["team"]["volumes"]
    volumes["home"]["checkpoint"] = {"model": {"params": "70B"}, "interval": "15m", "keep_last": 3}
    scene.lab.write(scene.lab.sections)
    scene.clock.sleep(1000)
    scene.clock.ahead = timedelta(hours=hours)
    assert facts_of(scene.in_place())["newer checkpoints"] == "up to 1, one every 900 s as the document says"


def test_what_is_not_protected_is_said_so(scene: Scene) -> None:
    scene.snapshot("one", "/team/scratch")
    told = "has no protected path, and VAST restores in place only what has one; restore into a new volume"
    with pytest.raises(VastplanError, match=told):
        scene.plan(SCRATCH, "one", mode="in place")


def test_a_snapshot_of_another_path_and_one_that_is_not_there(scene: Scene) -> None:
    scene.snapshot("one", "/team/scratch")
    with pytest.raises(VastplanError, match="one is a snapshot of /team/scratch/, not of /team/home"):
        scene.in_place("one")
    with pytest.raises(VastplanError, match="has no snapshot none; the newest are good"):
        scene.in_place("none")


def test_a_snapshot_that_goes_meanwhile_stops_it(scene: Scene) -> None:
    plan = scene.in_place()
    (row,) = (one for one in scene.call("GET", "snapshots/") if one["name"] == "good")
    scene.call("DELETE", f"snapshots/{row['id']}/")
    with pytest.raises(VastplanError, match="has no snapshot good"):
        scene.run(plan)
    scene.snapshot("good")
    with pytest.raises(Stale, match="good is another snapshot than when the restore was planned"):
        scene.run(plan)
    assert scene.labels() == ["good", "bad"]


@pytest.mark.slow
def test_one_that_goes_after_the_freeze_stops_it_before_anything_is_restored(scene: Scene) -> None:
    plan = scene.in_place()

    def go() -> None:
        if any("snapshot of now" in text for text in scene.told):
            for row in scene.call("GET", "snapshots/"):
                if row["name"] == "good":
                    scene.call("DELETE", f"snapshots/{row['id']}/")

    scene.clock.watchers.append(go)
    with pytest.raises(Stopped, match="the snapshot good of /team/home is gone from iad") as stopped:
        scene.run(plan)
    assert "/team/home at iad is unchanged" in str(stopped.value)
    assert scene.labels() == ["good", "bad"]
    assert scene.abort(plan).phase is Phase.ABORTED


def test_a_workload_that_cannot_be_suspended_holds_it(scene: Scene) -> None:
    with scene.lab.world.lock:
        scene.runai.submit("team", "serve", gpus=1, claim_names=["home"], type="Inference")
    with pytest.raises(VastplanError, match=r"Inference serve mounts it, and .* cannot be suspended"):
        scene.in_place()
    assert scene.plan().jobs == ()  # a copy stops nobody


@pytest.mark.slow
def test_whoever_writes_between_freeze_and_commit_stops_it(scene: Scene) -> None:
    scene.start_job()
    plan = scene.in_place()
    written: list[str] = []

    def sneak() -> None:
        if any("copy the snapshot beside" in text for text in scene.told) and not written:
            written.append("sneaked")
            scene.write("sneaked")

    scene.clock.watchers.append(sneak)
    with pytest.raises(Stopped, match="iad was written to since the freeze") as stopped:
        scene.run(plan)
    assert "its workloads are suspended" in str(stopped.value)
    assert "sneaked" in scene.labels() and scene.record().phase is Phase.OPEN
    scene.clock.watchers.clear()
    assert scene.abort(plan).phase is Phase.ABORTED
    assert scene.workloads()["train"] in ("Resuming", "Running")
    assert scene.call("GET", "globalsnapstreams/") == []
    with pytest.raises(Stale, match="was taken back; plan another one"):
        scene.run(plan)


def test_a_pod_that_mounts_it_holds_the_freeze(scene: Scene) -> None:
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shell", "namespace": "runai-team"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "home"}}],
        },
    }  # fmt: skip
    scene.lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/runai-team/pods", pod)
    plan = scene.in_place()
    assert facts_of(plan)["pod that mounts it"] == "runai-team/shell"
    with pytest.raises(Stopped, match="pod runai-team/shell mounts it"):
        scene.run(plan)
    assert scene.labels() == ["good", "bad"]


def test_after_the_commit_nothing_is_taken_back(scene: Scene) -> None:
    done = scene.run(plan := scene.in_place())
    with pytest.raises(VastplanError, match=r"the restore .* has ended \(done\)"):
        scene.abort(plan)
    assert scene.run(plan) == done and scene.told == []  # whoever types it again changes nothing


def test_a_restore_that_somebody_else_began_is_not_touched(scene: Scene) -> None:
    (row,) = scene.call("GET", "protectedpaths/")
    (snapshot,) = (one for one in scene.call("GET", "snapshots/") if one["name"] == "good")
    scene.call("POST", f"protectedpaths/{row['id']}/restore", {"loanee_snapshot_id": snapshot["id"], "name": "theirs"})
    with pytest.raises(VastplanError, match="a restore that is not of this document is under way at iad"):
        scene.in_place()


@pytest.mark.slow
def test_a_restore_that_somebody_stops_is_not_committed(scene: Scene) -> None:
    plan = scene.in_place()

    def stop() -> None:
        if scene.call("GET", "globalsnapstreams/"):
            (row,) = scene.call("GET", "protectedpaths/")
            scene.call("PATCH", f"protectedpaths/{row['id']}/stop")

    scene.clock.watchers.append(stop)
    with pytest.raises(Stopped, match="is gone from iad: stopped or committed outside vastplan"):
        scene.run(plan)
    scene.clock.watchers.clear()
    assert scene.labels() == ["good", "bad"]
    assert scene.abort(plan).phase is Phase.ABORTED


@pytest.mark.slow
def test_a_plan_expires(scene: Scene) -> None:
    plan = scene.in_place()
    scene.clock.sleep(901)
    with pytest.raises(Stale, match="the planned restore has expired"):
        scene.run(plan)


def test_a_workload_that_came_later_is_not_suspended_unasked(scene: Scene) -> None:
    plan = scene.in_place()
    scene.start_job()
    with pytest.raises(Stale, match="workloads that are not in the plan use it now: train"):
        scene.run(plan)
    assert scene.workloads() == {"train": "Running"}
