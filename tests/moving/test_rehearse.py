"""The rehearsal: a move is tried on a clone at the target. No role changes, nothing stops at the source, and all that was made goes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.moving.matrix import killed
from tests.moving.rehearsing import Watched, live, record, rehearse, things
from tests.moving.theatre import BASE, HOME, Theatre, shared_theatre
from vastplan.app.drift import find_drift
from vastplan.app.drifting.rehearsal_objects import made_by_rehearsals
from vastplan.app.move import plan_move, run_move
from vastplan.cli import main
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Operation, Outcome, Phase
from vastplan.operations.clients import Clients
from vastplan.operations.modes.rehearsal import stages
from vastplan.operations.run import Stopped, Unknown
from vastplan.operations.stage import Gate, Holds
from vastplan.operations.wanted import WantedMove
from vastplan.report.drift import drift_text
from vastplan.report.operations import move_text, status_text
from vastplan.report.text import Style
from vastplan.sim.runai import workloads
from vastplan.sim.runai.context import Context

STAGES = ["look", "clone", "mount", "try", "end work", "unmount", "remove"]


@contextmanager
def _finishing(ctx: Context, finish: Any) -> Iterator[None]:
    """A plane's workloads end in `finish`."""
    true = ctx.finishes
    object.__setattr__(ctx, "finishes", {**true, "workload": finish})
    try:
        yield
    finally:
        object.__setattr__(ctx, "finishes", true)


def settled_as(scene: Theatre, phase: str, message: str = "") -> Any:
    """What is submitted at pdx comes to this, and not to run."""
    true = workloads.finish_phase

    def finish(ctx: Any, row: Any, goal: str) -> None:
        if goal == "Running" and ctx.sides is scene.runai("pdx")._ctx.sides:
            goal = phase
        true(ctx, row, goal)

    view = workloads._view
    return (
        _finishing(scene.runai("pdx")._ctx, finish),
        patch.object(workloads, "_view", lambda ctx, row: view(ctx, row) | {"phaseMessage": message}),
    )


def test_a_move_is_tried_and_nothing_is_left(scene: Theatre) -> None:
    watched = Watched(scene)
    plan = watched.plan
    assert [stage.name for stage in plan.stages] == STAGES and not any(stage.no_return for stage in plan.stages)
    assert plan.loss == "nothing" and plan.lose == {}
    facts = {fact.name: fact.value for fact in plan.evidence}
    assert "s old" in facts["pdx newest restore point"] or "min old" in facts["pdx newest restore point"]
    assert facts["schedule"] == "every 60 min, so at most 3 h old"
    assert "tried with at most one GPU" in facts["workload train"]
    seen: list[dict[str, Any]] = []

    def look() -> None:
        if f"train-r{plan.id[:8]}" in live(scene, "pdx") and not seen:
            claim = watched.claim()
            volume = scene.lab.by_hand(
                "pdx", "kubernetes", "GET", f"/api/v1/persistentvolumes/{claim['metadata']['name']}"
            )
            with scene.lab.world.lock:
                rows = {row["path"]: dict(row) for row in scene.vast("pdx")._cluster.rows("views")}
                (view,) = [row for path, row in rows.items() if "rehearsal" in path]
                copied = scene.vast("pdx").labels(view["path"], tenant_id=scene.tenant["pdx"])
            seen.extend((claim, volume, view, rows["/team/home"], {"labels": copied}))

    scene.clock.watchers.append(look)
    done = scene.run(plan)
    assert done.phase is Phase.DONE and list(done.passed) == STAGES and scene.run(plan) == done
    claim, volume, view, twin, copied = seen
    directory = f"/team/home.rehearsal-{done.id}"
    assert view["path"] == directory and view["protocols"] == ["NFS"]
    assert view["policy_id"] == twin["policy_id"] and view["tenant_id"] == twin["tenant_id"]
    assert claim["metadata"]["labels"] == volume["metadata"]["labels"] == {"vastplan.move": done.id}
    assert claim["status"]["phase"] == "Bound" and claim["spec"]["volumeName"] == volume["metadata"]["name"]
    assert volume["spec"]["csi"]["volumeHandle"] == directory
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert copied["labels"] == watched.labels and "step-0" in watched.labels
    assert watched.small == {1.0}
    watched.gone()
    assert scene.lab.plan().actions == ()


