"""Loss, return and the way home as somebody types them, in as few commands as are told, and the document afterwards."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.moving.test_arm import lose, submit
from tests.moving.test_together import with_active
from tests.moving.theatre import Theatre, shared_theatre
from tests.two_sites import as_asked
from vastplan.app.move import last_moves
from vastplan.cli.screen import Screen
from vastplan.ledger.events import Event
from vastplan.ledger.file import FileSession

VOLUME = "iad/volume/home"


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path, sections=with_active("iad")) as made:
        made.clock.sleep(120)
        made.lab.converge()
        made.clock.sleep(130)
        yield made


@pytest.fixture
def typed(scene: Theatre, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands that somebody types in the folder of the document, who answers as asked: `yes`, or the restore point."""
    monkeypatch.chdir(scene.lab.folder)
    scene.lab.workspace()
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setattr("vastplan.cli.operation.now", scene.clock.now)

    monkeypatch.setattr(Screen, "answer", as_asked)
    return vastplan


def active(scene: Theatre) -> str:
    document = yaml.safe_load((scene.lab.folder / "lab.yaml").read_text(encoding="utf-8"))
    return str(document["tenants"]["team"]["volumes"]["home"]["active"])


def done(ran: Ran) -> str:
    assert ran.code == 0, ran.out + ran.err
    return ran.out


def command(text: str, label: str) -> list[str]:
    """The words of the command that is printed behind a label, as somebody copies them."""
    found = re.search(rf"{label}: vastplan ([^(\n]+)", text)
    assert found, text
    return shlex.split(found[1])


def test_loss_return_and_home_are_a_command_each_and_nothing_is_edited(scene: Theatre, typed: Run) -> None:
    submit(scene, "train")
    told = done(typed("move", "arm", "lab.yaml", VOLUME, "--to", "pdx", "--out", "armed.json"))
    lose(scene)
    told = done(typed(*command(told, "when iad is lost")))
    assert list(scene.workloads("pdx").values()) == ["Running"]
    scene.write("pdx", "of-pdx")
    scene.lab.world.find("iad")
    scene.clock.sleep(60)
    twice = "On two sites: 1 failed over (more than one site may be writing)."
    plan = done(typed("plan", "lab.yaml")).splitlines()
    assert plan[0].startswith("Nothing to change") and plan[0].endswith(twice) and plan[-1].endswith(twice)
    assert typed("plan", "lab.yaml", "--detailed-exitcode").code == typed("drift", "lab.yaml").code == 3
    told = done(typed(*command(told, "once iad is back")))
    assert "This loses" not in told and scene.roles() == ("DESTINATION", "SOURCE")
    done(typed(*command(told, "to move back to iad")))
    assert scene.roles() == ("SOURCE", "DESTINATION") and "of-pdx" in scene.labels("iad")
    running = [name for name, phase in scene.workloads("iad").items() if phase == "Running"]
    assert len(running) == 1 and active(scene) == "iad"
    assert typed("plan", "lab.yaml").code == 0
    assert not list(scene.lab.folder.glob("move-*.json"))


@pytest.mark.slow
def test_the_document_says_where_it_is_active_afterwards(scene: Theatre, typed: Run) -> None:
    told = done(typed("move", "run", "lab.yaml", VOLUME, "--to", "pdx", "--accept"))
    assert re.search(r"lab.yaml:\d+:1: active is now pdx; vastplan apply lab.yaml hands it over", told)
    assert "change the document" not in told.partition(": done")[2] and active(scene) == "pdx"
    typed("apply", "lab.yaml", "--auto-approve", "--allow-delete", "iad/data_source/home")
    assert typed("plan", "lab.yaml").code == 0
    told = done(typed("move", "run", "lab.yaml", "pdx/volume/home", "--to", "iad"))
    assert "by hand: change the document" in told and active(scene) == "pdx"
    done(typed("drift", "lab.yaml", "--accept", "pdx/protected_path/home.active"))
    assert active(scene) == "iad"
    assert "no replicated object" in typed("drift", "lab.yaml", "--accept", "iad/volume/other.active").err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["move.json", VOLUME], "takes one FILE, or [PATH] and the ID of a move that has begun"),
        ([VOLUME, "--to", "pdx", "--rejoin", "iad"], "--to or --rejoin, not both"),
        (["lab.yaml", VOLUME, "--to", "mars"], "no site mars"),
        (["lab.yaml", "iad/view/none", "--to", "pdx"], "is not a replicated volume"),
    ],
)
def test_what_is_typed_wrong_is_refused_before_anything_is_done(
    scene: Theatre, typed: Run, words: list[str], why: str
) -> None:
    ran = typed("move", "run", *words)
    assert ran.code == 1 and why in ran.err
    assert scene.roles() == ("SOURCE", "DESTINATION")


