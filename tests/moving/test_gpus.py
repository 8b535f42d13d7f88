"""The plan of a move says how many GPUs its workloads need at the target, and how many the project there has free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.moving.test_arm import arm, lose, submit
from tests.moving.theatre import HOME, Theatre
from tests.moving.together import TEAM, both
from vastplan.app.connect import connected
from vastplan.app.move import plan_move
from vastplan.cli import main
from vastplan.model.move_plan import MovePlan
from vastplan.operations.clients import Clients
from vastplan.operations.plan.gpus import of_gpus
from vastplan.operations.wanted import WantedMove
from vastplan.schema.ports.workloads import PoolGpus
from vastplan.systems.runai.jobs import quota_of


def gpus(plan: MovePlan) -> list[str]:
    return [f"{fact.name}: {fact.value}" for fact in plan.evidence if fact.name.startswith("GPUs")]


def test_those_that_are_needed_and_those_that_are_free_are_in_the_plan(scene: Theatre) -> None:
    assert gpus(scene.plan()) == []
    submit(scene, "train")
    assert gpus(scene.plan()) == ["GPUs at pdx: 2 needed, 8 of the 8 of project team free"]
    assert gpus(scene.plan(mode="rehearse")) == []
    with scene.lab.world.lock:
        scene.runai("pdx").submit("team", "other", gpus=7)
    plan = scene.plan()
    assert gpus(plan) == ["GPUs at pdx: 2 needed, 1 of the 8 of project team free: the rest waits"]
    scene.run(plan)  # it is a note
    assert scene.workloads("pdx")[f"train-m{plan.id[:8]}"] in ("Pending", "Running")


def test_the_workloads_that_were_kept_count_when_their_site_is_lost(
    scene: Theatre, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(scene, "train")
    assert main(["move", "arm", str(scene.lab.folder / "lab.yaml"), str(HOME), "--to", "pdx"]) == 0
    assert "GPUs at pdx: 2 needed, 8 of the 8 of project team free\n" in capsys.readouterr().out
    arm(scene)
    lose(scene)
    assert gpus(scene.plan(mode="unplanned")) == ["GPUs at pdx: 2 needed, 8 of the 8 of project team free"]
    scene.lab.world.lose("pdx", systems=["runai"])
    (text,) = gpus(scene.plan(mode="unplanned"))
    assert text.startswith("GPUs at pdx: 2 needed, how many are free is unknown: ")


def test_a_workload_with_several_volumes_of_a_project_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as scene:
        scene.start_job()
        for mode in ("planned", "unplanned"):
            plan = plan_move(scene.lab.workspace(), WantedMove(TEAM, "pdx", mode, "a test"), scene.clock)
            assert gpus(plan) == ["GPUs at pdx: 4 needed, 8 of the 8 of project team free"]


POOLS: dict[str, Any] = {
    "resources": [
        {"nodePool": {"id": "1", "name": "a100"}, "gpu": {"deserved": 8}},
        {"nodePool": {"id": "2", "name": "h100"}, "gpu": {"deserved": 4.5}},
        {"nodePool": {"id": "3", "name": "cpu"}, "gpu": {"deserved": 0}},
    ],
    "status": {
        "nodePoolQuotaStatuses": [
            {"nodePoolId": "2", "allocated": {"gpu": 6}}, {"nodePoolId": "1", "allocated": {"gpu": 3}},
            {"nodePoolId": "3", "allocated": {}},
        ]
    },
}  # fmt: skip


def test_free_is_the_quota_of_each_pool_less_what_is_allocated_of_it() -> None:
    pools = quota_of(POOLS)
    assert [tuple(pool) for pool in pools] == [("a100", 8, 3), ("h100", 4.5, 6), ("cpu", 0, 0)]
    assert quota_of({**POOLS, "effective": {"defaultNodePools": ["h100"]}}) == (PoolGpus("h100", 4.5, 6),)
    assert quota_of({**POOLS, "effective": {"defaultNodePools": None}}) == pools


@pytest.mark.parametrize(
    "row",
    [
        {}, {**POOLS, "status": {}}, {**POOLS, "resources": None}, {**POOLS, "status": {"nodePoolQuotaStatuses": []}},
        {**POOLS, "status": {"nodePoolQuotaStatuses": [{"nodePoolId": "1", "allocated": {"gpu": "3"}}]}},
        {**POOLS, "effective": {"defaultNodePools": ["gone"]}},
    ],
)  # fmt: skip
def test_a_project_that_does_not_report_all_of_it_has_no_figure(row: dict[str, Any]) -> None:
    assert quota_of(row) == ()


def test_preemptible_workloads_may_use_more_and_each_project_has_its_own_line(scene: Theatre) -> None:
    (row,) = scene.lab.by_hand("pdx", "runai", "GET", "/api/v1/org-unit/projects")["projects"]
    fact = {"id": "1", "gpus": 6.0, "preemptible": True, "to_project": row["id"], "to_claim": "home"}
    facts = [fact, fact, {**fact, "id": "2", "preemptible": False}, {**fact, "id": "3", "to_claim": ""}]
    workspace = scene.lab.workspace()
    with connected(workspace.document, sites=("pdx",), writable=False) as clients:
        jobs = Clients(clients, workspace.registry.kinds, scene.clock).jobs("pdx")
        (known,) = of_gpus(facts, jobs)
        assert known.value == (
            "12 needed, 8 of the 8 of project team free: the rest waits, unless it is preemptible and GPUs beyond the quota are idle"
        )
        first, second = of_gpus([fact, {**fact, "to_project": "77"}], jobs)
        assert first.value.startswith("6 needed, 8 of the 8") and "is unknown" in second.value and "77" in second.value
    assert [*of_gpus(facts, None)] == []
