"""What a workload is told where it is submitted, so that it goes on from its last checkpoint."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.moving.forking import applied, declared, fork
from tests.moving.rehearsing import rehearse
from tests.moving.test_arm import arm, lose, specification, submit
from tests.moving.theatre import HOME, Theatre, shared_theatre, sharing
from tests.moving.together import Both, both
from vastplan.app.files.operation_plan import MOVE_FILE
from vastplan.app.move import last_moves, plan_in_advance, plan_move
from vastplan.cli import main
from vastplan.cli.commands import move as commands
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.move_plan import THROUGH, MovePlan
from vastplan.model.operation import Phase
from vastplan.operations.ends import RESUME as RESUMED
from vastplan.operations.plan.checkpoints import is_complete
from vastplan.operations.plan.resume import GIVEN, with_checkpoints
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedMove
from vastplan.report.operations import move_text, status_text
from vastplan.schema.checkpoint import Checkpoint
from vastplan.schema.ports.workloads import Resumption
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


def test_one_that_was_armed_says_as_it_begins_what_work_is_done_again(scene: Theatre) -> None:
    """Its plan is of a night before, and its restore point is another one."""
    told(scene)
    plan = plan_in_advance(scene.lab.workspace(), HOME, "pdx", scene.clock)
    lose(scene)
    done = scene.run(plan)
    where, again = scene.told[1:3]
    found = re.match(r"iad/protected_path/home goes back to (\S+) as of \S+$", where)
    assert found is not None and found[1] != plan.lose["guid"]
    assert re.match(r"work done again: at most .* min and .* old, and a checkpoint comes every 15 min$", again)
    assert [f"  {line}" in status_text(done).splitlines() for line in (where, again)] == [True, True]


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


@pytest.mark.parametrize(
    ("home", "data", "refused"),
    [("1", "1", False), ("1", "2", True), ("{checkpoint}", "{checkpoint}", True)],
)
def test_one_variable_that_two_volumes_set_to_two_values_is_refused(
    two: Both, home: str, data: str, refused: bool
) -> None:
    told(two, {"env": {"RESUME": home}}, **NAMED)
    told(two, {"env": {"RESUME": data}}, "data", **NAMED)
    two.start_job()
    if not refused:
        assert starts(two.plan()) == [("workload train starts", f"with RESUME={data}, RESUME={home}")]
        return
    with pytest.raises(VastplanError, match="workload train: the volumes of its claims data and home both set RESUME"):
        two.plan()


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


def stops_before_the_start(scene: Theatre, plan: MovePlan, **consent: Any) -> None:
    """Run:AI at pdx is away once pdx is the source, and back afterwards."""

    def lose_runai() -> None:
        if scene.roles()[1] == "SOURCE":
            scene.lab.world.lose("pdx", systems=["runai"])

    scene.clock.watchers.append(lose_runai)
    with pytest.raises(Stopped, match="stage start"):
        scene.run(plan, **consent)
    scene.clock.watchers.clear()
    scene.lab.world.find("pdx")


def test_what_was_begun_goes_on_as_it_was_planned(scene: Theatre) -> None:
    told(scene)
    submit(scene, "train")
    plan = scene.plan()
    stops_before_the_start(scene, plan)
    told(scene, {"env": {"RESUME": "2"}})
    assert specification(scene, f"train-m{scene.run(plan).id}")["environmentVariables"] == TOLD


def test_both_parts_of_a_distributed_workload_are_told() -> None:
    jobs = RunaiJobs("iad", RunaiProvider.__new__(RunaiProvider))
    resume = Resumption({"A": "1"}, "--resume True")
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
    assert jobs.resumed(of_secret, Resumption({"A": "1"})) == {"spec": {"environmentVariables": variables}}
    assert jobs.resumed({"spec": {"args": " -x "}, "masterSpec": None}, Resumption({})) == {
        "spec": {"args": " -x "},
        "masterSpec": None,
    }


FROM = {"env": {"RESUME_FROM": "{checkpoint}"}, "args": "--from {checkpoint}/model --x"}
NAMED: dict[str, Any] = {"complete": {"name": "step-*"}}


def test_a_checkpoint_is_given_to_the_run_and_told_as_a_path_in_the_container(scene: Theatre) -> None:
    told(scene, FROM, **NAMED)
    mounted = {"pvc": [{"existingPvc": True, "claimName": "home", "path": "/mnt/home/"}]}
    submit(scene, "train", args="-y", storage=mounted)
    plan = scene.plan()
    assert starts(plan) == [
        ("workload train starts", "with RESUME_FROM={checkpoint}, --from {checkpoint}/model --x"),
    ]
    shown = {fact.name: fact.value for fact in plan.evidence}
    assert shown["checkpoint of workload train"].startswith("unknown: give it to the run (--checkpoint DIR)")
    with pytest.raises(
        VastplanError, match=r"add --checkpoint DIR, .* on a client at iad: find /home .*step-"
    ) as refused:
        scene.run(plan)
    assert scene.workloads("iad") == {"train": "Running"} and last_moves(scene.lab.workspace()) == (), refused
    done = scene.run(plan, checkpoints=["step-100"])
    spec = specification(scene, f"train-m{done.id}")
    assert spec["environmentVariables"] == [{"name": "RESUME_FROM", "value": "/mnt/home/step-100"}]
    assert spec["args"] == "-y --from /mnt/home/step-100/model --x"
    scene.lab._tokens.clear()
    home = scene.run(scene.plan("iad"), checkpoints=[f"train-m{done.id}=step-200"])
    spec = specification(scene, f"train-m{home.id}", "iad")
    assert spec["environmentVariables"] == [{"name": "RESUME_FROM", "value": "/mnt/home/step-200"}]
    assert spec["args"] == "-y --from /mnt/home/step-200/model --x"


def test_who_goes_on_may_give_a_later_checkpoint(scene: Theatre) -> None:
    told(scene, FROM, **NAMED)
    submit(scene, "train")
    plan = scene.plan()
    stops_before_the_start(scene, plan, checkpoints=["step-100"])
    done = scene.run(plan, checkpoints=["step-200"])
    assert specification(scene, f"train-m{done.id}")["args"] == "--from /home/step-200/model --x"


def test_what_was_kept_and_what_is_rehearsed_start_from_what_has_arrived(scene: Theatre) -> None:
    told(scene, FROM, complete={"marker": "COMPLETE"})
    submit(scene, "train")
    arm(scene)
    scene.clock.sleep(3700)
    with pytest.raises(VastplanError, match=r"on a client at pdx: find /home .*COMPLETE"):
        scene.run(rehearse(scene))
    lose(scene)
    plan = scene.plan(mode="unplanned")
    with pytest.raises(VastplanError, match=r"on a client at pdx: find /home .*COMPLETE"):
        scene.run(plan)
    told_so = r"no workload epoch in this move \(it has train\); a directory of that name is train=epoch=3-step=400"
    with pytest.raises(VastplanError, match=told_so):
        scene.run(plan, checkpoints=["epoch=3-step=400"])
    done = scene.run(plan, checkpoints=["train=epoch=3-step=400"])
    assert specification(scene, f"train-m{done.id}")["args"] == "--from /home/epoch=3-step=400/model --x"


def test_each_of_several_workloads_is_given_its_own(scene: Theatre, capsys: pytest.CaptureFixture[str]) -> None:
    told(scene, FROM, **NAMED)
    submit(scene, "train")
    submit(scene, "tune")
    plan = scene.plan()
    with pytest.raises(VastplanError, match=r"train starts with \{checkpoint\}: add --checkpoint train=DIR"):
        scene.run(plan)
    with pytest.raises(VastplanError, match="give one for each workload: --checkpoint train=DIR --checkpoint tune=DIR"):
        scene.run(plan, checkpoints=["step-100"])
    with pytest.raises(VastplanError, match=r"tune starts with \{checkpoint\}: add --checkpoint tune=DIR"):
        scene.run(plan, checkpoints=["train=step-100"])
    with pytest.raises(VastplanError, match=r"workload train has two: step-100 and step-200 \(give one\)"):
        scene.run(plan, checkpoints=["train=step-100", "train=step-200", "tune=step-7"])
    with pytest.raises(VastplanError, match=r"no workload nope in this move \(it has train, tune\)$"):
        scene.run(plan, checkpoints=["nope=step-100", "tune=step-7"])
    done = scene.run(plan, checkpoints=["train=step-100", "tune=step-7"])
    given = {
        f"workload {name} starts from checkpoint {step}" for name, step in (("train", "step-100"), ("tune", "step-7"))
    }
    assert given <= set(scene.told)
    assert specification(scene, f"train-m{done.id}")["args"] == "--from /home/step-100/model --x"
    assert specification(scene, f"tune-m{done.id}")["args"] == "--from /home/step-7/model --x"


def test_the_command_that_is_printed_has_the_option_and_keeps_what_was_typed(
    scene: Theatre, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told(scene, FROM, **NAMED)
    submit(scene, "train")
    plan, given = scene.plan(), list[Any]()

    def run_move(_: Any, __: Any, ___: Any, again: str, consent: Any, **more: Any) -> Any:
        given.append((again, consent.get(GIVEN)))
        raise VastplanError("enough")

    monkeypatch.setattr(commands, "_MOVE", replace(commands._MOVE, run=run_move))
    file = scene.lab.folder / "move.json"
    MOVE_FILE.save(plan, file)
    assert commands._MOVE.to_run(plan, file, None) == f"vastplan move run {file} --checkpoint DIR"
    document = ["--document", str(scene.lab.folder / "lab.yaml")]
    assert main(["move", "run", str(file), "--checkpoint", "step-1", "--auto-approve", *document]) == 1
    assert main(["move", "run", str(file), "--auto-approve", *document]) == 1
    again = f"vastplan move run {file} {' '.join(document)}"
    assert given == [(f"{again} --checkpoint step-1", ["step-1"]), (f"{again} --checkpoint DIR", None)]


def test_what_is_left_to_give_is_printed_beside_what_was_typed(scene: Theatre) -> None:
    told(scene, FROM, **NAMED)
    submit(scene, "train")
    submit(scene, "tune")
    plan, consents = scene.plan(), commands._MOVE.consents
    assert consents(plan) == ["--checkpoint", "train=DIR", "--checkpoint", "tune=DIR"]
    assert consents(plan, ["tune=step-7"]) == ["--checkpoint", "tune=step-7", "--checkpoint", "train=DIR"]
    assert consents(plan, ["tune=step-7"], begun=True) == ["--checkpoint", "tune=step-7"]


def test_who_goes_on_by_the_id_may_give_a_later_checkpoint(scene: Theatre) -> None:
    told(scene, FROM, **NAMED)
    submit(scene, "train")
    plan = scene.plan()
    stops_before_the_start(scene, plan, checkpoints=["step-100"])
    done = scene.go_on(plan, checkpoints=["step-200"])
    assert "workload train starts from checkpoint step-200" in scene.told
    assert specification(scene, f"train-m{done.id}")["args"] == "--from /home/step-200/model --x"


@pytest.mark.parametrize(
    ("directory", "why"),
    [
        ("..", "is not the name of a directory directly below"),
        (".", "is not the name of a directory directly below"),
        ("", "is not the name of a directory directly below"),
        ("a/b", "is not the name of a directory directly below"),
        ("/step-1", "is not the name of a directory directly below"),
        ("step-1 ", "is not the name of a directory directly below"),
        ("step-1\n", "is not the name of a directory directly below"),
        ("step-\x1b[2J", r"step-\\x1b\[2J is not the name"),
        ("step-$(HOME)", "is not the name of a directory directly below"),
        ("x" * 256, "is not the name of a directory directly below"),
        ("epoch-1", r"epoch-1 is not complete by the document \(complete: step-\*\)"),
        ("step-400.tmp", r"step-400.tmp is not complete by the document"),
    ],
)
def test_what_is_no_name_of_a_complete_checkpoint_is_refused(directory: str, why: str) -> None:
    how = {"args": "{checkpoint}", "name": "step-*", "find": "on a client at iad: find"}
    jobs = ({"id": "1", "name": "train", "to_claim": "home", RESUMED: {"home": how}},)
    with pytest.raises(VastplanError, match=why):
        with_checkpoints(jobs, [directory])
    with pytest.raises(VastplanError, match=r"no workload of the plan starts with"):
        with_checkpoints(({**jobs[0], "to_claim": ""},), ["step-1"])
    named = ({**jobs[0], RESUMED: {"home": {**how, "name": "step=*"}}},)
    assert with_checkpoints(named, ["step=4"])[0]["checkpoint"] == "step=4", "a directory, and no workload step"


def test_a_rule_with_a_dot_of_its_own_takes_such_a_name() -> None:
    assert is_complete("step-4.ckpt", "step-*.ckpt") and not is_complete("step-4", "step-*.ckpt")
    assert (
        is_complete("step-4", "step-*") and is_complete("step-4-x", "step-*-x") and not is_complete("step-4.a", "s*-*")
    )


def test_a_part_that_mounts_it_elsewhere_is_told_its_own_path() -> None:
    jobs = RunaiJobs("iad", RunaiProvider.__new__(RunaiProvider))
    resume = Resumption({}, "--from {checkpoint}", "home", "step-1")
    mounts = [
        {"pvc": [{"claimName": "data", "path": "/d"}, {"claimName": "home", "path": path}]} for path in ("/w", "/m")
    ]
    parts = jobs.resumed({"spec": {"storage": mounts[0]}, "masterSpec": {"storage": mounts[1]}}, resume)
    assert (parts["spec"]["args"], parts["masterSpec"]["args"]) == ("--from /w/step-1", "--from /m/step-1")
    parts = jobs.resumed({"spec": {"storage": mounts[0]}, "masterSpec": {"args": "-z"}}, resume)
    assert (parts["spec"]["args"], parts["masterSpec"]["args"]) == ("--from /w/step-1", "-z --from /w/step-1")


def test_arguments_of_the_user_stay_as_they_are() -> None:
    jobs = RunaiJobs("iad", RunaiProvider.__new__(RunaiProvider))
    storage = {"pvc": [{"claimName": "home", "path": "/w"}]}
    args = "/w/train.py --from /base --data /w/step-0 --from /w/step-1/x"
    resume = Resumption({}, "--from {checkpoint}", "home", "step-2")
    once = jobs.resumed({"spec": {"args": args, "storage": storage}}, resume)
    assert once["spec"]["args"] == f"{args} --from /w/step-2"
    assert jobs.resumed(once, replace(resume, checkpoint="step-3"))["spec"]["args"] == f"{args} --from /w/step-3"


def test_a_checkpoint_needs_a_rule_by_which_it_is_found() -> None:
    values = {"size": 10**9, "interval": "15m", "resume": {"args": "--from {checkpoint}"}}
    with pytest.raises(ValidationError, match=r"resume with \{checkpoint\} needs complete"):
        Checkpoint.model_validate(values, context={"canonical": True})
    Checkpoint.model_validate({**values, "complete": {"marker": "OK"}}, context={"canonical": True})


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
        ({"args": " {checkpoint}"}, "write it with its option"),
        ({"env": {"HF_TOKEN": "hf-51e0c4a7"}}, "the variable HF_TOKEN looks like a secret"),
        ({"env": {"URL": "s3://me:hf-51e0c4a7@host"}}, "the variable URL looks like a secret"),
        ({"args": "--api-key=hf-51e0c4a7"}, "args: api-key looks like a secret"),
    ],
)
def test_what_is_no_variable_no_line_or_a_secret_is_refused(resume: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why) as refused:
        Checkpoint.model_validate({"size": 10**9, "interval": "15m", "resume": resume}, context={"canonical": True})
    assert "hf-51e0c4a7" not in str(refused.value.errors(include_input=False))
