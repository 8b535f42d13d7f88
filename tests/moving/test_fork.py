"""The fork: the source goes on leading, and the work goes on at the target too, on a clone that the document declares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.moving.forking import PATH, applied, declared, directories, fork, labels, record, recorded, streams
from tests.moving.matrix import killed
from tests.moving.theatre import HOME, Theatre
from vastplan.cli import main
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Phase
from vastplan.model.plan import Verb
from vastplan.model.replication import ReplicationState
from vastplan.operations.calls import replica as replica_calls
from vastplan.operations.run import Stopped
from vastplan.schema.ports.replica import Point

LEADING = ("SOURCE", "DESTINATION")


def test_the_work_goes_on_at_both_sites(scene: Theatre) -> None:
    declared(scene)
    scene.start_job()
    scene.clock.sleep(130)
    crowds: set[tuple[str, ...]] = set()
    scene.clock.watchers.append(lambda: crowds.add(tuple(scene.writers())))
    plan = fork(scene)
    assert [stage.name for stage in plan.stages] == [
        "look", "freeze", "final copy", "clone", "go on", "apply", "start",
    ]  # fmt: skip
    assert [stage.name for stage in plan.stages if stage.no_return] == ["start"]
    assert [(job["name"], job["to_claim"]) for job in plan.jobs] == [("train", "try")]
    before = scene.labels("iad")
    with pytest.raises(Stopped) as stopped:
        scene.run(plan)
    assert "pdx/volume/try is not applied yet" in str(stopped.value)
    assert f"type vastplan apply {scene.lab.folder / 'lab.yaml'} --adopt --target pdx/volume/try" in str(stopped.value)
    assert scene.workloads("iad")["train"] in ("Resuming", "Running")
    assert set(before) <= set(labels(scene))
    held = labels(scene)
    scene.clock.sleep(130)
    assert labels(scene) == held != scene.labels("iad")
    made = {str(action.address): action.verb for action in scene.lab.plan().actions}
    assert made["pdx/clone/try"] is Verb.ADOPT and made["pdx/view/try"] is Verb.CREATE
    applied(scene)
    assert scene.lab.plan().actions == ()
    done = scene.run(plan)
    assert done.phase is Phase.DONE and scene.run(plan) == done
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    assert scene.workloads("iad")["train"] == "Running"
    assert scene.roles() == LEADING and crowds <= {("iad",)}
    recorded(scene, plan, Phase.DONE)
    with pytest.raises(VastplanError, match=r"the clone try already exists at pdx \(for another fork"):
        fork(scene)


def test_live_suspends_nothing(scene: Theatre) -> None:
    declared(scene, copies="on_read")
    scene.start_job()
    scene.clock.sleep(130)
    plan = fork(scene, live=True)
    assert "crash-consistent" in plan.loss and "freeze" not in [stage.name for stage in plan.stages]
    phases: set[str] = set()
    scene.clock.watchers.append(lambda: phases.add(scene.workloads("iad")["train"]))
    before = scene.labels("iad")
    with pytest.raises(Stopped, match="is not applied yet"):
        scene.run(plan)
    scene.clock.watchers.clear()
    assert phases == {"Running"} and set(before) <= set(labels(scene))
    assert streams(scene)[0]["enabled"] is False
    applied(scene)
    done = scene.run(plan)
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    assert scene.roles() == LEADING


def test_one_that_is_given_up_leaves_nothing(scene: Theatre) -> None:
    declared(scene)
    scene.start_job()
    there = directories(scene)
    plan = fork(scene)
    with pytest.raises(Stopped, match="is not applied yet"):
        scene.run(plan)
    with pytest.raises(VastplanError, match=f"the move {plan.id[:8]} to pdx is under way"):
        scene.plan()
    assert scene.abort(plan).phase is Phase.ABORTED
    assert streams(scene) == [] and directories(scene) == there
    assert scene.workloads("iad")["train"] in ("Resuming", "Running")
    assert scene.roles() == LEADING
    recorded(scene, plan, Phase.ABORTED)


def test_one_that_is_given_up_before_the_clone_resumes(scene: Theatre) -> None:
    declared(scene)
    scene.start_job()
    plan = fork(scene)
    scene.lab.world.link("iad", "pdx", up=False)
    with pytest.raises(Stopped, match="no restore point since"):
        scene.run(plan)
    assert scene.workloads("iad") == {"train": "Stopped"}
    scene.lab.world.link("iad", "pdx", up=True)
    scene.abort(plan)
    assert scene.workloads("iad")["train"] in ("Resuming", "Running") and streams(scene) == []


def test_an_apply_does_not_make_the_clone_meanwhile(scene: Theatre) -> None:
    declared(scene)
    scene.start_job()
    scene.clock.sleep(130)
    plan = fork(scene)
    killed(scene, plan, 20)
    assert record(scene).stage == "freeze"
    planned = scene.lab.plan()
    blocked = {str(action.address): {one.guard for one in action.blocked} for action in planned.actions}
    assert "under-way" in blocked["pdx/clone/try"] and "under-way" in blocked["pdx/view/try"]
    (told,) = planned.replications
    assert told.state is ReplicationState.BUSY and f"vastplan move {plan.id[:8]} is under way" in told.text
    with pytest.raises(Stopped, match="is not applied yet"):
        until_the_stop(scene, plan)
    applied(scene)
    assert scene.run(plan).phase is Phase.DONE


def test_a_newer_point_that_does_not_show_yet_holds_nothing(scene: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    declared(scene)
    found = replica_calls.arrived

    def and_one_more(*asked: Any) -> tuple[Point, ...]:
        points = found(*asked)
        return (*points, replace(points[-1], guid="came-a-moment-ago")) if points else ()

    monkeypatch.setattr(replica_calls, "arrived", and_one_more)
    with pytest.raises(Stopped, match="is not applied yet"):
        scene.run(fork(scene))
    assert record(scene).facts["final copy point"]["guid"] != "came-a-moment-ago"


def until_the_stop(scene: Theatre, plan: MovePlan) -> None:
    """Kills may have left something to wait for."""
    for _ in range(3):
        try:
            scene.run(plan)
        except Stopped as stopped:
            if "is not applied yet" in str(stopped):
                raise
            scene.pause()


def test_what_an_apply_took_on_is_not_taken_back(scene: Theatre) -> None:
    declared(scene)
    scene.start_job()
    plan = fork(scene)
    with pytest.raises(Stopped):
        scene.run(plan)
    applied(scene)
    done = scene.abort(plan)
    assert done.phase is Phase.ABORTED and "which an apply adopted" in done.facts["stays"]
    assert len(streams(scene)) == 1 and "step-0" in labels(scene)
    assert scene.lab.plan().actions == ()


def test_what_somebody_may_have_written_to_is_not_taken_back(scene: Theatre) -> None:
    declared(scene)
    plan = fork(scene)
    with pytest.raises(Stopped):
        scene.run(plan)
    policy = next(
        row["id"] for row in scene.lab.by_hand("pdx", "vast", "GET", "/api/v5/viewpolicies/") if row["name"] == "team"
    )
    body = {"path": PATH, "policy_id": policy, "tenant_id": scene.tenant["pdx"], "protocols": ["NFS"]}
    scene.lab.by_hand("pdx", "vast", "POST", "/api/v5/views/", body)
    done = scene.abort(plan)
    assert "in use by a view" in done.facts["stays"] and "step-0" in labels(scene)


def test_another_copy_of_the_name_is_left_alone(scene: Theatre) -> None:
    declared(scene)
    plan = fork(scene)
    with pytest.raises(Stopped):
        scene.run(plan)
    (stream,) = streams(scene)
    scene.lab.by_hand("pdx", "vast", "PATCH", f"/api/v5/globalsnapstreams/{stream['id']}/stop")
    scene.clock.sleep(30)
    for _ in range(3):
        streams(scene)
    assert streams(scene) == []
    snapshot = next(row for row in scene.snapshots("pdx") if row["name"] == stream["source_snapshot"])
    body = {"name": "try", "loanee_root_path": PATH, "loanee_tenant_id": scene.tenant["pdx"]}
    scene.lab.by_hand("pdx", "vast", "POST", f"/api/v5/snapshots/{snapshot['id']}/clone/", body)
    assert scene.abort(plan).phase is Phase.ABORTED
    assert len(streams(scene)) == 1 and "step-0" in labels(scene)


def test_what_is_resumed_while_it_is_copied_stops_it(scene: Theatre) -> None:
    declared(scene)
    scene.start_job()
    plan = fork(scene)
    scene.lab.world.link("iad", "pdx", up=False)
    with pytest.raises(Stopped):
        scene.run(plan)
    scene.lab.world.link("iad", "pdx", up=True)
    scene.lab.by_hand("iad", "runai", "POST", f"/api/v1/workloads/trainings/{scene.job}/resume")
    scene.clock.sleep(60)
    with pytest.raises(Stopped, match="it is no longer frozen: train is"):
        scene.run(plan)
    assert streams(scene) == []
    scene.abort(plan)


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"source": None}, "pdx/volume/try is not a clone in this document"),
    ({"source": {"volume": "home-copy", "snapshot": "good"}}, "a fork clones the restore point that it takes itself"),
    ({"source": {"volume": "home", "site": "iad"}}, "its source names a site; leave site out"),
    ({"source": {"volume": "other"}}, "its source is /team/other, not /team/home"),
)


def test_what_cannot_be_forked_is_told(scene: Theatre) -> None:
    scene.lab.sections["tenants"]["team"]["volumes"]["other"] = {
        "sites": ["pdx"],
        "path": "/team/other",
        "size": "1 TiB",
    }
    for changes, told in REFUSED:
        declared(scene, **changes)
        with pytest.raises(VastplanError, match=told):
            fork(scene)


def test_the_document_does_not_change_under_it(scene: Theatre) -> None:
    declared(scene)
    plan = fork(scene)
    with pytest.raises(Stopped):
        scene.run(plan)
    declared(scene, path="/team/elsewhere")
    with pytest.raises(VastplanError, match="the clone in the document has changed since the fork"):
        scene.run(plan)
    del scene.lab.sections["tenants"]["team"]["volumes"]["try"]
    scene.lab.write(scene.lab.sections)
    with pytest.raises(VastplanError, match="pdx/volume/try: no longer in the document"):
        scene.run(plan)
    assert scene.abort(plan).phase is Phase.ABORTED and streams(scene) == []


def test_the_commands(scene: Theatre, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    declared(scene)
    scene.start_job()
    typed = ["move", "plan", "lab.yaml", str(HOME)]
    for wrong, told in (
        (["--to", "pdx", "--live"], "--live needs --fork NAME"),
        (["--rejoin", "pdx", "--fork", "try"], "--fork NAME needs --to SITE"),
        (["--to", "pdx", "--fork", "try", "--unplanned"], "--fork NAME needs --to SITE"),
        (["--to", "iad", "--fork", "try"], "iad/volume/try is not a clone in this document"),
    ):
        assert main([*typed, *wrong]) == 1
        assert told in capsys.readouterr().err
    assert main([*typed, "--to", "pdx", "--fork", "try", "--out", "f.json", "--report", "f.html"]) == 0
    told = capsys.readouterr().out
    assert "of iad/protected_path/home at iad to try at pdx" in told and "to do it: vastplan move run f.json" in told
    page = (scene.lab.folder / "f.html").read_text()
    assert "to try at pdx" in page and "vastplan apply lab.yaml --adopt --target pdx/volume/try" in page
    assert main(["move", "run", "f.json", "--auto-approve"]) == 5
    assert "lab.yaml --adopt --target pdx/volume/try, then go on" in capsys.readouterr().err
    assert main(["apply", "lab.yaml", "--adopt", "--target", "pdx/volume/try", "--auto-approve"]) == 0
    capsys.readouterr()
    assert main(["move", "run", "f.json", "--auto-approve"]) == 0
    capsys.readouterr()
    assert main(["move", "status", "lab.yaml"]) == 0
    told = capsys.readouterr().out
    assert (
        "the branch is pdx/volume/try at /team/try, of the restore point of" in told
        and "with the workloads stopped" in told
    )
    assert f"train-m{record(scene).id} is Running at pdx" in told
