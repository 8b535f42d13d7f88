"""The second half of `make demo-full`: a job loses its site, goes on at the other one, and comes back. `examples/two-sites` has all to type."""

from __future__ import annotations

import re
import shlex
import sys

from demo_story import FOLDER as DEMO
from demo_story import Story, end

FOLDER = DEMO / "two-sites"
WORLD = FOLDER / "world.py"
# The same command; only what a move waits for is cut to a hundredth, as these sites need nobody to wait for them.
HURRIED = [sys.executable, str(FOLDER / "hurried.py")]
ARMED = DEMO / "armed.json"
VOLUME = "volume/team-a-checkpoints"
PAGES = {
    "rejoin.html": "The move of step 15 as a page",
    "two-sites.html": "both sites with the path between them, when the lost one is back",
}


def two_sites(story: Story) -> None:
    """Tell it."""
    story.copy("examples/two-sites", FOLDER)
    server = story.serve(str(WORLD), "serve")
    try:
        consent = _train(story)
        _lost(story, consent)
        _returned(story)
        _home(story)
    finally:
        end(server)


def _train(story: Story) -> tuple[str, ...]:
    story.tell("10. Another document: a team that trains at iad, on a volume that replicates to pdx every 15 minutes.")
    told = story.run("apply", str(FOLDER), "--auto-approve", expect=0, last=1)
    story.expect(told, "49 done.")
    story.world(WORLD, "train", "iad")
    story.world(WORLD, "pass", "70m")
    told = story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0, last=10)
    story.expect(told, "On two sites: 2 objects in order", "no changes")
    story.tell(
        "    What the job was submitted with is kept, for the day when nobody at iad can be asked, and the move is planned for it."
    )
    told = story.run(
        *("move", "arm", str(FOLDER), f"iad/{VOLUME}", "--to", "pdx", "--out", str(ARMED)), expect=0, last=3
    )
    story.expect(told, "kept: 1 of 1 workloads", "train: Running", "when iad is lost: vastplan move run")
    story.expect(story.world(WORLD, "look"), "step-300 step-400\n", "step-200 step-300\n")
    return _consent(told)


def _lost(story: Story, consent: tuple[str, ...]) -> None:
    story.tell("11. iad is lost. What cannot be read is unknown, not absent, and only a person gives a site up.")
    story.world(WORLD, "lose", "iad")
    story.expect(story.run("plan", str(FOLDER), expect=6, last=1), "collections unknown")
    story.tell("12. Somebody does, by naming the restore point that the data goes back to: one command.")
    told = story.run("move", "run", str(ARMED), *consent, "--auto-approve", expect=0, last=6, program=HURRIED)
    story.expect(told, "from iad to pdx, unplanned: done", "is Running at pdx", "not fenced")
    story.tell("13. The job runs at pdx: it finds the newest checkpoint of the restore point, and goes on from there.")
    story.world(WORLD, "pass", "1h")
    story.expect(story.world(WORLD, "look"), "iad  lost", "goes on from step-300")


def _returned(story: Story) -> None:
    story.tell(
        "14. iad returns, and what ran there starts again: both sites write. The plan says so, and touches neither."
    )
    story.world(WORLD, "return", "iad")
    story.world(WORLD, "pass", "30m")
    story.expect(story.world(WORLD, "look"), "iad  STANDALONE, Writable", "pdx  SOURCE")
    told = story.run("plan", str(FOLDER), "--report", str(FOLDER / "two-sites.html"), expect=0, last=10)
    story.expect(told, "failed over", "no changes")
    story.expect((FOLDER / "two-sites.html").read_text(), "Paths between iad and pdx")
    story.tell("15. pdx is right: iad becomes its destination. A snapshot first keeps what only iad has.")
    way = (str(FOLDER), f"iad/{VOLUME}", "--rejoin", "iad")
    told = story.run("move", "plan", *way, "--report", str(FOLDER / "rejoin.html"), expect=0, last=1, program=HURRIED)
    told = story.run("move", "run", *way, *_consent(told), "--auto-approve", expect=0, last=7, program=HURRIED)
    story.expect(told, "what only iad had is in its snapshot", "to move back to iad: vastplan move run")


def _home(story: Story) -> None:
    story.tell("16. Then back to iad, planned: nothing is lost. The document has said iad all the time.")
    words = ("move", "run", str(FOLDER), f"iad/{VOLUME}", "--to", "iad", "--auto-approve")
    told = story.run(*words, expect=0, last=4, program=HURRIED)
    story.expect(told, "from pdx to iad: done", "is Running at iad")
    seen = story.world(WORLD, "look")
    story.expect(seen, "iad  SOURCE, Active", "pdx  DESTINATION, Active")
    here, there = (line.partition("checkpoints: ")[2] for line in seen.splitlines() if "checkpoints: " in line)
    story.expect(here, there)
    story.expect(story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0, last=1), "no changes")


def _consent(told: str) -> tuple[str, ...]:
    """What the command that a plan or `move arm` has printed says behind the file: the loss, and where the document is."""
    found = re.search(r"vastplan move run \S+ (--.*)", told)
    return tuple(shlex.split(found[1])) if found else ()