def test_the_record_holds_how_long_it_took_and_what_came_of_it(scene: Theatre) -> None:
    watched = Watched(scene)
    assert "last rehearsal: none" in move_text(scene.plan(), "")
    done = scene.run(watched.plan)
    took = done.facts["measured"]
    assert list(took) == STAGES and all(isinstance(seconds, int) for seconds in took.values()) and took["try"] > 0
    (came,) = done.facts["came"].values()
    assert came["name"] == f"train-r{done.id}" and came["phase"] == "Running" and 0 < came["seconds"] <= took["try"] + 1
    assert done.facts["point"]["age"] >= 0
    told = status_text(watched.recorded(Phase.DONE))
    assert f"train-r{done.id} was Running after {came['seconds']} s" in told
    assert f"together {sum(took.values())} s" in told
    for mode, broken in (("planned", ""), ("unplanned", "it burns")):
        facts = {fact.name: fact.value for fact in scene.plan(mode=mode, broken=broken).evidence}
        assert f"in {sum(took.values())} s: train-r{done.id} Running" in facts["last rehearsal"]
        assert facts["last rehearsal"].startswith(done.began)


def test_a_move_after_it_is_as_any_other(scene: Theatre) -> None:
    watched = Watched(scene)
    scene.run(watched.plan)
    scene.clock.watchers.clear()
    done = scene.run(scene.plan())
    assert done.phase is Phase.DONE and scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    with pytest.raises(VastplanError, match="pdx has to be DESTINATION; it is SOURCE"):
        rehearse(scene)


@pytest.mark.parametrize(("phase", "message"), [("Failed", "image \x1b[31mnot found"), ("Pending", "no GPUs are free")])
def test_what_does_not_run_is_a_finding_and_is_removed(scene: Theatre, phase: str, message: str) -> None:
    watched = Watched(scene)
    ends, says = settled_as(scene, phase, message)
    with ends, says:
        done = scene.run(watched.plan)
    (came,) = done.facts["came"].values()
    assert done.phase is Phase.DONE and (came["phase"], came["says"]) == (phase, message)
    assert came["seconds"] >= 600 if phase == "Pending" else came["seconds"] < 60
    told = status_text(done)
    assert f"was {phase} after" in told and "\x1b" not in told
    watched.gone()


def test_what_is_refused_is_a_finding_too(scene: Theatre) -> None:
    watched = Watched(scene)
    true = workloads.submit_workload

    def submit(ctx: Any, *asked: Any, **more: Any) -> str:
        if ctx.sides is scene.runai("pdx")._ctx.sides:
            raise ValueError("not in this project")
        return true(ctx, *asked, **more)

    with patch.object(workloads, "submit_workload", submit):
        done = scene.run(watched.plan)
    (came,) = done.facts["came"].values()
    assert done.phase is Phase.DONE and came["phase"] == "refused" and "400" in came["says"]
    watched.gone()


def test_a_workload_that_has_ended_meanwhile_is_not_tried(scene: Theatre) -> None:
    watched = Watched(scene)

    def end() -> None:
        if any("mount" in line for line in scene.told) and live(scene, "iad"):
            with scene.lab.world.lock:
                scene.runai("iad").end(scene.job)

    scene.clock.watchers[:] = [end]
    done = scene.run(watched.plan)
    (came,) = done.facts["came"].values()
    assert done.phase is Phase.DONE and came["phase"] == "not submitted" and things(scene) == watched.before


def test_what_mounts_another_claim_is_not_tried_and_named(scene: Theatre) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "both", gpus=1, claim_names=["home", "scratch"])
    watched = Watched(scene)
    assert "workload both is not submitted at pdx: it mounts scratch as well" in "\n".join(watched.plan.by_hand)
    done = scene.run(watched.plan)
    assert [one["name"] for one in done.facts["came"].values()] == [f"train-r{done.id}"]
    assert things(scene) == watched.before
    assert "  both was not tried: it mounts scratch as well\n" in status_text(done)
    facts = {name: fact for name, fact in done.facts.items() if name != "not tried"}
    assert "  both was not tried\n" in status_text(replace(done, facts=facts))  # as older records have it
    later = {fact.name: fact.value for fact in scene.plan().evidence}
    assert later["last rehearsal"].endswith(f"train-r{done.id} Running, both not tried")


