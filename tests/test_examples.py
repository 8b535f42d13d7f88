"""Every example is planned and applied; the commands of the README and of the pages about the examples run, and their documents are valid."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.docs.pages import blocks
from tests.two_sites import STORY, World, as_asked, copied, hurry
from vastplan.cli.screen import Screen

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DOCUMENTS = [one for one in sorted((ROOT / "examples").iterdir()) if one.suffix == ".yaml" or any(one.glob("*.yaml"))]
PAGES = {"README.md": 7, "docs/reports.md": 2, "docs/review.md": 3, "docs/skypilot.md": 2}
"""Pages whose commands are typed in a checkout, one after the other: how many there are."""
DOCUMENTS_OF_PAGES = [("README.md", 1), ("docs/skypilot.md", 1)]


FAILS = "checkpoints.yaml"
WITHOUT_A_FINDING = ("minimal.yaml", "object-storage.yaml")


def mend(target: Path, vastplan: Run) -> None:
    """The example that is there to fail says which limit binds, and one line makes it pass."""
    ran = vastplan("validate", target)
    assert ran.code == 3 and "error CKP-01: lab/volume/checkpoints" in ran.err, ran
    assert "IOPS x I/O size of volume checkpoints binds" in ran.err, ran
    assert vastplan("plan", target).code == 3
    text = target.read_text()
    assert text.count("max_writes_iops: 3000\n") == 1
    target.write_text(text.replace("max_writes_iops: 3000\n", "max_writes_iops: 40000\n"))
    mended = vastplan("validate", target)
    assert mended.code == 0 and mended.err == "", mended
    assert "980 GB in 8.17 min at 2 GB/s (QoS bandwidth of volume checkpoints binds)" in mended.out


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(one, marks=() if one.name in ("minimal.yaml", "object-storage.yaml") else pytest.mark.slow)
        for one in DOCUMENTS
    ],
    ids=lambda one: one.name,
)
def test_an_example_from_nothing_to_in_sync(example: Path, tmp_path: Path, vastplan: Run) -> None:
    target = tmp_path / example.name
    if example.is_dir():
        shutil.copytree(example, target, ignore=shutil.ignore_patterns(".vastplan"))
    else:
        shutil.copy(example, target)
        shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    if example.name == FAILS:
        mend(target, vastplan)
    assert vastplan("validate", target).code == 0
    before = vastplan("plan", target, "--detailed-exitcode", "--format", "json")
    assert before.code == 2
    applied = vastplan("apply", target, "--auto-approve")
    assert applied.code == 0, applied
    again = vastplan("plan", target, "--detailed-exitcode", "--format", "json")
    assert again.code == 0, again
    drifted = vastplan("drift", target, "--format", "json")
    assert drifted.code == 0
    if example.name in WITHOUT_A_FINDING:
        assert [json.loads(ran.out)["findings"] for ran in (before, again, drifted)] == [[], [], []]
        assert vastplan("validate", target).err == ""


def test_the_minimal_example_is_minimal() -> None:
    assert len((ROOT / "examples" / "minimal.yaml").read_text().splitlines()) <= 25


def test_the_readme_shows_the_minimal_example() -> None:
    lines = (ROOT / "examples" / "minimal.yaml").read_text().splitlines(keepends=True)
    assert blocks(README, "yaml") == ["".join(line for line in lines if not line.startswith("#"))]


def test_the_readme_fits_two_screens() -> None:
    assert len(README.read_bytes()) <= 6000


@pytest.mark.parametrize(
    "page", [pytest.param(one, marks=() if one == "README.md" else pytest.mark.slow) for one in PAGES]
)
def test_the_commands_of_a_page_run_in_their_order(
    page: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line for text in blocks(ROOT / page, "console") for line in text.splitlines()]
    commands = [line.removeprefix("$ vastplan ") for line in lines if line.startswith("$ vastplan ")]
    assert len(commands) == PAGES[page]
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".vastplan"))
    monkeypatch.chdir(tmp_path)
    for command in commands:
        ran = vastplan(*shlex.split(command))
        assert ran.code == 0, (command, ran)


@pytest.mark.parametrize(("page", "number"), DOCUMENTS_OF_PAGES)
def test_the_documents_of_a_page_are_valid(page: str, number: int, tmp_path: Path, vastplan: Run) -> None:
    documents = blocks(ROOT / page, "yaml")
    assert len(documents) == number
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    for text in documents:
        (tmp_path / "doc.yaml").write_text(text)
        ran = vastplan("validate", tmp_path / "doc.yaml")
        assert ran.code == 0, ran


@pytest.mark.slow
def test_the_demo_goes_as_told_in_less_than_two_screens(tmp_path: Path) -> None:
    words = [sys.executable, str(ROOT / "examples" / "demo.py")]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stderr == "", ran
    assert len(ran.stdout.splitlines()) <= 115  # and 5 of the installation


@pytest.mark.slow
def test_the_story_of_two_sites_goes_as_told_with_figures(tmp_path: Path) -> None:
    """Its exit code says whether more was done again than vastplan had announced."""
    words = [sys.executable, str(STORY / "story.py"), "--seed", "7"]
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(words, cwd=tmp_path, env=here, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stderr == "", ran
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("Seed 7: iad is lost ") and "the demo expected" not in ran.stdout
    (again,), (most,) = (
        [int(number) for number in re.findall(rf"(?m)^{row} +\D*(\d+) steps", ran.stdout)] for row in ROWS
    )
    assert 0 < again <= most


ROWS = ("done again", "announced by vastplan")
TYPED = [line.removeprefix("$ ") for text in blocks(STORY / "README.md", "console") for line in text.splitlines()]


@pytest.mark.slow
def test_the_story_of_two_sites_is_as_its_page_tells_it(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command goes well, and prints what stands below it: what is shown there is no less than all of it."""
    folder = copied(tmp_path / "two-sites")
    monkeypatch.chdir(folder)
    hurry(monkeypatch)
    monkeypatch.setattr(Screen, "answer", as_asked)
    with World(folder) as world:
        _follow(vastplan, world)
        assert world.served.wait(timeout=30) == 0


def _follow(vastplan: Run, world: World) -> None:
    point = shown = ""
    for command in TYPED:
        program, _, rest = command.partition(" ")
        if program not in ("vastplan", "python", "sed"):  # what the command before it prints
            assert f"{command}\n" in shown, (command, shown)
        elif program == "vastplan":
            line, may_fail, _ = rest.partition(" || true")
            ran = vastplan(*shlex.split(line.replace("RESTOREPOINT", point)))
            assert may_fail or ran.code == 0, (command, ran)
            found = re.search(r"--lose (\S+)", ran.out)
            point, shown = found[1] if found else point, ran.out
        else:
            shown = world.run(sys.executable if program == "python" else "sed", *shlex.split(rest))
