"""A project whose site is lost: all its volumes go on at the other site in one move, each as of its own restore point."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.conftest import Run
from tests.force import by_force
from tests.moving.matrix import Killed, goes_on, killed, taken_back
from tests.moving.test_home import command as printed
from tests.moving.test_home import done
from tests.moving.theatre import HOME
from tests.moving.together import DIRECTORIES, TEAM, Both, asked_of, both
from tests.two_sites import as_asked
from vastplan.app.move import abort_move, arm_move, last_moves, plan_in_advance, plan_move, run_move
from vastplan.cli import main
from vastplan.cli.screen import Screen
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Operation, Outcome, Phase
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedMove
from vastplan.sim.faults import Effect, Fault
from vastplan.systems.transport import Answer, ClientRequest, Transport

DATA, PATH = "iad/protected_path/data", "iad/protected_path/home"
EVENTS = 184
"""How many events such a move has, which a test holds."""
Held = dict[str, list[str]]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as one:
        yield one


@pytest.fixture
def typed(scene: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are typed beside the document, and wait in the world's time."""
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setattr("vastplan.app.move.CLOCK", scene.clock)
    monkeypatch.setattr("vastplan.cli.operation.now", scene.clock.now)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")


def parted(scene: Both) -> None:
    """The restore point of one volume is ten minutes later than that of the other, and both have written since."""
    scene.clock.sleep(3600)
    scene.write("iad", "step-1")
    scene.clock.sleep(600)
    scene.lab._tokens.clear()
    end = {"time_expires_local": "2999-01-01T00:00:00", "time_expires_target": "2999-01-01T00:00:00"}
    path = f"/api/v5/protectedpaths/{scene.rows('iad')['home']['id']}/replicate_now/"
    scene.lab.by_hand("iad", "vast", "PATCH", path, end)
    scene.clock.sleep(120)
    scene.write("iad", "late")


def lost(scene: Both) -> Held:
    """The site is lost with its power; what was at pdx then."""
    parted(scene)
    kept = scene.held("pdx")
    scene.lab.world.lose("iad", power=True)
    scene.clock.sleep(60)
    return kept


def done_as_of(scene: Both, kept: Held) -> None:
    assert {row["role"] for row in scene.rows("pdx").values()} == {"SOURCE"}
    assert scene.held("pdx") == kept and all(kept[directory] for directory in DIRECTORIES)
    with scene.lab.workspace().ledger() as backend:
        here, there = (backend.read(site).operations for site in ("iad", "pdx"))
    assert here == there and len(here) == 2
    assert {(one.phase, one.mode) for one in here.values()} == {(Phase.DONE, "unplanned")}


def calls_of(operation: Operation, stage: str) -> list[str]:
    return [attempt.call.partition(": ")[2] or attempt.call for attempt in operation.of(stage)]


