"""After each kind of operation, at every way to end, each command that reads still does."""

from __future__ import annotations

import json

import pytest

from tests.commands import read_all
from tests.conftest import Run
from tests.moving.matrix import killed
from tests.moving.rehearsing import rehearse
from tests.moving.theatre import Theatre
from tests.printed import apart, printed_commands
from vastplan.model.operation import Phase


def runs(vastplan: Run, scene: Theatre) -> list[tuple[str, str, dict[str, dict[str, int]], list[str]]]:
    """The history of the ledger, the newest first: command, ending, counts and sites."""
    log = json.loads(vastplan("ledger", "log", scene.lab.folder / "lab.yaml", "--format", "json").out)
    return [
        (run["command"], run["ending"], run["counts"], sorted(site["site"] for site in run["sites"]))
        for run in log["runs"]
    ]


@pytest.mark.parametrize("event", [-1, 3, 9])
def test_a_move_that_is_done_or_was_cut(scene: Theatre, vastplan: Run, event: int) -> None:
    scene.start_job()
    killed(scene, scene.plan(), event)
    scene.lab.workspace()
    answers = read_all(vastplan, scene.lab.folder, "iad/volume/home", "iad/protected_path/home")
    ended = "done" if event == -1 else "open"
    assert ended in answers["move status"].out
    assert runs(vastplan, scene)[0] == ("move", ended, {"move": {ended: 1}}, ["iad", "pdx"])


def test_a_move_that_was_taken_back(scene: Theatre, vastplan: Run) -> None:
    plan = scene.plan()
    killed(scene, plan, 5)
    scene.pause()
    assert scene.abort(plan).phase is Phase.ABORTED
    read_all(vastplan, scene.lab.folder, "iad/volume/home")
    assert runs(vastplan, scene)[0] == ("move abort", "aborted", {"move": {"aborted": 1}}, ["iad", "pdx"])


def test_a_rehearsal(scene: Theatre, vastplan: Run) -> None:
    scene.start_job()
    assert scene.run(rehearse(scene)).phase is Phase.DONE
    read_all(vastplan, scene.lab.folder, "iad/volume/home")


def test_what_a_plan_and_a_run_print_names_the_connections_that_were_typed(scene: Theatre, vastplan: Run) -> None:
    """The document has no addresses: without them no command could be typed."""
    folder = scene.lab.folder
    scene.lab.workspace()
    typed = ("--connections", apart(folder / "lab.yaml", folder / "connections.yaml"))
    for command, address, more in (
        ("move", "iad/volume/home", ("--to", "pdx")),
        ("restore", "iad/volume/home", ("--snapshot", "protected-home-iad-1", "--as", "again")),
    ):
        ran = vastplan(
            command, "plan", folder / "lab.yaml", address, *more, "--out", folder / f"{command}.json", *typed
        )
        commands = list(printed_commands(ran.out + ran.err))
        assert commands == [
            f"vastplan {command} run {folder}/{command}.json --connections {folder}/connections.yaml"
        ], ran
