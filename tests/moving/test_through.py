"""Work that goes through global access to the other site and comes back, and what is in its way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.moving.sharing import busy, planned, stop_at, taken_back
from tests.moving.theatre import BASE, GB, HOME, Theatre, shared_theatre, sharing, theatre
from vastplan.app.move import last_moves, operation_standing, plan_move
from vastplan.app.restore import plan_restore
from vastplan.cli import main
from vastplan.model.address import Address
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.move_plan import THROUGH, UNPLANNED
from vastplan.model.operation import Phase
from vastplan.model.restore_plan import IN_PLACE
from vastplan.operations.modes.global_access import stages as through
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedMove
from vastplan.operations.wanted import WantedRestore as Restored
from vastplan.report.operations import status_text


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path) as made:
        yield made


def prefetches(scene: Theatre) -> list[dict[str, Any]]:
    return [dict(row) for row in scene.vast("pdx")._cluster.rows("_prefetches")]


def test_work_goes_there_and_comes_back_and_nothing_is_missing(scene: Theatre) -> None:
    watch = busy(scene)
    plan = planned(scene)
    assert [stage.name for stage in plan.stages] == ["look", "warm", "freeze", "read gate", "start"]
    assert not any(stage.no_return for stage in plan.stages) and plan.lose == {}
    assert "iad stays a single point of failure" in plan.loss and "every write from there crosses the WAN" in plan.loss
    done = scene.run(plan)
    watch.moved("pdx")
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"} and scene.workloads("iad") == {"train": "Stopped"}
    assert [(one["path"], one["type"], one["state"]) for one in prefetches(scene)] == [
        ("/team/home", "FULL", "COMPLETED")
    ]
    assert ("iad",) in watch.crowds and ("pdx",) in watch.crowds
    scene.enter("pdx", f"train-m{done.id}")
    scene.clock.sleep(130)
    assert scene.labels("iad")[-1] == "step-400"  # what is written at pdx is at iad
    back = planned(scene, "iad")
    assert [stage.name for stage in back.stages] == ["look", "freeze", "read gate", "start"]
    again = scene.run(back)
    watch.moved("iad")
    assert scene.workloads("iad") == {"train": "Stopped", f"train-m{again.id}": "Running"}
    assert again.term == 2 and len(prefetches(scene)) == 1


def test_it_is_not_restored_in_place_under_work_at_the_other_site(scene: Theatre) -> None:
    busy(scene)
    scene.run(planned(scene))
    before = scene.labels("iad")
    with pytest.raises(VastplanError, match="is used at other sites by global access"):
        plan_restore(scene.lab.workspace(), Restored(Address("iad", "volume", "home"), "any", IN_PLACE))
    assert scene.labels("iad") == before


def test_without_the_read_gate_work_begins_with_what_is_old(scene: Theatre) -> None:
    """The gate is what makes the difference: the test that all is there would see it."""
    watch = busy(scene)
    stages = through.stages

    def hasty(ends: through.SharedEnds) -> tuple[Any, ...]:
        return tuple(stage for stage in stages(ends) if stage.name != through.READ)

    def written() -> None:
        if "suspend" in "".join(scene.told) and "late" not in scene.labels("iad"):
            scene.write("iad", "late")

    scene.clock.watchers.append(written)
    with patch("vastplan.operations.modes.global_access.plan.stages", hasty):
        scene.run(planned(scene))
    assert watch.missing == {"late"}


def test_a_part_of_it_is_warmed_where_somebody_names_it(scene: Theatre) -> None:
    for named in ("step-9", "/team/home/step-9", "/team/home/step-9/"):
        assert planned(scene, warm=named).warm == "/team/home/step-9"
    for named in ("/team/other", "../x", "/team/homework", "a//b", "two\nlines", "x" * 2000):
        with pytest.raises(VastplanError, match="is not a directory in /team/home at pdx"):
            planned(scene, warm=named)
    with pytest.raises(VastplanError, match="iad is not one"):
        planned(scene, "iad", warm="step-9")
    plan = planned(scene, warm="step-9")
    assert "prefetch all of /team/home/step-9" in plan.stages[1].does
    done = scene.run(plan)
    assert [one["path"] for one in prefetches(scene)] == ["/team/home/step-9"]
    assert done.facts["warm"] == done.facts["warmed"]["directory"] == "/team/home/step-9"


def begun_by_somebody(scene: Theatre, kind: str = "FULL") -> None:
    path = f"/api/v5/protectedpaths/{scene.path('pdx')['id']}/prefetch_path"
    scene.lab.by_hand("pdx", "vast", "POST", path, {"path": "/team/home", "prefetch_type": kind})


def test_a_prefetch_that_runs_already_is_followed_and_not_stopped(scene: Theatre) -> None:
    scene.write("iad", "large", 1000 * GB)
    begun_by_somebody(scene)
    plan = planned(scene)
    stop_at(scene, plan, "freeze")
    assert [one["state"] for one in prefetches(scene)] == ["COMPLETED"]
    scene.write("iad", "larger", 1000 * GB)
    begun_by_somebody(scene)
    done = taken_back(scene, plan)
    assert done is not None and done.phase is Phase.ABORTED
    assert [one["state"] for one in prefetches(scene)] == ["COMPLETED", "RUNNING"]


def test_the_prefetch_of_the_move_is_stopped_with_it(scene: Theatre) -> None:
    scene.write("iad", "large", 1000 * GB)
    watch = busy(scene)
    plan = planned(scene)
    stop_at(scene, plan, "warm", "waits: prefetch 1 is RUNNING, about 0 %")
    assert len(watch.running()) == 1
    assert taken_back(scene, plan) is not None
    watch.stayed()


def test_one_that_takes_too_long_stops_and_is_followed_when_it_goes_on(scene: Theatre) -> None:
    scene.write("iad", "large", 1000 * GB)
    scene.lab.world.link("iad", "pdx", bandwidth=2e8)
    plan = planned(scene)
    with pytest.raises(Stopped, match=r"did not hold within 3600 s: prefetch 1 is RUNNING, about 70 %"):
        scene.run(plan)
    assert scene.run(plan).phase is Phase.DONE and len(prefetches(scene)) == 1


def test_a_satellite_that_is_away_while_it_is_warmed_does_not_hold_the_abort(scene: Theatre) -> None:
    scene.write("iad", "large", 1000 * GB)
    plan = planned(scene)
    stop_at(scene, plan, "warm", "waits: prefetch 1")
    scene.lab.world.lose("pdx", power=True)
    done = taken_back(scene, plan)
    assert done is not None and done.facts["prefetch left"] == "prefetch 1 may still be running at pdx"
    assert "prefetch 1 may still be running at pdx" in status_text(done)


def test_a_prefetch_that_fails_or_brings_names_only_is_begun_again(scene: Theatre) -> None:
    scene.write("iad", "large", 100 * GB)
    plan = planned(scene)
    cut: list[str] = []

    def cutting() -> None:
        if "RUNNING" in "".join(scene.told) and not cut:
            cut.append("x")
            scene.lab.world.link("iad", "pdx", up=False)

    scene.clock.watchers.append(cutting)
    with pytest.raises(Stopped, match="prefetch 1 at pdx is FAILED; going on starts another one"):
        scene.run(plan)
    scene.lab.world.link("iad", "pdx", up=True)
    scene.clock.sleep(120)
    done = scene.run(plan)
    assert done.phase is Phase.DONE and [one.call for one in done.of("warm")] == ["prefetch", "prefetch 2"]


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_runner_with_another_clock_than_the_one_that_froze_waits_for_the_whole_lease(
    scene: Theatre, hours: int
) -> None:
    busy(scene)

    def another_clock() -> None:
        if "the lease of" in "".join(scene.told):
            scene.clock.ahead = timedelta(hours=hours)

    scene.clock.watchers.append(another_clock)
    done = scene.run(planned(scene))
    assert done.phase is Phase.DONE
    submitted = datetime.fromisoformat(done.of("start")[-1].at) - scene.clock.ahead
    assert (submitted - datetime.fromisoformat(done.facts["frozen_at"])).total_seconds() >= done.facts["lease"]


def test_something_that_writes_in_the_wait_stops_it_before_anything_is_submitted(scene: Theatre) -> None:
    watch = busy(scene)
    plan = planned(scene)
    late: list[str] = []

    def writing() -> None:
        if "the lease of" in "".join(scene.told) and not late:
            late.append("x")
            scene.write("pdx", "by-somebody")

    scene.clock.watchers.append(writing)
    with pytest.raises(Stopped, match="stopped at stage start: iad was written to since the freeze") as stop:
        scene.run(plan)
    assert "iad has the data (SOURCE), pdx reads and writes the data of iad (DESTINATION)" in str(stop.value)
    assert "its workloads are suspended at iad" in str(stop.value)
    assert scene.workloads("pdx") == {}
    taken_back(scene, plan)
    watch.stayed()
    assert "by-somebody" in scene.labels("iad")


def test_a_satellite_that_is_away_does_not_keep_work_from_going_on_where_it_was(scene: Theatre) -> None:
    watch = busy(scene)
    plan = planned(scene)
    stop_at(scene, plan, "start")
    assert scene.workloads("iad") == {"train": "Stopped"}
    scene.clock.watchers.clear()
    scene.lab.world.lose("pdx", power=True)
    done = taken_back(scene, plan)
    assert done is not None and done.phase is Phase.ABORTED
    scene.lab.world.find("pdx")
    scene.clock.sleep(60)
    watch.stayed()


@pytest.mark.parametrize("stage", ["warm", "freeze", "read gate", "start"])
def test_it_is_taken_back_at_each_stage(scene: Theatre, stage: str) -> None:
    watch = busy(scene)
    plan = planned(scene)
    stop_at(scene, plan, stage)
    with pytest.raises(VastplanError, match=f"the move {plan.id[:8]} to pdx is under way"):
        planned(scene)
    done = taken_back(scene, plan)
    assert done is not None and done.phase is Phase.ABORTED
    watch.stayed()
    with pytest.raises(Stale, match="was taken back; plan another one"):
        scene.run(plan)


def test_what_was_submitted_is_stopped_and_stays(scene: Theatre) -> None:
    watch = busy(scene)
    plan = planned(scene)
    started: list[str] = []

    def fails() -> None:
        if scene.workloads("pdx"):
            started.append("x")
            raise VastplanError("stopped here")

    scene.clock.watchers.append(fails)
    with pytest.raises(VastplanError, match="stopped here"):
        scene.run(plan)
    scene.clock.watchers.remove(fails)
    taken_back(scene, plan)
    watch.stayed()
    assert scene.workloads("pdx") == {f"train-m{plan.id[:8]}": "Stopped"}
    (one,) = last_moves(scene.lab.workspace())
    assert operation_standing(scene.lab.workspace(), one) == (
        "now: iad has the data (SOURCE), pdx reads and writes the data of iad (DESTINATION)",
    )
    assert scene.labels("iad") == scene.labels("pdx") or set(scene.labels("pdx")) < set(scene.labels("iad"))


WAN = {"pdx": {"capability": {"wan_bw_mbps": {"iad": "1 GB/s"}}}}


@pytest.mark.parametrize(
    ("checkpoint", "wan", "told"),
    [
        ({"size": "980 GB", "interval": "5m", "mode": "sync"}, True, "cannot be used from pdx: writing a checkpoint over the WAN takes longer"),
        ({"size": "980 GB", "interval": "30m", "mode": "sync"}, True, "980 GB take 16.3 min at 1 GB/s (sync"),
        ({"size": "980 GB", "interval": "5m", "mode": "async", "staging_per_rank": "10 GB/s"}, True, "(async: workloads keep running); one is written every 5 min"),
        ({"size": "980 GB", "event": "each epoch", "mode": "sync"}, True, "the interval is unknown"),
        ({"size": "980 GB", "interval": "5m", "mode": "sync"}, False, "unknown: sites.pdx.capability.wan_bw_mbps.iad is not given"),
    ],
)  # fmt: skip
def test_what_a_checkpoint_costs_is_told_and_one_that_is_never_done_refused(
    scene: Theatre, checkpoint: dict[str, Any], wan: bool, told: str
) -> None:
    sections = sharing(checkpoint={"keep_last": 2, **checkpoint})
    scene.lab.told = WAN if wan else {}
    scene.lab.write(sections)
    if "cannot be used" in told:
        with pytest.raises(VastplanError, match=told):
            planned(scene)
        assert planned(scene, "iad").mode == THROUGH  # what is at iad crosses nothing
        return
    facts = {fact.name: fact.value for fact in planned(scene).evidence}
    assert told in facts["a checkpoint over the WAN"]


def test_what_is_shared_otherwise_or_not_good_is_refused(scene: Theatre) -> None:
    for wanted in (WantedMove(HOME, "pdx"), WantedMove(HOME, "pdx", UNPLANNED, "broken")):
        with pytest.raises(VastplanError, match=r"so its roles cannot change \(run its workloads at pdx"):
            plan_move(scene.lab.workspace(), wanted, scene.clock)
    with scene.lab.world.lock:
        row = next(scene.vast("pdx")._cluster.rows("protectedpaths"))
        scene.vast("pdx")._cluster.put("protectedpaths", {**row, "capabilities": "ASYNC_REPLICATION"})
    with pytest.raises(VastplanError, match="pdx does not say that it is shared by global access"):
        planned(scene)
    with scene.lab.world.lock:
        scene.vast("pdx")._cluster.put("protectedpaths", row)
    scene.lab.world.link("iad", "pdx", up=False)
    scene.clock.sleep(60)
    with pytest.raises(VastplanError, match="cannot be used from pdx"):
        planned(scene)


def test_a_lease_that_nobody_tells_is_not_guessed(scene: Theatre) -> None:
    with scene.lab.world.lock:
        for site in ("iad", "pdx"):
            row = next(scene.vast(site)._cluster.rows("protectedpaths"))
            scene.vast(site)._cluster.put("protectedpaths", {**row, "lease_expiry_time": 0})
    with pytest.raises(VastplanError, match="neither side reports a lease"):
        planned(scene)


def test_a_longer_lease_of_one_side_is_waited_for(scene: Theatre) -> None:
    with scene.lab.world.lock:
        row = next(scene.vast("pdx")._cluster.rows("protectedpaths"))
        scene.vast("pdx")._cluster.put("protectedpaths", {**row, "lease_expiry_time": 900})
    watch = busy(scene)
    done = scene.run(planned(scene))
    watch.moved("pdx")
    assert done.facts["lease"] == 900 and scene.clock.passed > 1000


def test_what_replicates_goes_another_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "x")
    with theatre(tmp_path) as other, pytest.raises(VastplanError, match="is not shared by global access"):
        planned(other)


def test_without_workloads_it_warms_and_waits_and_says_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "x")
    view = {
        "sites": ["iad", "pdx"], "active": "iad", "path": "/team/home", "quota": {"hard_limit": "1 TiB"},
        "global_access": {"at": ["pdx"], "lease": "5m"},
    }  # fmt: skip
    team = {name: BASE["tenants"]["team"][name] for name in ("vip_pool", "view_policy")}
    sections = {name: BASE[name] for name in ("vip_pools", "replication_peers")}
    with shared_theatre(
        tmp_path, ("vast",), {**sections, "tenants": {"team": {**team, "views": {"home": view}}}}
    ) as scene:
        plan = plan_move(scene.lab.workspace(), WantedMove(HOME._replace(kind="view"), "pdx", THROUGH), scene.clock)
        assert any("start it at pdx after the move, not earlier" in line for line in plan.by_hand)
        done = scene.run(plan)
        assert done.phase is Phase.DONE and done.facts["started"] == {} and len(prefetches(scene)) == 1
        assert scene.clock.passed > 300


def test_work_at_the_satellite_is_told_and_left_alone(scene: Theatre) -> None:
    with scene.lab.world.lock:
        scene.runai("pdx").submit("team", "serving", gpus=1, claim_names=["home"])
    plan = planned(scene)
    facts = {fact.name: fact.value for fact in plan.evidence}
    assert facts["workload at pdx"] == "serving, Running: not changed" and plan.jobs == ()
    scene.run(plan)
    assert scene.workloads("pdx") == {"serving": "Running"}


def test_a_document_that_lets_the_satellite_read_only_says_so(scene: Theatre) -> None:
    scene.lab.write(sharing(access={"pdx": "read"}))
    assert any("lets pdx only read it" in line for line in planned(scene).by_hand)


def test_the_commands(scene: Theatre, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setattr("vastplan.cli.operation.now", scene.clock.now)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    typed = ["move", "plan", "lab.yaml", str(HOME), "--to", "pdx"]
    for wrong in (["--warm", "x"], ["--through-global-access", "--unplanned"]):
        assert main([*typed, *wrong]) == 1
    told = capsys.readouterr().err
    assert "--warm DIR needs --through-global-access" in told and "cannot be combined with --unplanned" in told
    with pytest.raises(SystemExit):
        main([*typed, "--through-global-access", "--warm", ""])
    assert "--warm: is empty" in capsys.readouterr().err
    assert main([*typed, "--through-global-access"]) == 0
    assert "not saved (to carry it out, first type the same command with --out FILE)" in capsys.readouterr().err
    files = ["--out", "move.json", "--report", "move.html"]
    assert main([*typed, "--through-global-access", "--warm", "/team/home", *files]) == 0
    told = capsys.readouterr().out
    assert "iad stays a single point of failure" in told and "to do it: vastplan move run move.json\n" in told
    page = (scene.lab.folder / "move.html").read_text()
    assert "The point of no return" not in page and "iad stays a single point of failure" in page
    assert json.loads((scene.lab.folder / "move.json").read_text())["warm"] == "/team/home"
    assert main(["move", "run", "move.json", "--auto-approve"]) == 0
    told = capsys.readouterr().out
    assert "/team/home was prefetched at pdx" in told and "--to iad --through-global-access" in told
    assert main(["move", "status", "lab.yaml", "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["phase"], one["mode"]) == ("done", "through-global-access")
    assert one["standing"] == ["now: iad has the data (SOURCE), pdx reads and writes the data of iad (DESTINATION)"]
    assert main(["move", "abort", "lab.yaml", one["id"], "--auto-approve"]) == 1
    assert "has ended (done)" in capsys.readouterr().err


def test_an_apply_leaves_it_alone_meanwhile(scene: Theatre) -> None:
    plan = planned(scene)
    stop_at(scene, plan, "read gate")
    scene.lab.write(sharing(size="11 TiB"))
    blocked = {str(action.address) for action in scene.lab.plan().actions if action.blocked}
    assert {"iad/quota/home", "pdx/quota/home"} <= blocked


def test_other_assumptions_of_a_prefetch(scene: Theatre) -> None:
    """One of what is prefetched already may be taken, too."""
    cluster = scene.vast("pdx")._cluster
    cluster.assumed = replace(cluster.assumed, answers={"prefetch of what is prefetched": 200})
    scene.write("iad", "large", 100 * GB)
    begun_by_somebody(scene)
    assert scene.run(planned(scene)).phase is Phase.DONE and len(prefetches(scene)) == 1