def test_all_volumes_take_over_as_of_their_restore_points(scene: Both) -> None:
    kept = lost(scene)
    with pytest.raises(VastplanError, match=f"if iad is lost: vastplan move run .* {TEAM} --to pdx --unplanned$"):
        scene.plan()
    began = scene.clock.ticks()
    plan = scene.plan(mode="unplanned")
    assert scene.clock.ticks() - began == 30, "the site is asked for half a minute, not for each volume"
    points = plan.lose_each
    assert sorted(points) == sorted(plan.paths) == [DATA, PATH]
    assert points[DATA]["created"] < points[PATH]["created"] and plan.lose == points[DATA]
    assert (
        f"of 2 paths after its restore point, an unknown number of bytes; the oldest is {plan.lose['guid']} of {DATA}"
        in plan.loss
    )
    told = {fact.name: fact.value for fact in plan.evidence if fact.name.endswith("goes back to")}
    assert told[f"{DATA}: goes back to"].startswith(f"{points[DATA]['guid']} as of {points[DATA]['created']}, ")
    assert told[f"{DATA}: goes back to"].endswith("min old, the oldest: it stands for all in the consent")
    assert told[f"{PATH}: goes back to"].endswith("later than the oldest")
    assert [stage.name for stage in plan.stages] == ["look", "fence", "detach", "take over", "open", "start"]
    began = scene.clock.ticks()
    reached = []

    def report(text: str) -> None:
        if "fence" in text:
            reached.append(scene.clock.ticks() - began)

    done = run_move(scene.lab.workspace(), plan, report, "move.json", scene.clock, {"lose_said": plan.lose["guid"]})
    assert reached == [0] and done.facts["fenced"].startswith("not fenced")
    assert done.consent["lose"] == plan.lose and done.consent["lose_said"] == points[DATA]["guid"]
    assert done.consent["of each"] == {plan.paths[path]: {"lose": point} for path, point in points.items()}
    order = [attempt.stage for attempt in done.attempts]
    assert order == ["detach", "detach", "take over", "take over"]
    assert done.address == str(TEAM) and scene.run(plan).phase is Phase.DONE and scene.told == []
    done_as_of(scene, kept)


def test_a_lost_site_is_waited_for_once(scene: Both) -> None:
    """Each read of it may take as long as a connection is tried for."""
    lost(scene)
    plan = scene.plan(mode="unplanned")
    with asked_of(scene, "iad", "vast") as asked:
        scene.run(plan)
    assert asked == ["/protectedpaths/"]


def test_who_still_answers_is_suspended_once_and_submitted_once(scene: Both) -> None:
    plan = half_lost(scene)
    assert [(job["name"], job["to_claim"], job["others"]) for job in plan.jobs] == [
        ("train", "data-there", {"home": "home"})
    ]
    done = scene.run(plan)
    assert done.facts["fenced"] == "the workloads at iad have stopped"
    assert scene.workloads("iad") == {"train": "Stopped"}
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    assert len(done.of("fence")) == len(done.of("start")) == 1
    rows = scene.lab.by_hand("pdx", "runai", "GET", "/api/v1/workloads")["workloads"]
    shown = scene.lab.by_hand("pdx", "runai", "GET", f"/api/v1/workloads/trainings/{rows[0]['id']}")
    assert [one["claimName"] for one in shown["spec"]["storage"]["pvc"]] == ["home", "data-there"]


def test_nobody_is_submitted_of_whom_only_some_volumes_can_be_read(scene: Both) -> None:
    half_lost(scene)
    faults = scene.lab.world.sites["iad"].servers["runai"].faults
    faults.arm(Fault(Effect.STATUS, method="GET", path=r".*/workloads.*", after=2, times=1000, status=403))
    assert scene.plan(mode="unplanned").jobs == ()


@pytest.mark.parametrize("broken", ["", "its file system is damaged"])
def test_a_site_that_answers_is_given_up_only_for_a_reason(scene: Both, broken: str) -> None:
    if not broken:
        with pytest.raises(VastplanError, match="iad/project/team: iad answers, so a planned move loses nothing"):
            scene.plan(mode="unplanned")
        return
    parted(scene)
    kept = scene.held("pdx")
    done = scene.run(scene.plan(mode="unplanned", broken=broken))
    assert done.consent["broken"] == broken
    done_as_of(scene, kept)


def test_one_that_is_planned_in_advance_asks_twice_and_not_for_each_volume(scene: Both) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "log", gpus=1, claim_names=["data"])
    arm_move(scene.lab.workspace(), TEAM, "pdx", print, "again", scene.clock)
    plan = plan_in_advance(scene.lab.workspace(), TEAM, "pdx", scene.clock)
    assert sorted(plan.lose_each) == [DATA, PATH] and [job["name"] for job in plan.jobs] == ["log"]
    kept = lost(scene)
    done, reached = scene.waited(plan)
    assert reached == [15] and done.phase is Phase.DONE
    assert scene.workloads("pdx") == {f"log-m{done.id}": "Running"}
    assert {row["role"] for row in scene.rows("pdx").values()} == {"SOURCE"} and scene.held("pdx") == kept


