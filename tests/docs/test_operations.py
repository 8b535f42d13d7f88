"""The commands of docs/moves.md and docs/restore.md, block by block, in the world of examples/two-sites as `storage/`.

Each block begins with a job that has written checkpoints at iad for an hour. A `run` is told `--auto-approve`; GUID is what the plan before it
said, and the id of an operation the one that was begun.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.docs.pages import ROOT, blocks
from tests.two_sites import World, copied, hurry

ID = "1a2b3c4d"
HOME = """\
volumes:
  home: {tenant: team-a, sites: [iad], path: /team-a/home, size: 1 TiB, mount: /home, snapshots: daily}
snapshot_schedules:
  daily: {sites: [iad], frames: [{every: 1d, keep_local: 7d}]}
snapshots:
  good: {volume: home, sites: [iad], expires: 2999-01-01}
"""
TRIAL = """\
volumes:
  trial: {tenant: team-a, sites: [pdx], path: /team-a/trial, size: 100 TiB, mount: /trial, source: {volume: team-a-checkpoints}}
"""
STOPS = {"vastplan move run fork.json": 5}
"""Commands that stop the first time, with their exit code; the page says so beside them."""


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The documents; in those of commands for it, `base-models` is shared by global access."""
    made = copied(tmp_path / "storage")
    typed = request.getfixturevalue("typed") if "typed" in request.fixturenames else []
    if any("--through-global-access" in one for one in typed):
        head, models, tail = (made / "team-a.yaml").read_text().partition("      base-models:\n")
        tail = tail.replace("replicate: protected", "global_access: {at: [pdx], lease: 5m}")
        (made / "team-a.yaml").write_text(head + models + tail)
    return made


@pytest.fixture
def home(folder: Path) -> None:
    """A volume that is at iad only, with a snapshot."""
    (folder / "home.yaml").write_text(HOME)


@pytest.fixture
def world(folder: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.chdir(tmp_path)
    hurry(monkeypatch)
    with World(folder) as served:
        assert vastplan("apply", "storage/", "--auto-approve").code == 0
        served("train", "iad")
        served("pass", "70m")
        yield served


def commands(page: str, number: int) -> list[str]:
    """The commands of a block of console."""
    lines = blocks(ROOT / "docs" / page, "console")[number].splitlines()
    return [shlex.join(shlex.split(line[2:], comments=True)) for line in lines if line.startswith("$ ")]


def follow(typed: list[str], vastplan: Run, *answers: str) -> None:
    """Type them, one after the other; `answers` are what a run asks for at a terminal, as options."""
    stops = dict(STOPS)
    guid = ""
    for command in typed:
        words = shlex.split(command)[1:]
        words += ["--auto-approve", *answers] if "run" in words[:2] else ["--auto-approve"] * (words[0] == "apply")
        begun = re.search(r"\b[0-9a-f]{8}\b", vastplan(words[0], "status", "storage/").out) if ID in words else None
        words = [guid if word == "GUID" else begun[0] if begun and word == ID else word for word in words]
        ran = vastplan(*words)
        assert ran.code == stops.pop(command, 0) or ID in command, (command, ran)
        found = re.search(r"--lose (\S+)", ran.out)
        guid = found[1] if found else guid


def part(typed: list[str], beginning: str) -> int:
    return next(number for number, one in enumerate(typed) if one.startswith(beginning))


MOVES = [commands("moves.md", number) for number in range(len(blocks(ROOT / "docs" / "moves.md", "console")))]
PARTED = [typed for typed in MOVES if any("--rejoin" in one for one in typed)]
TOGETHER = [typed for typed in MOVES if typed not in PARTED]


@pytest.mark.slow
@pytest.mark.parametrize("typed", TOGETHER, ids=lambda typed: shlex.split(typed[0])[-3])
def test_moves_of_the_page(typed: list[str], folder: Path, world: World, vastplan: Run) -> None:
    if any("--fork" in one for one in typed):
        (folder / "trial.yaml").write_text(TRIAL)
    if any("--unplanned" in one for one in typed):
        world("lose", "iad")
    follow(typed, vastplan)


@pytest.mark.slow
def test_a_site_that_returns_is_joined_again(world: World, vastplan: Run) -> None:
    (typed,) = PARTED
    world("lose", "iad")
    gone = "vastplan move plan storage/ iad/volume/team-a-checkpoints --to pdx --unplanned --out gone.json"
    follow([gone, "vastplan move run gone.json --lose GUID"], vastplan)
    world("train", "pdx")
    world("pass", "1h")
    world("return", "iad")
    world("pass", "1h")
    follow(typed, vastplan)


@pytest.mark.slow
@pytest.mark.parametrize("in_place", [False, True])
def test_restores_of_the_page(in_place: bool, home: None, world: World, vastplan: Run) -> None:
    typed = commands("restore.md", 0)
    left_out = part(typed, "vastplan restore plan") + (0 if in_place else 1)
    follow(
        [one for number, one in enumerate(typed) if number != left_out],
        vastplan,
        *(["--lose", "good"] if in_place else []),
    )
