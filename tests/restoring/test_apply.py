"""An ordinary apply while a restore is under way, the other side of a pair, and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.moving.theatre import Theatre, theatre
from tests.restoring.scene import PATH, Scene
from vastplan.app.restore import plan_restore
from vastplan.cli import main
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedRestore


def stopped(scene: Scene) -> str:
    """A restore whose copy somebody has paused; its id."""

    def pause() -> None:
        (row,) = scene.call("GET", "protectedpaths/")
        if row["restore_task"]:
            scene.call("PATCH", f"protectedpaths/{row['id']}/pause", {"enabled": False})

    for number in range(60):
        scene.write(f"more-{number}")
    scene.snapshot("large")
    plan = scene.in_place("large")
    scene.clock.watchers.append(pause)
    with pytest.raises(Stopped):
        scene.run(plan)
    scene.clock.watchers.clear()
    return plan.id[:8]


def test_what_is_being_restored_is_left_alone_and_nothing_else(scene: Scene) -> None:
    restore = stopped(scene)
    sections = json.loads(json.dumps(scene.lab.sections))
    sections["tenants"]["team"]["volumes"]["home"]["size"] = "11 TiB"
    sections["tenants"]["team"]["volumes"]["scratch"]["size"] = "2 TiB"
    scene.lab.write(sections)
    blocked = {str(one.address): one.blocked for one in scene.lab.plan().actions if one.blocked}
    assert "iad/quota/home" in blocked and "iad/quota/scratch" not in blocked
    (block,) = [block for block in blocked["iad/quota/home"] if block.guard == "under-way"]
    assert block.message.startswith(f"the restore {restore} of iad/volume/home is under way (stage restore)")
    assert f"vastplan restore abort PATH {restore}" in block.fix


@pytest.mark.slow
def test_the_other_side_of_a_pair_is_not_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with theatre(tmp_path) as made:
        made.run(made.plan())
        made.clock.sleep(60)
        _wrong_side(made)


def _wrong_side(made: Theatre) -> None:
    made.lab._tokens.clear()
    snapshots = made.lab.by_hand("iad", "vast", "GET", "/api/v5/snapshots/")
    wanted = WantedRestore(Address("iad", "volume", "home"), snapshots[0]["name"], "in place")
    with pytest.raises(VastplanError, match="it is DESTINATION at iad; a restore in place needs SOURCE"):
        plan_restore(made.lab.workspace(), wanted, made.clock)


def test_the_commands(scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    document = ["lab.yaml", "iad/volume/home", "--snapshot", "good"]
    assert main(["restore", "plan", *document, "--in-place", "--out", "back.json"]) == 0
    told = capsys.readouterr().out
    assert "the point of no return lies here" in told and "to do it: vastplan restore run back.json --lose good" in told
    assert main(["restore", "run", "back.json", "--auto-approve"]) == 1
    assert "consent to it: vastplan restore run back.json --lose good" in capsys.readouterr().err
    assert main(["restore", "run", "back.json", "--auto-approve", "--lose", "other"]) == 1
    assert f"{PATH} would go back to the snapshot good, not to other" in capsys.readouterr().err
    assert main(["restore", "run", "back.json", "--auto-approve", "--lose", "good"]) == 0
    assert "the data before the restore is in the snapshot before-restore-" in capsys.readouterr().out
    assert scene.labels() == ["good"]
    assert main(["restore", "plan", *document, "--out", "new.json"]) == 0
    assert "for the document, after the restore:\n  volumes:" in capsys.readouterr().out
    assert main(["restore", "run", "new.json", "--auto-approve"]) == 0
    assert "volumes:" in capsys.readouterr().out
    assert main(["restore", "status", "lab.yaml", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["mode"], one["phase"]) for one in found] == [("in place", "done"), ("new", "done")]
    assert main(["move", "status", "lab.yaml"]) == 0
    assert "no move is known" in capsys.readouterr().out
    assert main(["restore", "abort", "lab.yaml", found[0]["id"], "--auto-approve"]) == 1
    assert "has ended (done)" in capsys.readouterr().err
    assert main(["restore", "plan", *document, "--in-place", "--as", "x"]) == 1
    assert "--as and --directory are for a new volume" in capsys.readouterr().err


def test_an_approval_stands_for_naming_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(scene.lab.folder)
    monkeypatch.setattr("vastplan.app.operations.CLOCK", scene.clock)
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    Path("yes.yaml").write_text(
        f"version: 1\napprovals:\n  - {{address: {PATH}, reason: the run of Monday was wrong, until: 2999-01-01}}\n"
    )
    typed = ["restore", "plan", "lab.yaml", "iad/volume/home", "--snapshot", "good", "--in-place", "--out", "back.json"]
    assert main(typed) == 0
    assert main(["restore", "run", "back.json", "--auto-approve", "--approvals", "yes.yaml"]) == 0
    assert scene.record().consent["approved"] == "the run of Monday was wrong"