def test_a_consent_that_is_mistyped_or_not_given_loses_nothing(
    scene: Theatre, typed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(typed("move", "arm", "lab.yaml", VOLUME, "--to", "pdx", "--out", "armed.json"))
    lose(scene)
    for answer, why in (("yes", "not to yes"), ("", "consent to it"), (None, "consent to it")):
        monkeypatch.setattr(Screen, "answer", lambda *_, said=answer: said)
        ran = typed("move", "run", "armed.json")
        assert ran.code == 1 and why in ran.err
    assert scene.path("pdx")["role"] == "DESTINATION"


def test_one_that_is_interrupted_says_how_to_go_on_and_one_that_was_given_up_who_may_write(
    scene: Theatre, typed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = done(typed("move", "arm", "lab.yaml", VOLUME, "--to", "pdx", "--out", "armed.json"))
    again = command(told, "when iad is lost")
    lose(scene)
    sleep, slept = scene.clock.sleep, list[float]()

    def interrupted(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            raise KeyboardInterrupt
        sleep(seconds)

    monkeypatch.setattr(scene.clock, "sleep", interrupted)
    ran = typed(*again)
    assert ran.code == 130 and f"interrupted; go on: vastplan {shlex.join(again)}" in ran.err
    assert "which side may write: vastplan move status " in ran.err
    (scene.lab.folder / "armed.json").unlink()
    known = re.search(r"go on: vastplan (move run PATH [0-9a-f]{8})", typed("move", "status", "lab.yaml").out)
    assert known is not None
    again = known[1].replace("PATH", "lab.yaml").split()
    assert typed(*again[:-1], "0" * 8).code == 1
    monkeypatch.setattr(scene.clock, "sleep", sleep)
    assert "now: iad did not answer when it was first asked (" in done(typed(*again))


def test_a_rehearsal_is_one_command_too(scene: Theatre, typed: Run) -> None:
    assert "rehearse" in done(typed("move", "run", "lab.yaml", VOLUME, "--to", "pdx", "--rehearse"))
    ran = typed("move", "run", "lab.yaml", VOLUME, "--rejoin", "iad", "--rehearse")
    assert ran.code == 1 and "--rehearse needs --to SITE" in ran.err


def test_a_site_that_is_lost_is_given_up_in_one_command_too(scene: Theatre, typed: Run) -> None:
    for options in (
        ("--unplanned",),
        ("--to", "pdx", "--broken", "burnt"),
        ("--to", "pdx", "--unplanned", "--rehearse"),
    ):
        ran = typed("move", "run", "lab.yaml", VOLUME, *options)
        assert ran.code == 1 and (" needs --unplanned" in ran.err or " needs --to SITE" in ran.err), ran.err
    lose(scene)
    ran = typed("move", "run", "lab.yaml", VOLUME, "--to", "pdx")
    assert ran.code == 1 and scene.path("pdx")["role"] == "DESTINATION"
    told = done(typed(*command(ran.err, "; if iad is lost")))
    assert scene.path("pdx")["role"] == "SOURCE" and "unplanned move" in told


def test_a_site_that_is_broken_is_given_up_with_the_reason(scene: Theatre, typed: Run) -> None:
    done(typed("move", "run", "lab.yaml", VOLUME, "--to", "pdx", "--unplanned", "--broken", "it burns"))
    (record,) = last_moves(scene.lab.workspace())
    assert (record.mode, record.consent["broken"]) == ("unplanned", "it burns")
    assert scene.path("pdx")["role"] == "SOURCE"


def test_one_command_that_is_refused_or_answered_no_leaves_nothing_behind(
    scene: Theatre, typed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sorted(scene.lab.folder.iterdir())
    ran = typed("move", "run", "lab.yaml", VOLUME, "--to", "pdx", "--rehearse", "--accept")
    assert ran.code == 1 and "this move changes no role" in ran.err
    monkeypatch.setattr(Screen, "answer", lambda *_: "no")
    assert typed("move", "run", "lab.yaml", VOLUME, "--to", "pdx").code == 1
    assert sorted(scene.lab.folder.iterdir()) == files and last_moves(scene.lab.workspace()) == ()


@pytest.mark.parametrize("begun", [False, True])
def test_one_command_that_is_interrupted_goes_on_as_it_says(
    scene: Theatre, typed: Run, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    """By its id once it has begun; before that it is typed again."""
    record, run = FileSession.record, ["move", "run", "lab.yaml", VOLUME, "--to", "pdx"]

    def interrupted(session: FileSession, *events: Event) -> None:
        if begun:
            record(session, *events)
        raise KeyboardInterrupt

    monkeypatch.setattr(FileSession, "record", interrupted)
    ran = typed(*run)
    monkeypatch.setattr(FileSession, "record", record)
    again = command(ran.err, "interrupted; go on")
    assert ran.code == 130 and again[:3] == run[:3] and (len(again[-1]) == 8 if begun else again == run), ran.err
    ran = typed(*again, "--accept")
    assert (ran.code, "--accept needs a FILE or an ADDRESS" in ran.err) == ((1, True) if begun else (0, False))
    done(typed(*again) if begun else ran)
    assert scene.roles() == ("DESTINATION", "SOURCE") and not list(scene.lab.folder.glob("move-*.json"))
