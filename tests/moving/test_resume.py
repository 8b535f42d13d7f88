"""What a workload is told where it is submitted, so that it goes on from its last checkpoint."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.moving.forking import applied, declared, fork
from tests.moving.rehearsing import rehearse
from tests.moving.test_arm import arm, lose, specification, submit
from tests.moving.theatre import HOME, Theatre, shared_theatre, sharing
from tests.moving.together import Both, both
from vastplan.app.move import plan_move
from vastplan.model.errors import Stale
from vastplan.model.move_plan import THROUGH
from vastplan.model.operation import Phase
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedMove
from vastplan.report.operations import move_text
from vastplan.schema.checkpoint import Checkpoint
from vastplan.schema.ports.workloads import Resume
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.runai.jobs import RunaiJobs

RESUME = {"env": {"RESUME": "1"}, "args": "--resume_from_checkpoint True"}
CHECKPOINT = {"size": "1 GB", "interval": "15m", "write_per_rank": "1 GB/s"}
TOLD = [{"name": "RESUME", "value": "1"}]


def told(scene: Theatre, resume: Any = RESUME, volume: str = "home", **more: Any) -> None:
    """The document says of a volume how workloads resume. Nothing is applied: it is sent nowhere."""
    sections = copy.deepcopy(scene.lab.sections)
    checkpoint = {**CHECKPOINT, **more, "resume": resume}
    sections["tenants"]["team"]["volumes"][volume]["checkpoint"] = checkpoint
    scene.lab.write(sections)


def starts(plan: Any) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in plan.evidence if fact.name.endswith(" starts")]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as made:
        yield made


def test_a_moved_workload_is_told_and_one_that_comes_home_is_told_once(scene: Theatre) -> None:
    told(scene)
    submit(scene, "train", args="--steps 5", environmentVariables=[{"name": "RESUME", "value": "0"}, {"name": "A"}])
    plan = scene.plan()
    assert starts(plan) == [("workload train starts", "with RESUME=1, --resume_from_checkpoint True")]
    assert "workload train starts: with RESUME=1, --resume_from_checkpoint True" in move_text(plan, "")
    first = scene.run(plan)
    spec = specification(scene, f"train-m{first.id}")
    assert spec["environmentVariables"] == [{"name": "A"}, *TOLD]
    assert spec["args"] == "--steps 5 --resume_from_checkpoint True"
    scene.lab._tokens.clear()
    second = scene.run(scene.plan("iad"))
    again = specification(scene, f"train-m{second.id}", "iad")
    assert (again["environmentVariables"], again["args"]) == (spec["environmentVariables"], spec["args"])


def test_without_it_a_workload_starts_as_it_did_first(scene: Theatre) -> None:
    submit(scene, "train", args="--steps 5")
    plan = scene.plan()
    assert starts(plan) == [] and "resume" not in plan.jobs[0]
    spec = specification(scene, f"train-m{scene.run(plan).id}")
    assert spec["args"] == "--steps 5" and "environmentVariables" not in spec


def test_what_was_kept_is_told_what_the_document_says_now(scene: Theatre) -> None:
    submit(scene, "train")
    arm(scene)
    told(scene)
    lose(scene)
    plan = scene.plan(mode="unplanned")
    assert starts(plan) == [("workload train starts", "with RESUME=1, --resume_from_checkpoint True")]
    spec = specification(scene, f"train-m{scene.run(plan).id}")
    assert (spec["environmentVariables"], spec["args"]) == (TOLD, RESUME["args"])


def test_a_rehearsal_tries_the_same_start(scene: Theatre) -> None:
    told(scene)
    submit(scene, "train")
    scene.clock.sleep(3700)
    plan, seen = rehearse(scene), list[dict[str, Any]]()
    assert starts(plan) == [("workload train starts", "with RESUME=1, --resume_from_checkpoint True")]

    def watch() -> None:
        if not seen and scene.workloads("pdx"):
            seen.append(specification(scene, f"train-r{plan.id[:8]}"))

    scene.clock.watchers.append(watch)
    assert scene.run(plan).phase is Phase.DONE
    assert (seen[0]["environmentVariables"], seen[0]["args"]) == (TOLD, RESUME["args"])


def test_a_fork_is_told_what_its_own_volume_says_or_else_the_source(scene: Theatre) -> None:
    told(scene)
    submit(scene, "train")
    declared(scene)
    assert starts(fork(scene)) == [("workload train starts", "with RESUME=1, --resume_from_checkpoint True")]
    told(scene, {"env": {"RESUME": "branch"}}, "try")
    plan = fork(scene)
    assert starts(plan) == [("workload train starts", "with RESUME=branch")]
    with pytest.raises(Stopped):
        scene.run(plan)
    applied(scene)
    spec = specification(scene, f"train-m{scene.run(plan).id}")
    assert spec["environmentVariables"] == [{"name": "RESUME", "value": "branch"}] and "args" not in spec


def test_a_workload_of_a_project_is_told_by_each_of_its_volumes(two: Both) -> None:
    told(two)
    told(two, {"env": {"DATA": "again"}}, "data")
    two.start_job()
    plan = two.plan()
    ((name, value),) = starts(plan)
    assert name == "workload train starts" and {"RESUME=1", "DATA=again"} < {*value.removeprefix("with ").split(", ")}
    done = two.run(plan)
    spec = specification(two, f"train-m{done.id}")
    assert sorted(row["name"] for row in spec["environmentVariables"]) == ["DATA", "RESUME"]
    assert spec["args"] == RESUME["args"]


def test_through_global_access_it_is_told_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    checkpoint = {**CHECKPOINT, "resume": RESUME}
    with shared_theatre(tmp_path, sections=sharing(checkpoint=checkpoint)) as scene:
        submit(scene, "train")
        plan = plan_move(scene.lab.workspace(), WantedMove(HOME, "pdx", THROUGH), scene.clock)
        assert starts(plan) == [("workload train starts", "with RESUME=1, --resume_from_checkpoint True")]
        assert specification(scene, f"train-m{scene.run(plan).id}")["args"] == RESUME["args"]


def test_what_is_told_is_what_the_plan_shows(scene: Theatre) -> None:
    told(scene)
    submit(scene, "train")
    plan = scene.plan()
    told(scene, {"env": {"RESUME": "2"}})
    with pytest.raises(Stale, match=r"checkpoint.resume has changed since the move was planned, for workload train"):
        scene.run(plan)
    assert scene.workloads("iad") == {"train": "Running"}


def test_what_was_begun_goes_on_as_it_was_planned(scene: Theatre) -> None:
    told(scene)
    submit(scene, "train")
    plan = scene.plan()

    def lose_runai() -> None:
        if scene.roles()[1] == "SOURCE":
            scene.lab.world.lose("pdx", systems=["runai"])

    scene.clock.watchers.append(lose_runai)
    with pytest.raises(Stopped, match="stage start"):
        scene.run(plan)
    scene.clock.watchers.clear()
    scene.lab.world.find("pdx")
    told(scene, {"env": {"RESUME": "2"}})
    assert specification(scene, f"train-m{scene.run(plan).id}")["environmentVariables"] == TOLD


def test_both_parts_of_a_distributed_workload_are_told() -> None:
    jobs = RunaiJobs("iad", RunaiProvider.__new__(RunaiProvider))
    resume = Resume({"A": "1"}, "--resume True")
    asked = {"spec": {"args": "-x"}, "masterSpec": {"args": "-y --resume True2"}, "masterSpecSameAsWorker": False}
    once = jobs.resumed(asked, resume)
    variables = [{"name": "A", "value": "1"}]
    assert once == {
        "spec": {"args": "-x --resume True", "environmentVariables": variables},
        "masterSpec": {"args": "-y --resume True2 --resume True", "environmentVariables": variables},
        "masterSpecSameAsWorker": False,
    }
    assert jobs.resumed(once, resume) == once
    of_secret = {"spec": {"environmentVariables": [{"name": "A", "secret": {"name": "s", "key": "k"}}, None]}}
    assert jobs.resumed(of_secret, Resume({"A": "1"})) == {"spec": {"environmentVariables": variables}}
    assert jobs.resumed({"spec": {"args": " -x "}, "masterSpec": None}, Resume({})) == {
        "spec": {"args": " -x "},
        "masterSpec": None,
    }


@pytest.mark.parametrize(
    ("resume", "why"),
    [
        ({}, "give env"),
        ({"env": {}}, "at least 1"),
        ({"env": {"1A": "x"}}, "the name of an environment variable"),
        ({"env": {"..A": "x"}}, "the name of an environment variable"),
        ({"env": {"A=B": "x"}}, "the name of an environment variable"),
        ({"env": {"A" * 256: "x"}}, "the name of an environment variable"),
        ({"env": {f"A{number}": "x" for number in range(33)}}, "at most 32"),
        ({"env": {"A": "x\ny"}}, "one line of text"),
        ({"env": {"A": "x" * 1025}}, "one line of text"),
        ({"env": {"A": 1}}, "one line of text"),
        ({"args": "a\x1b[2J"}, "one line of text"),
        ({"env": {"HF_TOKEN": "hf-51e0c4a7"}}, "the variable HF_TOKEN looks like a secret"),
        ({"env": {"URL": "s3://me:hf-51e0c4a7@host"}}, "the variable URL looks like a secret"),
        ({"args": "--api-key=hf-51e0c4a7"}, "args: api-key looks like a secret"),
    ],
)
def test_what_is_no_variable_no_line_or_a_secret_is_refused(resume: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why) as refused:
        Checkpoint.model_validate({"size": 10**9, "interval": 900.0, "resume": resume}, context={"canonical": True})
    assert "hf-51e0c4a7" not in str(refused.value.errors(include_input=False))