def test_a_kept_workload_is_submitted_once_with_all_its_claims_or_not_at_all(scene: Both) -> None:
    scene.start_job()
    arm_move(scene.lab.workspace(), TEAM, "pdx", print, "again", scene.clock)
    lost(scene)
    alone = plan_move(scene.lab.workspace(), WantedMove(HOME, "pdx", "unplanned"), scene.clock)
    assert [(job["to_claim"], job["lacks"]) for job in alone.jobs] == [("", ["data"])]
    plan = plan_move(scene.lab.workspace(), WantedMove(TEAM, "pdx", "unplanned"), scene.clock)
    assert [job["name"] for job in plan.jobs] == ["train"]
    done = scene.run(plan)
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    (row,) = scene.lab.by_hand("pdx", "runai", "GET", "/api/v1/workloads")["workloads"]
    shown = scene.lab.by_hand("pdx", "runai", "GET", f"/api/v1/workloads/trainings/{row['id']}")
    assert [one["claimName"] for one in shown["spec"]["storage"]["pvc"]] == ["home", "data-there"]


def without_point(scene: Both, guid: str) -> None:
    """A restore point has gone from pdx."""
    with scene.lab.world.lock:
        cluster = scene.vast("pdx")._cluster
        for row in list(cluster.rows("replicationrestorepoints", guid=guid)):
            cluster.remove("replicationrestorepoints", row)


@pytest.mark.parametrize("path", [DATA, PATH])
def test_each_volume_is_held_to_its_own_restore_point(scene: Both, path: str) -> None:
    lost(scene)
    plan = scene.plan(mode="unplanned")
    guid = plan.lose_each[path]["guid"]
    without_point(scene, guid)
    with pytest.raises(
        Stopped, match=f"stage look: {path}: the newest restore point at pdx is .*, not {guid} or a later one"
    ):
        scene.run(plan)
    assert {row["role"] for row in scene.rows("pdx").values()} == {"DESTINATION"}
    assert scene.abort(plan).phase is Phase.ABORTED


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.usefixtures("typed")
def test_a_volume_without_a_restore_point_is_told_by_name_with_the_way_of_the_others(scene: Both, one: bool) -> None:
    lost(scene)
    with scene.lab.world.lock:
        cluster = scene.vast("pdx")._cluster
        for row in list(
            cluster.rows("replicationrestorepoints", protected_path_guid=scene.rows("pdx")["home"]["guid"])
        ):
            cluster.remove("replicationrestorepoints", row)
    wanted = WantedMove(HOME if one else TEAM, "pdx", "unplanned")
    with pytest.raises(VastplanError, match=f"{PATH}: no restore point of it has arrived at pdx") as refused:
        plan_move(scene.lab.workspace(), wanted, scene.clock)
    commands = re.findall(r"vastplan move plan [^;]+", str(refused.value))
    assert len(commands) == (0 if one else 1)
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0 and (scene.lab.folder / "data.json").exists()


def until(scene: Both, plan: MovePlan, stage: str) -> None:
    """The run ends where it says that a stage begins."""

    def stop(text: str) -> None:
        if f"] {stage}" in text:
            raise VastplanError("stopped here")

    with pytest.raises(VastplanError, match="stopped here"):
        run_move(scene.lab.workspace(), plan, stop, "move.json", scene.clock)


def half_lost(scene: Both) -> MovePlan:
    """Only the cluster is lost, and the workload can still be read."""
    scene.start_job()
    scene.clock.sleep(3700)
    scene.lab.world.lose("iad", systems=["vast"], links=True)
    scene.clock.sleep(60)
    return scene.plan(mode="unplanned")