def test_a_distributed_one_has_one_worker(scene: Theatre) -> None:
    watched = Watched(scene, work=False)
    with scene.lab.world.lock:
        key = scene.runai("iad").submit("team", "wide", gpus=8, claim_names=["home"], type="Distributed")
        row = scene.runai("iad")._ctx.need("workload", key)
        storage = {"pvc": [{"existingPvc": True, "claimName": "home", "path": "/home"}]}
        part = {"image": "i", "compute": {"gpuDevicesRequest": 8}, "storage": storage}
        row["asked"] = {"spec": {**part, "numWorkers": 4, "slotsPerWorker": 8}, "masterSpec": part}
        scene.runai("iad")._ctx.put("workload", row)
    plan = rehearse(scene)
    asked: list[dict[str, Any]] = []

    def look() -> None:
        rows = [row for row in workloads.live_workloads(scene.runai("pdx")._ctx) if "asked" in row]
        asked.extend(copy.deepcopy(row["asked"]) for row in rows)

    scene.clock.watchers.append(look)
    done = scene.run(plan)
    assert done.phase is Phase.DONE and things(scene) == watched.before
    assert asked[0]["spec"]["numWorkers"] == 1 and "slotsPerWorker" not in asked[0]["spec"]
    assert [asked[0][name]["compute"]["gpuDevicesRequest"] for name in ("spec", "masterSpec")] == [1, 1]
    mounted = [asked[0][name]["storage"]["pvc"][0]["claimName"] for name in ("spec", "masterSpec")]
    assert mounted == [f"home-rehearsal-{done.id}"] * 2


def test_a_source_whose_storage_is_silent_is_no_reason_not_to(scene: Theatre) -> None:
    watched = Watched(scene)
    with scene.lab.world.lock:
        scene.lab.world.sites["iad"].servers["vast"].stop()
    plan = rehearse(scene)
    done = scene.run(plan)
    assert done.phase is Phase.DONE and live(scene, "pdx") == {} and watched.phases <= {"Running"}


def test_a_target_that_is_away_is_named_with_what_goes_on(scene: Theatre) -> None:
    plan = rehearse(scene)
    killed(scene, plan, 60)
    with scene.lab.world.lock:
        scene.lab.world.sites["pdx"].servers["vast"].stop()
    with pytest.raises(Unknown, match=r"needed cannot be read: .*\ngo on when it answers: vastplan move run FILE"):
        run_move(scene.lab.workspace(), plan, scene.told.append, "vastplan move run FILE", scene.clock)
    with pytest.raises(Unknown, match=rf"go on when it answers: vastplan move abort .* {plan.id[:8]}") as away:
        scene.abort(plan)
    assert away.value.exit_code == 6


def test_old_points_prove_nothing(scene: Theatre) -> None:
    watched = Watched(scene)
    scene.lab.world.link("iad", "pdx", up=False)
    scene.clock.watchers.clear()
    scene.clock.sleep(3 * 3600 + 600)
    with pytest.raises(
        VastplanError,
        match=r"cannot be rehearsed: the newest restore point at pdx, of .* the schedule takes one every 3600 s",
    ):
        rehearse(scene)
    assert things(scene) == watched.before


