"""A project with two volumes and a workload that mounts both: moved as one, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.moving.matrix import goes_on, killed
from tests.moving.theatre import BASE, HOME, shared_theatre
from tests.moving.together import DATA, EVENTS, TEAM, Both, both, busy
from vastplan.app.move import last_moves, plan_move
from vastplan.cli import main
from vastplan.model.address import Address
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.operation import Phase
from vastplan.model.value import Ref
from vastplan.operations.ends import Claim, Work, noted
from vastplan.operations.modes.group.pairs import pairs_of
from vastplan.operations.modes.group.stages import jobs_together
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedMove
from vastplan.report.operations import move_text
from vastplan.schema.entries import Entry
from vastplan.schema.ports.workloads import Job


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as one:
        yield one


def test_a_project_moves_with_all_its_volumes(scene: Both) -> None:
    judge = busy(scene)
    plan = scene.plan()
    assert sorted(plan.paths) == ["iad/protected_path/data", "iad/protected_path/home"]
    assert [job["name"] for job in plan.jobs] == ["train"]
    assert [stage.name for stage in plan.stages if stage.no_return] == ["switch"]
    assert killed(scene, plan, -1) == EVENTS
    judge.moved()
    (name,) = scene.workloads("pdx")
    rows = scene.lab.by_hand("pdx", "runai", "GET", "/api/v1/workloads")["workloads"]
    shown = scene.lab.by_hand("pdx", "runai", "GET", f"/api/v1/workloads/trainings/{rows[0]['id']}")
    assert name == f"train-m{plan.id[:8]}"
    assert [one["claimName"] for one in shown["spec"]["storage"]["pvc"]] == ["home", "data-there"]
    done = scene.run(plan)  # whoever types it again changes nothing
    assert done.phase is Phase.DONE and scene.told == [] and done.address == str(TEAM)
    of_freeze = [one.call for one in done.of("freeze")]
    assert len(of_freeze) == 1 and len(done.of("start")) == 1
    order = [one.stage for one in done.attempts]
    assert max(i for i, one in enumerate(order) if one == "final copy") < order.index("switch")


def test_a_stage_has_the_time_of_one_path_and_the_forecasts_of_all(scene: Both) -> None:
    with scene.lab.world.lock:  # how long a change of roles takes
        cluster = scene.vast("iad")._cluster
        cluster.assumed = replace(cluster.assumed, role_change=200)
    together = sum(row["estimated_read_only_time"] for row in scene.rows("iad").values())
    copies = dict.fromkeys(("pre-copy", "final copy", "switch", "protect"), 2 * together)
    plan = scene.plan()
    assert {stage.name: stage.bound for stage in plan.stages} == {
        "look": 0,
        "freeze": 600,
        "open": 120,
        "start": 600,
        **copies,
    }
    paused = {fact.name: fact.value for fact in plan.evidence}["writes stop for at least"]
    assert together > 400 and paused == f"{together + 30:.0f} s", "two looks at each path, 15 s apart"
    lost = scene.plan(mode="unplanned", broken="a test")
    forced = {"fence": 120, "detach": 600, "take over": 2700}
    assert {stage.name: stage.bound for stage in lost.stages} == {"look": 0, "open": 120, "start": 600, **forced}


def test_all_of_it_comes_back(scene: Both) -> None:
    busy(scene)
    scene.run(scene.plan())
    scene.clock.sleep(60)
    back = plan_move(scene.lab.workspace(), WantedMove(Address("pdx", "tenant", "team"), "iad"), scene.clock)
    assert len(back.paths) == 2 and [job["name"] for job in back.jobs] == list(scene.workloads("pdx"))
    assert scene.run(back).phase is Phase.DONE
    assert scene.roles_of_all() == {("SOURCE", "DESTINATION")}


def test_neither_of_its_volumes_can_be_moved_meanwhile(scene: Both) -> None:
    plan = scene.plan()
    scene.lab.world.link("iad", "pdx", up=False)
    with pytest.raises(Stopped, match="iad/project/team") as stopped:
        scene.run(plan)
    for name in ("home", "data"):
        assert f"iad/protected_path/{name}: iad may write" in str(stopped.value)
        with pytest.raises(VastplanError, match=f"the move {plan.id[:8]} to pdx is under way"):
            plan_move(scene.lab.workspace(), WantedMove(Address("iad", "volume", name), "pdx"), scene.clock)


@pytest.mark.parametrize("typed", [str(TEAM), "iad/protected_path/data", "pdx/volume/data-copy", "its id"])
def test_it_is_told_once_and_taken_back_by_whatever_it_moves(
    scene: Both, typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setattr("vastplan.app.move.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    plan = scene.plan()
    killed(scene, plan, 20)
    document = str(scene.lab.folder / "lab.yaml")
    assert main(["move", "status", document, "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    roles = "iad may write (SOURCE), pdx may not write (DESTINATION)"
    assert one["address"] == str(TEAM)
    assert one["standing"] == [f"now iad/protected_path/{name}: {roles}" for name in ("data", "home")]
    typed = plan.id[:8] if typed == "its id" else typed
    assert main(["move", "status", document, typed]) == 0
    assert capsys.readouterr().out.count(f"move {plan.id[:8]}") == 1
    assert main(["move", "abort", document, typed, "--auto-approve"]) == 0
    with scene.lab.workspace().ledger() as backend:
        assert {one.phase for site in ("iad", "pdx") for one in backend.read(site).operations.values()} == {
            Phase.ABORTED
        }


def with_active(active: str) -> dict[str, Any]:
    """The same volumes, each one entry for both sites."""
    volumes = {
        name: {"sites": ["iad", "pdx"], "active": active, "path": path, "size": "10 TiB", "mount": f"/{name}", "replicate": "protected"}
        for name, path in (("home", "/team/home"), ("data", "/team/data"))
    }  # fmt: skip
    schedule = {name: value for name, value in BASE["snapshot_schedules"]["protected"].items() if name != "sites"}
    team = {**BASE["tenants"]["team"], "volumes": volumes}
    return {**BASE, "snapshot_schedules": {"protected": schedule}, "tenants": {"team": team}}


@pytest.mark.parametrize("ending", ["goes on", "is taken back"])
def test_one_that_is_begun_ends_whichever_side_the_document_says_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path, sections=with_active("iad")) as one:
        scene = Both(one.lab, one.clock, tenant=one.tenant)
        scene.clock.sleep(120)
        scene.lab.converge()
        scene.start_job()
        scene.clock.sleep(130)
        plan = scene.plan()
        killed(scene, plan, 121)
        scene.lab.write(with_active("pdx"))
        assert Address("pdx", "protected_path", "home") in {one.address for one in scene.lab.workspace().entries()[0]}
        if ending == "goes on":
            goes_on(scene, plan)
            assert scene.roles_of_all() == {("DESTINATION", "SOURCE")} and scene.held("iad") == scene.held("pdx")
            assert list(scene.workloads("pdx").values()) == ["Running"]
        else:
            done = scene.abort(plan)
            assert done.phase is Phase.ABORTED and scene.roles_of_all() == {("SOURCE", "DESTINATION")}
            assert scene.workloads("iad")["train"] in ("Resuming", "Running") and scene.workloads("pdx") == {}
            with pytest.raises(Stale, match="was taken back"):
                scene.run(plan)


def test_one_volume_that_is_begun_goes_on_whichever_side_the_document_says_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path, sections=with_active("iad")) as one:
        scene = Both(one.lab, one.clock, tenant=one.tenant)
        scene.clock.sleep(120)
        scene.lab.converge()
        plan = plan_move(scene.lab.workspace(), WantedMove(HOME, "pdx"), scene.clock)
        other = plan_move(scene.lab.workspace(), WantedMove(HOME._replace(name="data"), "pdx"), scene.clock)
        killed(scene, plan, 30)
        scene.lab.write(with_active("pdx"))
        with pytest.raises(Stale, match="is another protected path"):
            scene.run(other)
        goes_on(scene, plan)
        assert scene.roles_of_all() == {("DESTINATION", "SOURCE"), ("SOURCE", "DESTINATION")}


def test_past_the_point_of_no_return_it_goes_on_and_that_is_what_is_told(
    scene: Both, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    busy(scene)
    plan = scene.plan()
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setattr("vastplan.app.move.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    killed(scene, plan, 240)
    (record,) = last_moves(scene.lab.workspace())
    assert "switch" in record.passed and not record.phase.closed
    document = str(scene.lab.folder / "lab.yaml")
    assert main(["move", "abort", document, plan.id[:8], "--auto-approve"]) == 5
    told = capsys.readouterr().err
    assert "this can no longer be taken back" in told and "go on: vastplan move run PATH " in told
    assert "move abort" not in told.partition("go on")[2]
    assert main(["move", "status", document]) == 0
    told = capsys.readouterr().out
    assert "it can no longer be taken back (past stage switch)" in told and "abort" not in told


def test_what_lives_elsewhere_is_named_and_nothing_is_moved(scene: Both) -> None:
    with pytest.raises(VastplanError, match="iad/project/nobody is not a project of this document"):
        plan_move(scene.lab.workspace(), WantedMove(TEAM._replace(name="nobody"), "pdx"), scene.clock)
    with pytest.raises(VastplanError, match="iad/project/team is already at iad"):
        scene.plan("iad")
    with pytest.raises(VastplanError, match="no site nowhere"):
        scene.plan("nowhere")
    with pytest.raises(VastplanError, match="only a planned or unplanned move takes a project or tenant as a whole"):
        scene.plan(mode="fork", fork="branch")


@pytest.mark.parametrize("kind", ["project", "tenant"])
@pytest.mark.parametrize(
    "extra", [{"path": "/team/alone", "size": "1 TiB"}, {"storage_class": "team", "size": "1 TiB"}]
)
def test_a_volume_on_one_site_only_stays_and_is_named(scene: Both, kind: str, extra: dict[str, Any]) -> None:
    base = deepcopy(BASE)
    alone = {"sites": ["iad"], "mount": "/alone", **extra}
    volumes = {**base["tenants"]["team"]["volumes"], "data": DATA, "alone": alone}
    base["tenants"]["team"]["volumes"] = volumes
    scene.lab.write(base)
    plan = plan_move(scene.lab.workspace(), WantedMove(TEAM._replace(kind=kind), "pdx"), scene.clock)
    assert "iad/volume/alone: lives at iad only: nothing replicates it: it stays at iad" in move_text(plan, "")
    assert len(plan.paths) == 2


def test_a_workload_that_came_later_is_not_suspended_unasked(scene: Both) -> None:
    plan = scene.plan()
    scene.start_job()
    with pytest.raises(Stale, match="workloads that are not in the plan use it now: train"):
        scene.run(plan)
    assert scene.workloads("iad") == {"train": "Running"}


def test_a_workload_that_cannot_be_suspended_holds_the_whole(scene: Both) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "serve", gpus=1, claim_names=["data"], type="Inference")
    with pytest.raises(VastplanError, match=r"iad/project/team: Inference serve mounts it, and .* cannot be suspended"):
        scene.plan()


def test_a_volume_that_goes_to_a_third_site_is_told_by_name() -> None:
    tenant, project = Address("iad", "tenant", "team"), TEAM
    view = Entry(Address("iad", "view", "home"), {"path": "/team/home", "tenant": Ref(tenant)})
    paths = [
        Entry(
            Address("iad", "protected_path", f"to-{site}"),
            {"source_dir": "/team/home", "target_exported_dir": "/team/home", "remote_tenant": Ref(tenant._replace(site=site))},
        )
        for site in ("sea", "pdx")
    ]  # fmt: skip
    told = r"iad/view/home lives at iad and sea, not at pdx \(--to sea moves it\)$"
    with pytest.raises(VastplanError, match=told):
        pairs_of((Entry(tenant, {}), view, paths[0]), tenant, "pdx")
    with pytest.raises(
        VastplanError, match="replicated more than once: iad/protected_path/to-sea, iad/protected_path/to-pdx"
    ):
        pairs_of((Entry(tenant, {}), view, *paths), tenant, "pdx")
    with pytest.raises(VastplanError, match="iad/project/team has no volumes"):
        pairs_of((Entry(project, {}),), project, "pdx")


def test_a_workload_with_a_claim_that_nothing_stands_for_is_submitted_nowhere() -> None:
    def works(claim: str, to: str, project: str = "2") -> Any:
        there = Claim(project, "ns", to, f"pdx/{to}") if to else None
        return Work(Claim("1", "ns", claim, f"iad/{claim}"), there, along=frozenset("ab"))

    def of(*work: Any, claims: tuple[str, ...] = ("a", "b")) -> Any:
        job = Job("7", "train", "Training", "Running", "1", claims=claims)
        (fact,) = jobs_together((noted(one, job),) for one in work)
        return fact["claim"], fact["to_claim"], fact["others"], fact.get("lacks")

    assert of(works("a", "b"), works("b", "a")) == ("a", "b", {"b": "a"}, None)
    assert of(works("a", "b"), works("b", ""))[1::2] == ("", ["b"])
    assert of(works("a", ""), works("b", "a"))[1::2] == ("", ["a"])
    assert of(works("a", "b"), works("b", "a", project="3"))[1] == ""
    assert of(works("a", "b"), works("b", "a"), claims=("a", "b", "c"))[1] == "", "nothing of c is there"
