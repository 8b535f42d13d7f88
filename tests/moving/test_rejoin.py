"""A site that comes back after it was given up: it is attached again, and what only it had is in a snapshot."""

from __future__ import annotations

import json

import pytest

from tests.moving.matrix import Judge
from tests.moving.test_unplanned import lost
from tests.moving.theatre import Theatre
from vastplan.app.move import abort_move
from vastplan.cli import main
from vastplan.model.errors import VastplanError
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


def test_a_site_that_is_back_follows_and_its_branch_is_in_a_snapshot(scene: Theatre) -> None:
    here = split(scene)
    plan = scene.plan(mode="rejoin")
    assert [stage.name for stage in plan.stages if stage.no_return] == ["attach"]
    assert "all that was written at iad since" in plan.loss and plan.lose["created"] in plan.loss
    done = scene.run(plan)
    assert done.phase is Phase.DONE and scene.roles() == ("DESTINATION", "SOURCE")
    assert scene.labels("iad") == scene.labels("pdx") == here
    branch = done.facts["branch"]
    assert branch["site"] == "iad" and scene.labels_of_snapshot("iad", branch["name"])[-2:] == ["late", "of-iad"]
    assert scene.run(plan) == done


@pytest.mark.slow
def test_then_the_way_back_is_an_ordinary_move(scene: Theatre) -> None:
    split(scene)
    scene.run(scene.plan(mode="rejoin"))
    judge = Judge(scene)
    done = scene.run(scene.plan("iad"))
    assert (done.mode, done.source, done.target, done.phase) == ("planned", "pdx", "iad", Phase.DONE)
    assert scene.roles() == ("SOURCE", "DESTINATION")
    assert scene.labels("iad")[-1] == "of-pdx"
    assert max(map(len, judge.crowds)) <= 1


@pytest.mark.slow
def test_the_site_that_took_over_can_be_the_one_that_was_wrong(scene: Theatre) -> None:
    split(scene)
    there = scene.labels("iad")
    done = scene.run(scene.plan("iad", mode="keep"))
    assert done.phase is Phase.DONE and scene.roles() == ("SOURCE", "DESTINATION")
    assert scene.labels("iad") == scene.labels("pdx") == there
    assert scene.labels_of_snapshot("pdx", done.facts["branch"]["name"])[-1] == "of-pdx"


@pytest.mark.slow
def test_work_at_the_site_that_is_back_is_stopped_first_and_stays_stopped(scene: Theatre) -> None:
    scene.start_job()
    split(scene)
    scene.clock.sleep(120)
    plan = scene.plan(mode="rejoin")
    assert [job["name"] for job in plan.jobs] == ["train"]
    done = scene.run(plan)
    assert scene.workloads("iad") == {"train": "Stopped"} and scene.workloads("pdx") == {}
    assert set(scene.labels("iad")) < set(scene.labels_of_snapshot("iad", done.facts["branch"]["name"])) | {"of-pdx"}


@pytest.mark.slow
def test_what_follows_already_and_what_is_being_changed_is_not_attached(scene: Theatre) -> None:
    with pytest.raises(VastplanError, match="both sides have to be SOURCE or STANDALONE"):
        scene.plan(mode="rejoin")
    lost(scene)
    scene.run(scene.plan(mode="unplanned"))
    with pytest.raises(VastplanError):
        scene.plan(mode="rejoin")
    scene.lab.world.find("iad")
    scene.clock.sleep(60)
    with pytest.raises(VastplanError, match="iad has to be SOURCE; it is STANDALONE"):
        scene.plan("iad", mode="rejoin")
    scene.run(scene.plan(mode="rejoin"))
    with pytest.raises(VastplanError, match="iad is already the destination of pdx"):
        scene.plan(mode="rejoin")


@pytest.mark.slow
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
    done = scene.abort(plan)
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
            cluster.remove("replicationrestorepoints", row)
    with pytest.raises(Stopped, match=f"would go back to .*, not to {plan.lose['guid']}"):
        scene.run(plan)
    assert scene.roles() == ("STANDALONE", "SOURCE")
    assert scene.labels("iad")[-1] == "of-iad"


@pytest.mark.slow
def test_it_is_told_by_a_plan_by_drift_and_by_status_and_typed(
    scene: Theatre, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    split(scene)
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    monkeypatch.setattr("vastplan.cli.operation.now", scene.clock.now)
    way = "vastplan move plan {} iad/protected_path/home --rejoin iad"
    assert main(["plan", "lab.yaml"]) in (0, 2)
    assert way.format("PATH") in " ".join(capsys.readouterr().out.split())
    main(["drift", "lab.yaml"])
    assert way.format("PATH") in " ".join(capsys.readouterr().out.split())
    assert main(["move", "status", "lab.yaml"]) == 0
    told = capsys.readouterr().out
    assert (
        "iad may write (STANDALONE), pdx may write (SOURCE)" in told
        and way.format("lab.yaml").replace("move plan", "move run") in told
    )
    typed = way.format("lab.yaml").split()[1:]
    assert main([*typed, "--unplanned"]) == 1
    assert "--unplanned needs --to SITE" in capsys.readouterr().err
    assert main([*typed[:-1], "mars"]) == 1
    assert "no site mars; known: iad, pdx" in capsys.readouterr().err
    assert main([*typed, "--out", "move.json"]) == 0
    told = capsys.readouterr().out
    guid = scene.plan(mode="rejoin").lose["guid"]
    assert (
        f"to do it: vastplan move run move.json --lose {guid}" in told
        and "pdx is kept, and iad becomes its destination" in told
    )
    assert main(["move", "run", "move.json", "--auto-approve"]) == 1
    assert "; consent to it: " in capsys.readouterr().err
    assert main(["move", "run", "move.json", "--auto-approve", "--lose", guid]) == 0
    told = capsys.readouterr().out
    assert "what only iad had is in its snapshot vastplan-" in told
    assert main(["move", "status", "lab.yaml", "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one["standing"] == ["now: iad may not write (DESTINATION), pdx may write (SOURCE)"]