@pytest.mark.parametrize("hours", [-9, 9])
def test_the_age_of_a_point_is_by_the_clock_of_its_cluster(
    scene: Theatre, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """A machine whose clock is wrong neither takes what is too old nor refuses what is not."""
    Watched(scene, work=False)
    true = scene.clock.now
    monkeypatch.setattr(scene.clock, "now", lambda: true() + timedelta(hours=hours))
    facts = {fact.name: fact.value for fact in rehearse(scene).evidence}
    assert facts["pdx newest restore point"].endswith(" s old")
    way = "behind" if hours > 0 else "ahead of"
    assert facts["iad clock"] == f"9 h {way} the clock of this machine; ages are by it"
    assert facts["pdx clock"] == f"9 h {way} the clock of this machine"
    done = scene.run(rehearse(scene))
    assert 30 <= done.facts["point"]["age"] < 60
    scene.lab.world.link("iad", "pdx", up=False)
    scene.clock.watchers.clear()
    scene.clock.sleep(3 * 3600 + 600)
    with pytest.raises(
        VastplanError,
        match=r"s old by the clock of iad: too old for a rehearsal, as the schedule takes one every 3600 s",
    ):
        rehearse(scene)


def test_where_no_cluster_tells_its_clock_that_is_said(scene: Theatre) -> None:
    Watched(scene, work=False)
    with patch("vastplan.systems.transport._date", lambda _: None):
        facts = {fact.name: fact.value for fact in rehearse(scene).evidence}
    assert facts["clock"] == "no cluster reports its time: ages are by the clock of this machine"
    assert not {"iad clock", "pdx clock"} & {*facts, *(fact.name for fact in rehearse(scene).evidence)}


@pytest.mark.parametrize("stage", STAGES)
def test_one_that_is_given_up_leaves_nothing(scene: Theatre, stage: str) -> None:
    watched = Watched(scene)
    true = stages.stages

    def stuck(ends: Any) -> Any:
        never = Gate(Holds.NEVER, "stuck here")
        return tuple(replace(one, gate=lambda _: never) if one.name == stage else one for one in true(ends))

    with (
        patch("vastplan.operations.modes.rehearsal.plan.stages", stuck),
        pytest.raises(Stopped, match=f"stopped at stage {stage}: stuck here"),
    ):
        scene.run(watched.plan)
    with pytest.raises(VastplanError, match=f"the move {watched.plan.id[:8]} to pdx is under way"):
        scene.plan()
    with pytest.raises(VastplanError, match="is under way"):
        rehearse(scene)
    assert scene.abort(watched.plan).phase is Phase.ABORTED
    watched.gone()
    watched.recorded(Phase.ABORTED)
    facts = {fact.name: fact.value for fact in scene.plan().evidence}
    assert facts["last rehearsal"].endswith(": given up")


@pytest.mark.parametrize("gives_up", [False, True])
def test_what_a_pod_still_mounts_keeps_its_view_and_its_copy(scene: Theatre, gives_up: bool) -> None:
    watched = Watched(scene)
    short, pods = watched.plan.id[:8], "/api/v1/namespaces/runai-team/pods"
    claim = {"persistentVolumeClaim": {"claimName": f"home-rehearsal-{short}"}}
    spec = {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "v", **claim}]}
    made: list[str] = []

    def enter() -> None:
        if not made and f"train-r{short}" in live(scene, "pdx"):
            made.append("shell")
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shell", "namespace": "runai-team"}}
            scene.lab.by_hand("pdx", "kubernetes", "POST", pods, {**pod, "spec": spec})

    scene.clock.watchers.append(enter)

    def run() -> Operation:
        return scene.abort(watched.plan) if gives_up else scene.run(watched.plan)

    if gives_up:
        stuck = patch("vastplan.operations.modes.rehearsal.removal.ended", return_value=Gate(Holds.NEVER, "stuck"))
        with stuck, pytest.raises(Stopped, match="stuck"):
            scene.run(watched.plan)
    with pytest.raises(Stopped, match="not deleted yet: the claim runai-team/home-rehearsal"):
        run()
    there = things(scene)
    assert f"/team/home.rehearsal-{short}" in there["views"] and there["streams"] == [f"home-rehearsal-{short}"]
    scene.lab.by_hand("pdx", "kubernetes", "DELETE", f"{pods}/shell")
    assert run().phase is (Phase.ABORTED if gives_up else Phase.DONE)
    watched.gone()