@pytest.mark.parametrize("mounted", [False, True])
def test_a_volume_on_one_site_only_stays_and_who_does_not_mount_it_goes_on(scene: Both, mounted: bool) -> None:
    """It was armed path by path, and then nobody was submitted, if a project had one such volume that no workload mounts."""
    team = scene.lab.sections["tenants"]["team"]
    scratch = {"sites": ["iad"], "path": "/team/scratch", "size": "1 TiB", "mount": "/scratch"}
    scene.lab.write(
        {**scene.lab.sections, "tenants": {"team": {**team, "volumes": {**team["volumes"], "scratch": scratch}}}}
    )
    scene.lab.converge()
    if mounted:
        with scene.lab.world.lock:
            scene.runai("iad").submit("team", "tune", gpus=0, claim_names=["home", "scratch"])
        with pytest.raises(VastplanError, match="as it is: tune mounts iad/volume/scratch, which lives at iad only"):
            scene.plan()
    scene.start_job()
    armed = arm_move(scene.lab.workspace(), TEAM, "pdx", scene.told.append, "again", scene.clock)
    assert len(armed) == 2
    scene.clock.sleep(3700)
    scene.lab.world.lose("iad", power=True, jobs="stop")
    scene.clock.sleep(60)
    plan = scene.plan(mode="unplanned")
    facts = {fact.name: fact.value for fact in plan.evidence}
    without = ", so tune is not submitted at pdx" if mounted else ""
    assert facts["iad/volume/scratch"] == f"lives at iad only: nothing replicates it: it stays at iad{without}"
    scene.run(plan)
    assert [(name.partition("-")[0], phase) for name, phase in scene.workloads("pdx").items()] == [("train", "Running")]


def test_before_the_first_call_it_is_taken_back(scene: Both) -> None:
    plan = half_lost(scene)
    until(scene, plan, "detach")
    assert scene.workloads("iad") == {"train": "Stopped"}
    assert scene.abort(plan).phase is Phase.ABORTED
    assert scene.workloads("iad")["train"] in ("Resuming", "Running")
    assert {row["role"] for row in scene.rows("pdx").values()} == {"DESTINATION"}


def test_after_the_first_call_the_others_follow(scene: Both) -> None:
    plan = half_lost(scene)
    until(scene, plan, "detach")
    sent: list[str] = []
    call = Transport.call

    def called(transport: Transport, request: ClientRequest) -> Answer:
        if request.method == "PATCH":
            if sent:
                raise Killed
            sent.append(request.path)
        return call(transport, request)

    with patch.object(Transport, "call", called), pytest.raises(Killed):
        scene.run(plan)
    (record,) = last_moves(scene.lab.workspace())
    assert [attempt.outcome for attempt in record.of("detach")] == [Outcome.SEEN, Outcome.PENDING]
    with pytest.raises(Stopped, match="can no longer be taken back: pdx was detached"):
        abort_move(scene.lab.workspace(), plan.id[:8], print, scene.clock)
    goes_on(scene, plan)
    assert {row["role"] for row in scene.rows("pdx").values()} == {"SOURCE"}
    assert scene.workloads("pdx") == {f"train-m{plan.id[:8]}": "Running"}


def test_past_the_point_of_no_return_one_that_is_refused_keeps_no_other(scene: Both) -> None:
    kept = lost(scene)
    plan = scene.plan(mode="unplanned")
    until(scene, plan, "take over")
    first = scene.rows("pdx")["data"]["id"]
    faults = scene.lab.world.sites["pdx"].servers["vast"].faults
    faults.arm(Fault(Effect.STATUS, method="PATCH", path=rf".*/protectedpaths/{first}/force_failover", status=400))
    with pytest.raises(
        Stopped, match=f"stage take over: PATCH /protectedpaths/{first}/force_failover at pdx was refused"
    ) as stop:
        scene.run(plan)
    (record,) = last_moves(scene.lab.workspace())
    assert [attempt.outcome for attempt in record.of("take over")] == [Outcome.FAILED, Outcome.SEEN]
    silent = "iad did not answer when it was first asked ("
    assert f"now: {DATA}: {silent}" in str(stop.value) and f"; {PATH}: {silent}" in str(stop.value)
    goes_on(scene, plan)
    done_as_of(scene, kept)


