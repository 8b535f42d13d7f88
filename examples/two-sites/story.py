"""A LoRA fine-tuning loses its site at a random moment, goes on at the other one, is served there, and comes home; with figures at the end.

    python examples/two-sites/story.py             in the checkout; `make demo-full` ends with it
    python examples/two-sites/story.py --seed 7    with the moment of another run

Somebody types each command at a terminal, and what a run asks for. What a command prints as the next one is what is typed next. The exit
code is 1 if something is not as told, or if more work is done again than vastplan has announced.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from demo_story import FOLDER as DEMO
from demo_story import Story, end

FOLDER = DEMO / "two-sites"
WORLD = Path("world.py")
# The same command; only what a move waits for is cut to a hundredth, as these sites need nobody to wait for them.
HURRIED = [sys.executable, "hurried.py"]
PROJECT = "iad/project/team-a"
SECONDS_OF_A_STEP = 6  # as team-a.yaml says


@dataclass(frozen=True, slots=True)
class Figures:
    """What a move has taken: by stage as vastplan records it, what of it was pauses, and how long the command took here."""

    name: str
    stages: str
    together: int
    pauses: int
    here: float


def main() -> int:
    """Tell the story; 0 when everything went as told."""
    parser = argparse.ArgumentParser(description="a site is lost at a random moment, and returns")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    seed = parser.parse_args().seed
    story, moment = Story(), random.Random(seed).randrange(60, 3600)
    print(f"Seed {seed}: iad is lost {_minutes(moment)} after the move was armed (again: story.py --seed {seed}).")
    story.copy("examples/two-sites", FOLDER)
    story.shell(f"cd {FOLDER}")
    os.chdir(FOLDER)
    server = story.serve(str(WORLD), "serve")
    try:
        _play(story, moment)
    finally:
        end(server)
    print(f"Both sites when the lost one is back, as a page: {FOLDER / 'two-sites.html'}")
    return 1 if story.wrong else 0


def _play(story: Story, moment: int) -> None:
    armed = _train(story)
    at = _lose(story, moment)
    lost, figures = _moved(
        story, "iad is lost", _next(story, armed, "when iad is lost"),
        "  workload train starts: with --resume_from_checkpoint True", "unplanned: done", "is Running at pdx",
        "  work done again: at most", "  measured: ", "  iad: not fenced", "by hand: once iad is back",
    )  # fmt: skip
    checkpoint = _go_on(story)
    _return(story)
    table = [figures]
    for path in ("base-models", "team-a-checkpoints"):
        told, figures = _moved(
            story, f"rejoin of {path}", _next(story, lost, f"once iad is back.* iad/protected_path/{path} "),
            "loses: ", "rejoin: done", "  what only iad had is in its snapshot", "  measured: ", "by hand: to move back to iad",
        )  # fmt: skip
        table.append(figures)
    table.append(_home(story, _next(story, told, "to move back to iad"), checkpoint))
    _measure(story, lost, at, int(checkpoint.removeprefix("step-")), table)


def _train(story: Story) -> str:
    story.tell("1. A team fine-tunes base-models at iad. Model and checkpoints replicate to pdx every 15 minutes.")
    story.expect(story.run("apply", ".", "--auto-approve", expect=0, last=1), "48 done.")
    story.world(WORLD, "train", "iad")
    story.world(WORLD, "pass", "70m")
    story.expect(story.run("plan", ".", "--detailed-exitcode", expect=0, last=1), "no changes")
    story.tell(
        "2. Each night: what the job was submitted with is kept, and the move without iad is planned in advance."
    )
    told = story.run("move", "arm", ".", PROJECT, "--to", "pdx", "--out", "armed.json", expect=0, last=4)
    story.expect(told, "kept: 1 of 1 workloads", "train: Running")
    return told


def _lose(story: Story, moment: int) -> int:
    story.tell("3. iad is lost. What cannot be read is unknown, not absent, and only a person gives a site up.")
    story.world(WORLD, "pass", f"{moment}s")
    story.world(WORLD, "look")
    told = story.world(WORLD, "lose", "iad")
    story.expect(story.run("plan", ".", expect=6, last=1), "collections unknown")
    story.tell("4. Somebody does: the command of last night. It says how much work is done again at most, and begins.")
    return _number(story, told, r"at step (\d+)")


def _go_on(story: Story) -> str:
    story.tell("5. The job runs at pdx, from the newest checkpoint that arrived. That one is served from there, too.")
    story.world(WORLD, "pass", "1h")
    found = re.search(r"goes on from (step-\d+)", story.world(WORLD, "look"))
    checkpoint = found[1] if found else "step-0"
    _serve(story, "pdx", checkpoint)
    return checkpoint


def _serve(story: Story, site: str, checkpoint: str) -> None:
    """The team submits an inference; what it serves is in its specification, as Run:AI returns it."""
    told = story.world(WORLD, "infer", site, checkpoint)
    story.expect(told, f"{site}: serve is Running and serves /checkpoints/{checkpoint} of team-a-checkpoints\n")


def _return(story: Story) -> None:
    story.tell(
        "6. iad returns, and what ran there starts again: both sites write. The plan says so, and touches neither."
    )
    story.world(WORLD, "return", "iad")
    story.world(WORLD, "pass", "30m")
    story.expect(story.world(WORLD, "look"), "iad  STANDALONE, Writable", "pdx  SOURCE")
    told = story.run("plan", ".", "--report", "two-sites.html", expect=0, last=11)
    story.expect(told, "failed over", "no changes")
    story.expect(Path("two-sites.html").read_text(encoding="utf-8"), "Paths between iad and pdx")
    story.tell("7. pdx is right: iad becomes its destination, path by path. A snapshot first keeps what only iad has.")


def _home(story: Story, command: str, checkpoint: str) -> Figures:
    story.tell(
        "8. Home, planned. An inference cannot be suspended: it ends before, and is submitted at iad afterwards."
    )
    story.expect(story.run(*shlex.split(command), expect=1, last=2, program=HURRIED), "Inference serve mounts it")
    story.world(WORLD, "stop", "pdx")
    told, figures = _moved(
        story, "home", command, "loses: ", "from pdx to iad: done", "is Running at iad", "  measured: "
    )
    story.expect(told, "loses: nothing")
    _serve(story, "iad", checkpoint)
    seen = story.world(WORLD, "look")
    story.expect(seen, "iad  SOURCE, Active", "pdx  DESTINATION, Active")
    here, there = (line.partition("checkpoints: ")[2] for line in seen.splitlines() if "checkpoints: " in line)
    story.expect(here, there)
    story.expect(story.run("plan", ".", "--detailed-exitcode", expect=0, last=1), "no changes")
    story.tell("9. The document has said iad all the time. For the next loss the move is armed again.")
    told = story.run("move", "status", ".", expect=0, show=("not armed: ",))
    story.expect(story.run(*shlex.split(_next(story, told, "not armed")), expect=0, last=1), "when iad is lost")
    return figures


def _moved(story: Story, name: str, command: str, *shown: str) -> tuple[str, Figures]:
    """Run the command of a move; what it printed, and its figures."""
    began = time.monotonic()
    told = story.run(*shlex.split(command), expect=0, show=shown, program=HURRIED)
    here = time.monotonic() - began
    measured = re.search(r"measured: (.*); together (\d+) s", told)
    stages, together = (measured[1], int(measured[2])) if measured else ("not measured", 0)
    return told, Figures(name, stages, together, _number(story, told, r"pauses: (\d+) s"), here)


def _measure(story: Story, lost: str, at: int, begun: int, table: list[Figures]) -> None:
    """The figures. What is done again is within what was announced."""
    story.tell("What it took: seconds as vastplan records them, with whole pauses. The simulators answer at once.")
    for one in table:
        print(f"{one.name:29}  {one.together:3} s, {one.pauses:3} s of it pauses; here {one.here:.1f} s")
        print(f"{'':29}  {one.stages}")
    again, most = at - begun, _number(story, lost, r"work done again: at most (\d+) steps")
    point = re.search(r"team-a-checkpoints goes back to (\S+ as of \S+)", lost)
    print(f"{'restore point':29}  {point[1] if point else 'unknown'}")
    print(f"{'iad was lost, pdx goes on':29}  at step {at}, from step {begun}")
    print(f"{'done again':29}  {again} steps, {_minutes(again * SECONDS_OF_A_STEP)}")
    print(f"{'announced by vastplan':29}  at most {most} steps, {_minutes(most * SECONDS_OF_A_STEP)}")
    story.hold(0 <= again <= most, f"at most {most} steps done again, not {again}")


def _next(story: Story, told: str, label: str) -> str:
    """The command that an output has as the next one, behind a label, as somebody copies it."""
    found = re.search(r"vastplan ([^()\n]+)", "\n".join(line for line in told.splitlines() if re.search(label, line)))
    story.hold(found is not None, f"a command behind: {label}")
    return found[1].strip() if found else "version"


def _number(story: Story, told: str, pattern: str) -> int:
    found = re.search(pattern, told)
    story.hold(found is not None, f"to read: {pattern}")
    return int(found[1]) if found else 0


def _minutes(seconds: int) -> str:
    return f"{seconds // 60} min {seconds % 60:02} s"


if __name__ == "__main__":
    raise SystemExit(main())