def test_a_move_that_is_under_way_refuses_it(scene: Theatre) -> None:
    scene.start_job()
    plan = scene.plan()
    scene.lab.world.link("iad", "pdx", up=False)
    with pytest.raises(Stopped):
        scene.run(plan)
    with pytest.raises(VastplanError, match=f"the move {plan.id[:8]} to pdx is under way"):
        rehearse(scene)


def _somebody_s(scene: Theatre, id: str) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """By the stage that it stands in the way of: what somebody else makes, of the very name."""
    (policy,) = {
        row["id"] for row in scene.lab.by_hand("pdx", "vast", "GET", "/api/v5/viewpolicies/") if row["name"] == "team"
    }
    name, namespace = f"home-rehearsal-{id}", "/api/v1/namespaces/runai-team/persistentvolumeclaims"
    volume = {
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "persistentVolumeReclaimPolicy": "Retain",
            "csi": {"driver": "csi.vastdata.com", "volumeHandle": "/theirs"},
        },
    }  # fmt: skip
    claim = {
        "metadata": {"name": name, "labels": {"vastplan.move": "another"}},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "",
            "volumeName": "x",
        },
    }
    view = {
        "path": f"/team/home.rehearsal-{id}",
        "policy_id": policy,
        "tenant_id": scene.tenant["pdx"],
        "create_dir": True,
    }
    return {
        "view": ("vast", "/api/v5/views/", view),
        "volume": ("kubernetes", "/api/v1/persistentvolumes", volume),
        "claim": ("kubernetes", namespace, claim),
    }


def theirs(scene: Theatre, short: str) -> int:
    """How many objects with the name of a rehearsal drift counts as nobody's."""
    scene.lab._tokens.clear()
    return sum(short in one.name for one in find_drift(scene.lab.workspace(), None).drift.unmanaged)


