"""What is kept while all is well, so that the workloads of a lost site are submitted at the other one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.moving.matrix import killed
from tests.moving.theatre import HOME, Theatre
from vastplan.app.move import arm_move, last_moves, plan_in_advance
from vastplan.cli import main
from vastplan.model.address import Address
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.operation import Operation, Phase
from vastplan.operations.run import Stopped
from vastplan.report.operations import move_text
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.runai.jobs import RunaiJobs

WORD = "hf-51e0c4a7"


def arm(scene: Theatre, address: Address = HOME) -> tuple[Operation, ...]:
    return arm_move(scene.lab.workspace(), address, "pdx", scene.told.append, "again", scene.clock)


def lose(scene: Theatre) -> None:
    """All of iad is lost, its Run:AI and its nodes, too."""
    scene.clock.sleep(3700)
    scene.lab.world.lose("iad", power=True, jobs="stop")
    scene.clock.sleep(60)


def submit(scene: Theatre, name: str, **spec: Any) -> None:
    """A training that mounts the claim, as its user submits it."""
    (project,) = [
        row
        for row in scene.lab.by_hand("iad", "runai", "GET", "/api/v1/org-unit/projects")["projects"]
        if row["name"] == "team"
    ]
    mounted = {"pvc": [{"existingPvc": True, "claimName": "home", "path": "/home"}]}
    body = {
        "name": name, "projectId": project["id"], "clusterId": project["clusterId"],
        "spec": {"image": "train:1", "compute": {"gpuDevicesRequest": 2}, "storage": mounted, **spec},
    }  # fmt: skip
    scene.lab.by_hand("iad", "runai", "POST", "/api/v1/workloads/trainings", body)
    scene.workloads("iad")  # it is created


def specification(scene: Theatre, name: str, site: str = "pdx", type_: str = "trainings") -> dict[str, Any]:
    rows = scene.lab.by_hand(site, "runai", "GET", "/api/v1/workloads")["workloads"]
    (key,) = [row["id"] for row in rows if row["name"] == name]
    spec: dict[str, Any] = scene.lab.by_hand(site, "runai", "GET", f"/api/v1/workloads/{type_}/{key}")["spec"]
    return spec


def test_the_workloads_of_a_lost_site_are_submitted_at_the_other_one(scene: Theatre) -> None:
    variables = [
        {"name": "STEPS", "value": "100"},
        {"name": "HF_TOKEN", "userCredential": {"name": "hf", "key": "token"}},
    ]
    submit(scene, "train", environmentVariables=variables, args="--max-tokens 5")
    (armed,) = arm(scene)
    assert armed.phase is Phase.DONE and scene.workloads("iad") == {"train": "Running"}
    lose(scene)
    plan = scene.plan(mode="unplanned")
    shown = {fact.name: fact.value for fact in plan.evidence}
    ago = shown["armed"].removeprefix(f"{armed.began}, ").removesuffix(" ago; the workloads are those of then")
    assert shown["workload train"] == f"Running {ago} ago, 2 GPUs; submitted with the claim home"
    assert [(job["name"], "specification" in job) for job in plan.jobs] == [("train", False)]
    done = scene.run(plan)
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    spec = specification(scene, f"train-m{done.id}")
    assert spec["environmentVariables"] == variables and spec["args"] == "--max-tokens 5"
    assert {"name": "vastplan.move", "value": done.id} in spec["labels"]
    assert scene.run(plan) == done and len(scene.workloads("pdx")) == 1


def test_a_distributed_inference_of_a_lost_site_is_submitted_at_the_other_one(scene: Theatre) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "serve", gpus=2, claim_names=["home"], type="DistributedInference")
    arm(scene)
    lose(scene)
    done = scene.run(scene.plan(mode="unplanned"))
    spec = specification(scene, f"serve-m{done.id}", type_="distributed-inferences")
    assert spec["leader"]["storage"]["pvc"][0]["claimName"] == "home" and "nodePools" not in spec
    assert spec["leader"]["labels"] == [{"name": "vastplan.move", "value": done.id}] and "labels" not in spec


def test_a_move_that_was_planned_in_advance_begins_with_one_wait(scene: Theatre) -> None:
    submit(scene, "train")
    arm(scene)
    plan = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    assert plan.armed and plan.mode == "unplanned" and "planned in advance" in move_text(plan, "")
    lose(scene)
    done, reached = scene.waited(plan)
    assert reached == [15] and scene.workloads("pdx") == {f"train-m{done.id}": "Running"}


def test_a_source_that_answers_again_in_that_time_is_not_given_up(scene: Theatre) -> None:
    plan = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    lose(scene)
    scene.find_after(10)
    with pytest.raises(Stopped, match="iad answers") as stop:
        scene.run(plan)
    assert "\nnow: iad did not answer when it was first asked (https://" in str(stop.value), (
        "not that it cannot be read"
    )
    scene.clock.watchers.clear()
    assert scene.path("pdx")["role"] == "DESTINATION" and scene.abort(plan).phase is Phase.ABORTED


def test_one_that_stopped_because_its_source_answered_goes_on_with_the_kept_workloads_once_it_is_lost(
    scene: Theatre,
) -> None:
    submit(scene, "train")
    arm(scene)
    scene.clock.sleep(3700)
    plan = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    with pytest.raises(Stopped, match="is connected"):
        scene.run(plan)
    scene.clock.sleep(3700)
    lose(scene)
    done = scene.run(plan)
    assert [*scene.workloads("pdx").values()] == ["Running"]
    assert "back" in done.facts and plan.lose["guid"] not in str(done.facts["back"])


def test_one_of_long_ago_or_whose_source_answers_is_not_begun(scene: Theatre) -> None:
    plan = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    with pytest.raises(Stopped, match="iad is connected"):
        scene.run(plan)
    assert scene.roles() == ("SOURCE", "DESTINATION") and scene.abort(plan).phase is Phase.ABORTED
    scene.clock.sleep(60)
    later = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    scene.clock.sleep(36 * 3600 + 1)
    with pytest.raises(Stale, match="has expired"):
        scene.run(later)


def test_without_it_no_workload_is_submitted_and_the_plan_says_so(scene: Theatre) -> None:
    submit(scene, "train")
    lose(scene)
    plan = scene.plan(mode="unplanned")
    assert ("armed", "never, so no workload is submitted: it cannot be read") in [
        (fact.name, fact.value) for fact in plan.evidence
    ]
    scene.run(plan)
    assert scene.workloads("pdx") == {}


def test_the_plan_says_of_each_workload_that_the_roles_have_changed_since_it_was_kept(scene: Theatre) -> None:
    """Better than nothing, so it is used."""
    submit(scene, "train")
    arm(scene)
    scene.run(scene.plan())
    home = scene.run(scene.plan("iad"))
    lose(scene)
    shown = {fact.name: fact.value for fact in scene.plan(mode="unplanned").evidence}
    since = f" ago, and the move {home.id} has changed the roles since, 2 GPUs; submitted with the claim home"
    assert shown["workload train"].startswith("Running ") and shown["workload train"].endswith(since)
    assert f"the move {home.id} has changed the roles since, so look which of them are still wanted" in shown["armed"]


def test_what_can_be_read_counts_and_not_what_was_kept(scene: Theatre) -> None:
    submit(scene, "early")
    arm(scene)
    with scene.lab.world.lock:
        for row in scene.lab.world.sites["iad"].planes["runai"]._ctx.rows("workload"):  # type: ignore[attr-defined]
            scene.runai("iad").end(row["id"])
    submit(scene, "late")
    scene.clock.sleep(3700)
    scene.lab.world.lose("iad", systems=["vast"], links=True)
    scene.clock.sleep(60)
    plan = scene.plan(mode="unplanned")
    assert [job["name"] for job in plan.jobs] == ["late"] and "armed" not in {fact.name for fact in plan.evidence}
    done = scene.run(plan)
    assert scene.workloads("pdx") == {f"late-m{done.id}": "Running"}


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({"environmentVariables": [{"name": "HF_TOKEN", "value": WORD}]}, "variable HF_TOKEN"),
        ({"environmentVariables": [{"name": "URL", "value": f"https://me:{WORD}@host/x"}]}, "variable URL"),
        ({"command": f"python t.py --api-key={WORD}"}, "command: api-key"),
        ({"args": f"--store s3://me:{WORD}@host"}, "args: a URL with a password"),
    ],
)
def test_a_workload_with_a_secret_in_it_is_named_and_not_kept(
    scene: Theatre, spec: dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(scene, "train", **spec)
    submit(scene, "plain")
    arm(scene)
    kept = "".join(
        file.read_text() for file in scene.lab.folder.rglob("*") if file.is_file() and file.suffix == ".json"
    )
    assert WORD not in kept and "plain" in kept
    assert main(["move", "status", str(scene.lab.folder / "lab.yaml")]) == 0
    out = capsys.readouterr().out
    assert "kept: 1 of 2 workloads" in out and WORD not in out
    assert (
        f"not kept: train: its specification contains the value of {named} (use a credential of Run:AI instead)" in out
    )


@pytest.mark.parametrize("name", ["MAX_TOKENS", "TOKENIZERS_PARALLELISM", "KEYS", "PYTHONPATH", "MONKEY"])
def test_an_ordinary_variable_is_no_secret(name: str) -> None:
    jobs = RunaiJobs("iad", RunaiProvider.__new__(RunaiProvider))
    spec = {
        "environmentVariables": [{"name": name, "value": "https://host:8000/x"}, {"name": "A_TOKEN"}, None],
        "args": "--tokenizer t",
    }
    assert jobs.secrets({"spec": spec, "masterSpec": None, "masterSpecSameAsWorker": True}) == ()


def test_it_is_armed_only_while_a_move_would_be_possible(scene: Theatre) -> None:
    with pytest.raises(VastplanError, match="cannot be armed: iad is already the source"):
        arm_move(scene.lab.workspace(), HOME, "iad", print, "again", scene.clock)
    with pytest.raises(VastplanError, match="no site nowhere"):
        arm_move(scene.lab.workspace(), HOME, "nowhere", print, "again", scene.clock)
    scene.lab.world.lose("iad", systems=["vast"], links=True)
    scene.clock.sleep(60)
    with pytest.raises(VastplanError, match=r"iad.*cannot be reached|not answer|refused"):
        arm(scene)
    assert last_moves(scene.lab.workspace()) == ()


def test_it_holds_up_no_move_and_is_done_again_after_one(scene: Theatre, capsys: pytest.CaptureFixture[str]) -> None:
    arm(scene)
    arm(scene)
    assert scene.run(scene.plan()).phase is Phase.DONE
    file = str(scene.lab.folder / "lab.yaml")
    assert main(["move", "arm", file, str(HOME)]) == 1
    assert "move arm needs --to SITE" in capsys.readouterr().err
    assert sorted(record.mode for record in last_moves(scene.lab.workspace())) == ["arm", "planned"]


def test_what_was_armed_before_the_roles_changed_does_not_count(scene: Theatre) -> None:
    arm(scene)
    scene.run(scene.plan())
    scene.clock.sleep(3700)
    scene.lab.world.lose("pdx", power=True)
    scene.clock.sleep(60)
    plan = scene.plan("iad", mode="unplanned")
    assert {fact.name: fact.value for fact in plan.evidence}["armed"].startswith("never")


@pytest.mark.slow
def test_runs_that_are_killed_submit_each_workload_once(scene: Theatre) -> None:
    submit(scene, "train")
    arm(scene)
    lose(scene)
    plan = scene.plan(mode="unplanned")
    deadly = 1
    while killed(scene, plan, deadly) > deadly:  # each run is killed a little later than the one before
        deadly += 1
        scene.pause()
    assert deadly > 5
    assert list(scene.workloads("pdx")) == [f"train-m{plan.id[:8]}"]


def test_what_was_armed_is_spent_once_the_path_was_moved(scene: Theatre) -> None:
    submit(scene, "train")
    arm(scene)
    plan = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    scene.run(scene.plan())
    scene.clock.sleep(60)
    back = scene.run(scene.plan("iad"))
    lose(scene)
    with pytest.raises(Stale, match=rf"the move {back.id} has come since this one was planned"):
        scene.run(plan)
    assert scene.path("pdx")["role"] == "DESTINATION"


def test_a_workload_of_which_nothing_was_kept_is_named_at_the_end(scene: Theatre) -> None:
    submit(scene, "tune", environmentVariables=[{"name": "HF_TOKEN", "value": WORD}])
    arm(scene)
    plan = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    (line,) = (line for line in plan.by_hand if "tune" in line)
    assert line.startswith("workload tune was not kept: if iad cannot be read, submit it at pdx yourself; ")
    assert WORD not in str(plan) and f"all of this is as of {plan.created}" in move_text(plan, "")
