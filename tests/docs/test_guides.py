"""Every page of docs/guides/ as somebody follows it: its files are written, its commands run in order, and print what stands there.

A block of `console` holds commands (`$ ...`) and what they print. A line `...` stands for any lines, `…` for any characters in a line.
A command ends with 0 unless the next one is `echo $?`, which prints what it ended with. A block of `yaml` whose first line is
`# FILE` is that file. The systems are simulators: a file of connections is written with the page's sites, simulated. What somebody
does by hand meanwhile stands in a comment, `<!-- by hand: NAME -->`, and below as a function of that name.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from tests.conftest import Run
from tests.importing.test_page import furnish
from tests.lab import Lab

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
EXAMPLES = ("minimal.yaml", "csi-password")
_ALL = ["vast", "kubernetes", "runai"]
WORLDS = {
    "brownfield": ("storage", {"iad": ["vast", "kubernetes"]}),
    "first-team": ("storage", {"iad": _ALL}),
    "nightly-drift": (".", {"lab": _ALL}),
}
"""Pages on whose sites somebody does something by hand: where their document is, and what each site has."""
_PART = re.compile(r"^```(yaml|console)\n(.*?)^```$|^<!-- by hand: (\w+) -->$", flags=re.M | re.S)


@dataclass(slots=True)
class Step:
    """A file that is written (`name`), a command with what it prints, or what somebody does by hand (`hand`)."""

    name: str = ""
    text: str = ""
    command: str = ""
    shown: list[str] = field(default_factory=list)
    hand: str = ""


def steps(page: str) -> list[Step]:
    """All of a page, in its order."""
    found = []
    for part in _PART.finditer(page):
        kind, text, hand = part.groups()
        if hand:
            found.append(Step(hand=hand))
        elif kind == "yaml" and (named := re.match(r"# (\S+\.yaml)\n", text)):
            found.append(Step(name=named[1], text=text))
        elif kind == "console":
            for line in text.splitlines():
                if line.startswith("$ "):
                    found.append(Step(command=line[2:]))
                else:
                    found[-1].shown.append(line)
    return found


def more_room(lab: Lab) -> None:
    """Somebody gives a team more room in the web interface of VAST."""
    tenants = lab.by_hand("lab", "vast", "GET", "/api/v5/tenants/?name=team-a")
    (tenant,) = tenants["results"] if isinstance(tenants, dict) else tenants
    room = {"capacity_rules": {"hard_limit": 20 * 2**40}}
    lab.by_hand("lab", "vast", "PATCH", f"/api/v5/tenants/{tenant['id']}/", room)


def driver_is_there(lab: Lab) -> None:
    """Whoever built the cluster installed the CSI driver with its log-in."""
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", {"metadata": {"name": "vast-csi"}})
    login = {"endpoint": "vms.iad.example.com", "username": "csi", "password": "canary"}
    secret = {"metadata": {"name": "vast-mgmt"}, "stringData": login}
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/vast-csi/secrets", secret)


HANDS: dict[str, Callable[[Lab], None]] = {
    "driver_is_there": driver_is_there, "furnish": furnish, "more_room": more_room,
}  # fmt: skip


def in_order(shown: list[str], printed: str) -> str:
    """The first line of `shown` that was not printed where it should be, "" where all were."""
    lines = [line.rstrip() for line in printed.splitlines()]
    at, anywhere = 0, False
    for line in shown:
        if line == "...":
            anywhere = True
            continue
        pattern = re.compile(".*".join(map(re.escape, line.rstrip().split("…"))))
        places = range(at, len(lines)) if anywhere else range(at, min(at + 1, len(lines)))
        found = next((place for place in places if pattern.fullmatch(lines[place])), None)
        if found is None:
            return line
        at, anywhere = found + 1, False
    return "" if anywhere or at == len(lines) else f"more was printed: {lines[at]}"


class Reader:
    """Somebody at a terminal."""

    def __init__(self, folder: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.vastplan, self.monkeypatch = folder, vastplan, monkeypatch
        self.code = 0

    def type(self, command: str) -> str:
        """Run it; what it prints, errors and progress first."""
        program, *words = shlex.split(command)
        if command == "echo $?":
            return str(self.code)
        self.code = 0
        if program == "vastplan":
            ran = self.vastplan(*words)
            self.code = ran.code
            return (ran.err + ran.out).replace(f"{self.folder}/", "")
        if program == "export":
            for word in words:
                self.monkeypatch.setenv(*word.split("=", 1))
            return ""
        done = subprocess.run(["/bin/sh", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False)
        self.code = done.returncode
        return done.stderr + done.stdout


def written(step: Step, sites: Mapping[str, list[str]]) -> str:
    """A file of a page; where the systems are, those that stand in for them."""
    told = yaml.safe_load(step.text)
    if step.name != "connections.yaml":
        return step.text
    assert set(told["sites"]) == set(sites), "the page's sites are those that are simulated"
    rest = {key: value for key, value in told.items() if key != "sites"}
    return yaml.safe_dump({**rest, "sites": {name: {"sim": {"systems": list(has)}} for name, has in sites.items()}})


@pytest.mark.parametrize(
    "guide",
    [pytest.param(one, marks=() if one.stem == "when-something-broke" else pytest.mark.slow) for one in GUIDES],
    ids=lambda one: one.stem,
)
def test_a_guide_is_followed_from_its_first_step_to_its_last(
    guide: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    (folder / "storage").mkdir(parents=True)
    for name in EXAMPLES:
        shutil.copy(ROOT / "examples" / name, folder)
    monkeypatch.chdir(folder)
    reader = Reader(folder, vastplan, monkeypatch)
    if guide.stem not in WORLDS:
        follow(guide, reader, {}, None)
        return
    place, sites = WORLDS[guide.stem]
    with Lab(folder / place, sites) as lab:
        follow(guide, reader, sites, lab)


def follow(guide: Path, reader: Reader, sites: Mapping[str, list[str]], lab: Lab | None) -> None:
    """Do what a page says."""
    todo = steps(guide.read_text(encoding="utf-8"))
    for number, step in enumerate(todo):
        after = todo[number + 1] if number + 1 < len(todo) else Step()
        if step.hand:
            assert lab is not None
            HANDS[step.hand](lab)
        elif step.name:
            (reader.folder / step.name).parent.mkdir(parents=True, exist_ok=True)
            (reader.folder / step.name).write_text(written(step, sites))
        else:
            printed = reader.type(step.command)
            told = in_order(step.shown, printed) if step.shown else ""
            assert not told, f"$ {step.command}\nnot so: {told}\n{printed}"
            fine = reader.code == 0 or "echo $?" in (step.command, after.command)
            assert fine, (step.command, reader.code, printed)


def test_every_guide_has_something_to_type_but_the_last() -> None:
    assert [one.stem for one in GUIDES if not any(step.command for step in steps(one.read_text("utf-8")))] == [
        "carrying-on"
    ]


def test_what_is_not_printed_is_noticed() -> None:
    assert in_order(["a", "...", "c…e"], "a\nb\ncde\n") == ""
    assert in_order(["a", "c"], "a\nb\nc\n") == "c"
    assert in_order(["a"], "a\nb\n") == "more was printed: b"
    assert in_order(["...", "d"], "a\nb\n") == "d"