def test_what_it_has_made_is_told_as_its_own_while_it_is_under_way(scene: Theatre) -> None:
    watched = Watched(scene)
    short = watched.plan.id[:8]
    with (
        patch("vastplan.operations.modes.rehearsal.stages._came", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        scene.run(watched.plan)
    drift = find_drift(scene.lab.workspace(), None).drift
    by = f"vastplan move rehearsal {short}"
    assert {(one.site, one.kind): one.count for one in drift.made if one.by == by} == {
        ("pdx", "persistent_volume"): 1, ("pdx", "persistent_volume_claim"): 1, ("pdx", "view"): 1,
    }  # fmt: skip
    assert theirs(scene, short) == 0
    assert f"Created by {by}, and not counted: 3 objects." in drift_text(drift, Style(colour=False))
    scene.abort(watched.plan)
    assert not [one for one in find_drift(scene.lab.workspace(), None).drift.made if "rehearsal" in one.by]


def test_only_what_is_known_to_be_made_is_a_rehearsal_s(scene: Theatre) -> None:
    watched = Watched(scene)
    with (
        patch("vastplan.operations.modes.rehearsal.stages._came", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        scene.run(watched.plan)
    one = record(scene)
    assert {kind for _, kind, _ in made_by_rehearsals([one])} == {
        "clone", "view", "persistent_volume", "persistent_volume_claim",
    }  # fmt: skip
    asked = tuple(replace(attempt, outcome=Outcome.PENDING) for attempt in one.attempts)
    for other in (replace(one, attempts=asked), replace(one, facts={}), replace(one, phase=Phase.DONE)):
        assert not made_by_rehearsals([other])


@pytest.mark.parametrize("what", ["view", "volume", "claim", "work"])
def test_somebody_s_own_of_that_name_is_never_touched(scene: Theatre, what: str) -> None:
    watched = Watched(scene)
    short = watched.plan.id[:8]
    if what == "work":
        with scene.lab.world.lock:
            scene.runai("pdx").submit("team", f"train-r{short}", gpus=1)
    else:
        system, path, body = _somebody_s(scene, short)[what]
        scene.lab.by_hand("pdx", system, "POST", path, body)
    there = things(scene)
    with pytest.raises(Stopped, match="already"):
        scene.run(watched.plan)
    assert (theirs(scene, short) == 1) is (what != "work")  # drift asks for no workloads
    assert scene.abort(watched.plan).phase is Phase.ABORTED
    assert things(scene) == there and there != watched.before
    watched.harmless()


def test_a_claim_of_that_name_that_comes_meanwhile_is_not_touched(scene: Theatre) -> None:
    watched = Watched(scene)
    system, path, body = _somebody_s(scene, watched.plan.id[:8])["claim"]
    scene.lab.by_hand("pdx", system, "POST", path, body)
    nobody_saw = patch("vastplan.operations.modes.rehearsal.calls.in_the_way", return_value="")
    with nobody_saw, pytest.raises(Stopped, match="was refused"):
        scene.run(watched.plan)
    assert scene.abort(watched.plan).phase is Phase.ABORTED
    assert things(scene)["persistentvolumeclaims"] == ["home", f"home-rehearsal-{watched.plan.id[:8]}"]
    scene.lab.by_hand("pdx", system, "DELETE", f"{path}/home-rehearsal-{watched.plan.id[:8]}")


def test_a_workload_of_that_name_that_comes_meanwhile_is_not_touched(scene: Theatre) -> None:
    watched = Watched(scene)
    with scene.lab.world.lock:
        scene.runai("pdx").submit("team", f"train-r{watched.plan.id[:8]}", gpus=1)
    with patch("vastplan.systems.runai.jobs.RunaiJobs.named", lambda *_: None):
        done = scene.run(watched.plan)
    (came,) = done.facts["came"].values()
    assert done.phase is Phase.DONE and came["phase"] == "refused"
    assert live(scene, "pdx") == {f"train-r{done.id}": "Running"}


def test_the_document_may_change_before_it_is_given_up(scene: Theatre) -> None:
    """What it made is in its record: a document that has another claim by then leaves nothing."""
    watched = Watched(scene)
    with (
        patch("vastplan.operations.modes.rehearsal.stages._came", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        scene.run(watched.plan)
    sections = copy.deepcopy(scene.lab.sections)
    del sections["tenants"]["team"]["volumes"]["home-copy"]
    scene.lab.write(sections)
    assert scene.abort(watched.plan).phase is Phase.ABORTED
    watched.gone()


@pytest.fixture
def storage_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    tenant = {name: BASE["tenants"]["team"][name] for name in ("vip_pool", "view_policy")}
    home = {"sites": ["iad"], "path": "/team/home", "snapshots": "protected"}
    both = {"home": home, "home-copy": {"sites": ["pdx"], "path": "/team/home"}}
    sections = {name: BASE[name] for name in ("snapshot_schedules", "vip_pools", "replication_peers")}
    with shared_theatre(
        tmp_path, ("vast",), {**sections, "tenants": {"team": {**tenant, "views": {"home": home}}}}
    ) as made:
        made.clock.sleep(120)
        made.lab.write({**sections, "tenants": {"team": {**tenant, "views": both}}})
        made.lab.converge()
        yield made


def test_without_kubernetes_there_is_the_view_alone(storage_alone: Theatre) -> None:
    scene, address = storage_alone, Address("iad", "view", "home")
    plan = plan_move(scene.lab.workspace(), WantedMove(address, "pdx", "rehearse"), scene.clock)
    assert "no claim of the document mounts it there, so none is created" in move_text(plan, "")
    done = scene.run(plan)
    assert done.phase is Phase.DONE and done.facts["came"] == {} and done.facts["rehearsal"]["mounts"] == []
    with scene.lab.world.lock:
        cluster = scene.vast("pdx")._cluster
        assert [row for row in cluster.rows("views") if "rehearsal" in row["path"]] == []
        assert list(cluster.rows("globalsnapstreams")) == []
    moved = plan_move(scene.lab.workspace(), WantedMove(address, "pdx"), scene.clock)
    facts = {fact.name: fact.value for fact in moved.evidence}
    assert facts["last rehearsal"].endswith("no workload was tried")


def test_what_is_shared_by_global_access_has_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path) as scene, pytest.raises(VastplanError, match="so a rehearsal has nothing to clone"):
        plan_move(scene.lab.workspace(), WantedMove(HOME, "pdx", "rehearse"), scene.clock)


def test_a_document_that_has_lost_a_system_does_not_make_what_was_made_gone(scene: Theatre) -> None:
    """Where nobody can look, nothing is gone."""
    watched = Watched(scene)
    with (
        patch("vastplan.operations.modes.rehearsal.stages._came", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        scene.run(watched.plan)
    for port, told in (("jobs", "no longer has Run:AI at pdx"), ("volumes", "no longer has Kubernetes at pdx")):
        with patch.object(Clients, port, lambda *_: None), pytest.raises(Stopped, match=told):
            scene.abort(watched.plan)
    assert scene.abort(watched.plan).phase is Phase.ABORTED
    watched.gone()


def test_names_that_are_hostile_are_inert(scene: Theatre) -> None:
    watched = Watched(scene)
    done = scene.run(watched.plan)
    evil = "x\x1b[2J\nloses: nothing"
    facts = {
        **done.facts,
        "came": {"a": {"name": evil, "phase": evil, "seconds": evil, "says": evil}},
        "point": {"created": evil, "age": evil},
        "measured": {evil: 1},
        "not tried": {"b": {"name": evil, "why": evil}},
    }
    told = status_text(
        Operation(**{**{name: getattr(done, name) for name in done.__dataclass_fields__}, "facts": facts})
    )
    assert "\x1b" not in told and "\nloses" not in told


def test_the_commands(scene: Theatre, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    watched = Watched(scene)
    typed = ["move", "plan", "lab.yaml", str(HOME)]
    for wrong, told in (
        (["--rejoin", "pdx"], "--rehearse needs --to SITE"),
        (["--keep", "pdx"], "--rehearse needs --to SITE"),
        (["--to", "pdx", "--unplanned"], "cannot be combined with --unplanned"),
        (["--to", "pdx", "--broken", "x"], "cannot be combined with --broken"),
        (["--to", "pdx", "--fork", "try"], "cannot be combined with --fork"),
        (["--to", "pdx", "--live"], "cannot be combined with --live"),
        (["--to", "pdx", "--warm", "x"], "cannot be combined with --warm"),
        (["--to", "pdx", "--through-global-access"], "cannot be combined with --through-global-access"),
        (["--to", "iad"], "iad has to be DESTINATION"),
    ):
        assert main([*typed, *wrong, "--rehearse"]) == 1, wrong
        assert told in capsys.readouterr().err
    assert main([*typed, "--to", "pdx", "--rehearse", "--out", "r.json", "--report", "r.html"]) == 0
    told = capsys.readouterr().out
    assert "of a move of iad/protected_path/home from iad to pdx: no role changes" in told
    page = (scene.lab.folder / "r.html").read_text()
    assert "no role changes" in page and "workload to try" in page and "to suspend" not in page
    assert main([*typed, "--to", "pdx", "--rehearse", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["mode"] == "rehearse"
    asked: list[str] = []

    def answer(_: Any, question: str) -> None:
        asked.append(question)

    monkeypatch.setattr("vastplan.cli.screen.Screen.answer", answer)
    assert main(["move", "run", "r.json"]) == 1
    assert "Nothing at iad is suspended" in asked[0] and "1 workload" in asked[0] and "Suspend 1" not in asked[0]
    capsys.readouterr()
    assert main(["move", "run", "r.json", "--auto-approve"]) == 0
    told = capsys.readouterr().out
    assert f"train-r{record(scene).id} was Running after" in told and "nothing is left to delete" in told
    assert main(["move", "status", "lab.yaml"]) == 0
    told = capsys.readouterr().out
    assert "measured: look" in told and "iad may write (SOURCE), pdx may not write (DESTINATION)" in told
    watched.gone()


def test_it_is_run_once(scene: Theatre) -> None:
    watched = Watched(scene)
    done = scene.run(watched.plan)
    scene.lab.clear_calls()
    again = run_move(scene.lab.workspace(), watched.plan, scene.told.append, "x", scene.clock)
    fresh = [call for call in scene.lab.calls() if "token" not in call.path]
    assert again == done and fresh == []
    second = scene.run(rehearse(scene))
    assert second.id != done.id and second.term == done.term + 1
