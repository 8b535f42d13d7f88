"""An ordinary apply while a move is under way, and the command line."""

from __future__ import annotations

import json

import pytest

from tests.moving.theatre import HOME, Theatre
from vastplan.cli import main
from vastplan.model.address import Address
from vastplan.operations.run import Stopped


def stopped(scene: Theatre) -> str:
    """A move that waits for a link; its id."""
    plan = scene.plan()
    scene.lab.world.link("iad", "pdx", up=False)
    with pytest.raises(Stopped):
        scene.run(plan)
    return plan.id[:8]


def test_what_is_being_moved_is_left_alone_and_nothing_else(scene: Theatre) -> None:
    move = stopped(scene)
    sections = json.loads(json.dumps(scene.lab.sections))
    sections["tenants"]["team"]["volumes"]["home"]["size"] = "11 TiB"
    sections["departments"]["research"]["gpus"]["default"] = 20
    scene.lab.write(sections)
    plan = scene.lab.plan()
    blocked = {str(action.address): action.blocked for action in plan.actions if action.blocked}
    assert "iad/quota/home" in blocked and not any(" department" in address for address in blocked)
    (block,) = [block for block in blocked["iad/quota/home"] if block.guard == "under-way"]
    assert f"the move {move} of iad/protected_path/home to pdx is under way" in block.message
    assert f"vastplan move abort PATH {move}" in block.fix
    assert Address("iad", "department", "research") in {action.address for action in plan.actions if not action.blocked}


def test_the_commands(scene: Theatre, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    document = ["lab.yaml"]
    assert (
        main(["move", "plan", *document, str(HOME), "--to", "pdx", "--out", "move.json", "--report", "move.html"]) == 0
    )
    page = (scene.lab.folder / "move.html").read_text()
    assert "The point of no return lies here." in page and "vastplan move run move.json" in page
    told = capsys.readouterr().out
    assert "the point of no return lies here" in told and "to do it: vastplan move run move.json" in told
    assert main(["move", "status", *document]) == 0
    assert "no move is known" in capsys.readouterr().out
    assert main(["move", "run", "move.json", "--auto-approve"]) == 0
    told = capsys.readouterr().out
    line = next(
        n
        for n, text in enumerate((scene.lab.folder / "lab.yaml").read_text().splitlines(), 1)
        if text.strip() == "home:"
    )
    assert f"by hand: change the document, at lab.yaml:{line}:" in told and "(active: pdx; " in told
    assert scene.roles() == ("DESTINATION", "SOURCE")
    assert main(["move", "status", *document, "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["phase"], one["target"]) == ("done", "pdx")
    assert main(["move", "abort", *document, one["id"], "--auto-approve"]) == 1
    assert "has ended (done)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["iad/volume/nothing", "--to", "pdx"], "is not a replicated volume, view, bucket or protected path"),
        (["iad/volume/home", "--to", "mars"], "no site mars; known: iad, pdx"),
        (["iad/volume/home", "--to", "iad"], "iad is already the source"),
        (["home", "--to", "pdx"], "home"),
        (["iad/volume/home", "--to", "pdx", "--broken", "it is slow"], "--broken REASON needs --unplanned"),
        (["iad/volume/home", "--to", "pdx", "--unplanned"], "iad answers, so a planned move loses nothing"),
    ],
)
def test_what_cannot_be_moved_is_told(
    scene: Theatre, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: list[str], told: str
) -> None:
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    assert main(["move", "plan", "lab.yaml", *typed]) == 1
    assert told in capsys.readouterr().err