def test_before_it_one_that_is_refused_stops_all(scene: Both) -> None:
    lost(scene)
    plan = scene.plan(mode="unplanned")
    faults = scene.lab.world.sites["pdx"].servers["vast"].faults
    faults.arm(Fault(Effect.STATUS, method="PATCH", path=r".*/protectedpaths/\d+/", status=400))
    with pytest.raises(Stopped, match="was refused"):
        scene.run(plan)
    assert {row["role"] for row in scene.rows("pdx").values()} == {"DESTINATION"}
    assert scene.abort(plan).phase is Phase.ABORTED


def approvals(*paths: str) -> Path:
    lines = [f"  - {{address: {path}, reason: {path.rpartition('/')[2]} may go, until: 2999-01-01}}" for path in paths]
    file = Path("yes.yaml")
    file.write_text("\n".join(["version: 1", "approvals:", *lines, ""]))
    return file


@pytest.mark.usefixtures("typed")
def test_it_comes_home_as_a_whole_by_the_commands_that_are_printed(
    scene: Both, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one path alone its workload, which mounts both, would be suspended and submitted nowhere."""
    monkeypatch.setattr(Screen, "answer", as_asked)
    scene.start_job()
    told = done(vastplan("move", "arm", "lab.yaml", str(TEAM), "--to", "pdx", "--out", "armed.json"))
    parted(scene)
    scene.lab.world.lose("iad", power=True, jobs="stop")
    scene.clock.sleep(60)
    told = done(vastplan(*printed(told, "when iad is lost")))
    assert re.findall(r"(?m)^(\S+) goes back to", told) == [], "these lines are progress"
    assert re.findall(r"(?m)^  (\S+) goes back to \S+ as of", told) == [DATA, PATH]
    scene.lab.world.find("iad")
    scene.clock.sleep(60)
    for way in re.findall(r"by hand: once iad is back: vastplan ([^(\n]+)", told):
        told = done(vastplan(*shlex.split(way)))
    home = printed(told, f"to move back to iad, once {DATA}, {PATH} have rejoined")
    assert home == ["move", "run", "lab.yaml", "pdx/project/team", "--to", "iad"]
    told = done(vastplan(*home))
    assert scene.roles_of_all() == {("SOURCE", "DESTINATION")}
    assert sorted(scene.workloads("iad").values()) == ["Running", "Stopped"]
    assert "resume it there" not in told, "it would write beside the one that came home"


@pytest.mark.usefixtures("typed")
def test_the_oldest_restore_point_is_what_is_typed(scene: Both, capsys: pytest.CaptureFixture[str]) -> None:
    lost(scene)
    assert (
        main(
            [
                "move",
                "plan",
                "lab.yaml",
                str(TEAM),
                "--to",
                "pdx",
                "--unplanned",
                "--out",
                "move.json",
                "--report",
                "move.html",
            ]
        )
        == 0
    )
    told = capsys.readouterr().out
    points = json.loads(Path("move.json").read_text())["lose_each"]
    oldest = points[DATA]["guid"]
    assert f"to do it: vastplan move run move.json --lose {oldest}" in told
    for point in points.values():
        assert point["guid"] in told and point["guid"] in Path("move.html").read_text()
    run = ["move", "run", "move.json", "--auto-approve"]
    assert main(run) == 1
    told = capsys.readouterr().err
    assert (
        f"consent to it: vastplan move run move.json --lose {oldest}, or --approvals FILE with an approval of {DATA}, {PATH}"
        in told
    )
    assert main([*run, "--lose", points[PATH]["guid"]]) == 1
    assert (
        f"{TEAM} would go back to the restore point {oldest}, the oldest of 2, not to {points[PATH]['guid']}"
        in capsys.readouterr().err
    )
    assert main([*run, "--lose", oldest]) == 0
    told = capsys.readouterr().out
    for path in (DATA, PATH):
        assert f"by hand: once iad is back: vastplan move run lab.yaml {path} --rejoin iad" in told
    scene.lab.world.find("iad")
    scene.clock.sleep(60)
    assert main(["move", "status", "lab.yaml"]) == 0
    told = capsys.readouterr().out
    for path in (DATA, PATH):
        assert f"vastplan move run lab.yaml {path} --rejoin iad" in told
    main(["plan", "lab.yaml"])
    told = " ".join(capsys.readouterr().out.split())
    for path in (DATA, PATH):
        assert f"vastplan move plan PATH {path} --rejoin iad" in told
    for options in ("--rejoin iad", "--keep iad", "--rejoin pdx", "--to pdx --rehearse"):
        assert main(["move", "run", "lab.yaml", str(TEAM), *options.split()]) == 1
        each = "; ".join(f"vastplan move run lab.yaml {path} {options}" for path in (DATA, PATH))
        assert f"take its volumes one by one; {each}\n" in capsys.readouterr().err
    assert main(["move", "run", "lab.yaml", str(TEAM), "--rejoin", "nowhere"]) == 1
    assert "no site nowhere" in capsys.readouterr().err
    assert main(["move", "plan", "lab.yaml", PATH, "--rejoin", "iad", "--out", "back.json"]) == 0


@pytest.mark.usefixtures("typed")
def test_an_approval_has_to_be_of_each_volume(scene: Both, capsys: pytest.CaptureFixture[str]) -> None:
    lost(scene)
    assert main(["move", "plan", "lab.yaml", str(TEAM), "--to", "pdx", "--unplanned", "--out", "move.json"]) == 0
    run = ["move", "run", "move.json", "--auto-approve", "--approvals", "yes.yaml"]
    for given in ((DATA,), (str(TEAM),)):
        approvals(*given)
        assert main(run) == 1
        missing = ", ".join(path for path in (DATA, PATH) if path not in given)
        assert f"or --approvals FILE with an approval of {missing}\n" in capsys.readouterr().err
    approvals(DATA, PATH)
    assert main(run) == 0
    (record,) = last_moves(scene.lab.workspace())
    assert record.consent["approved"] == "data may go; home may go"
    capsys.readouterr()
    assert main(["ledger", "log", "lab.yaml", "--format", "json"]) == 0
    newest = json.loads(capsys.readouterr().out)["runs"][0]
    assert sorted(one["address"] for one in newest["approvals"]) == [DATA, PATH]


def test_how_many_events_it_has(scene: Both) -> None:
    kept = lost(scene)
    assert killed(scene, scene.plan(mode="unplanned"), -1) == EVENTS
    done_as_of(scene, kept)


@pytest.mark.parametrize("deadly", by_force(list(range(EVENTS)), "93"))
def test_one_that_is_killed_goes_on(scene: Both, deadly: int) -> None:
    kept = lost(scene)
    plan = scene.plan(mode="unplanned")
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    done_as_of(scene, kept)


@pytest.mark.parametrize("deadly", by_force(list(range(0, EVENTS, 5)), "60"))
def test_one_that_is_killed_is_taken_back_until_the_first_call(scene: Both, deadly: int) -> None:
    kept = lost(scene)
    plan = scene.plan(mode="unplanned")
    killed(scene, plan, deadly)
    if taken_back(scene, plan, deadly):
        assert {row["role"] for row in scene.rows("pdx").values()} == {"DESTINATION"}
        return
    goes_on(scene, plan, deadly)
    done_as_of(scene, kept)
