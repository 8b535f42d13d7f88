"""The second half of `make demo-full`: a job loses its site, goes on at the other one, and comes back. `examples/two-sites` has all to type."""

from __future__ import annotations

import re
import sys

from demo_story import FOLDER as DEMO
from demo_story import Story, end

FOLDER = DEMO / "two-sites"
WORLD = FOLDER / "world.py"
# The same command; only what a move waits for is cut to a hundredth, as these sites need nobody to wait for them.
HURRIED = [sys.executable, str(FOLDER / "hurried.py")]
# A plan that lies in a document's own folder is not believed about where that is.
CHECKED = ("--document", str(FOLDER), "--auto-approve")
VOLUME = "volume/team-a-checkpoints"
PAGES = {
    "lost.html": "The move of step 12 as a page",
    "two-sites.html": "both sites with the path between them, when the lost one is back",
}


def two_sites(story: Story) -> None:
    """Tell it."""
    story.copy("examples/two-sites", FOLDER)
    server = story.serve(str(WORLD), "serve")
    try:
        _train(story)
        _lost(story)
        _returned(story)
        _home(story)
    finally:
        end(server)


def _train(story: Story) -> None:
    story.tell("10. Another document: a team that trains at iad, on a volume that replicates to pdx every 15 minutes.")
    told = story.run("apply", str(FOLDER), "--auto-approve", expect=0, last=1)
    story.expect(told, "49 done.")
    story.world(WORLD, "train", "iad")
    story.world(WORLD, "pass", "70m")
    told = story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0, last=10)
    story.expect(told, "On two sites: 2 objects in order", "no changes")
    story.tell("    What the job was submitted with is kept, for the day when nobody at iad can be asked.")
    told = story.run("move", "arm", str(FOLDER), f"iad/{VOLUME}", "--to", "pdx", expect=0, last=2)
    story.expect(told, "kept: 1 of 1 workloads", "train: Running")
    story.expect(story.world(WORLD, "look"), "step-300 step-400\n", "step-200 step-300\n")


def _lost(story: Story) -> None:
    story.tell("11. iad is lost. What cannot be read is unknown, not absent, and only a person gives a site up.")
    story.world(WORLD, "lose", "iad")
    story.expect(story.run("plan", str(FOLDER), expect=6, last=1), "collections unknown")
    story.tell("12. What would it take to go on at pdx, and what is lost?")
    file, page = FOLDER / "lost.json", FOLDER / "lost.html"
    words = (
        "move",
        "plan",
        str(FOLDER),
        f"iad/{VOLUME}",
        "--to",
        "pdx",
        "--unplanned",
        "--out",
        str(file),
        "--report",
        str(page),
    )
    told = story.run(*words, expect=0, program=HURRIED)
    story.expect(
        told, "the point of no return lies here", "loses: all that was written after", "workload train: Running then"
    )
    told = story.run("move", "run", str(file), *_consent(told), *CHECKED, expect=0, last=5, program=HURRIED)
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
    file = FOLDER / "rejoin.json"
    told = story.run(
        "move",
        "plan",
        str(FOLDER),
        f"iad/{VOLUME}",
        "--rejoin",
        "iad",
        "--out",
        str(file),
        expect=0,
        last=1,
        program=HURRIED,
    )
    told = story.run("move", "run", str(file), *_consent(told), *CHECKED, expect=0, last=6, program=HURRIED)
    story.expect(told, "what only iad had is in its snapshot")


def _home(story: Story) -> None:
    story.tell(
        "16. The document says where the source is now; nothing is sent again. Then back to iad, planned: nothing is lost."
    )
    story.edit(FOLDER / "team-a.yaml", "active: iad\n        replicate", "active: pdx\n        replicate")
    # 3: the data source at iad stays, as the job that was suspended there still names it
    story.run("apply", str(FOLDER), "--auto-approve", expect=3, last=3)
    file = FOLDER / "back.json"
    words = ("move", "plan", str(FOLDER), f"pdx/{VOLUME}", "--to", "iad", "--out", str(file))
    story.expect(
        story.run(*words, expect=0, last=1, program=HURRIED), "loses: nothing that was written before the freeze"
    )
    told = story.run("move", "run", str(file), *CHECKED, expect=0, last=5, program=HURRIED)
    story.expect(told, "from pdx to iad: done", "is Running at iad")
    seen = story.world(WORLD, "look")
    story.expect(seen, "iad  SOURCE, Active", "pdx  DESTINATION, Active")
    here, there = (line.partition("checkpoints: ")[2] for line in seen.splitlines() if "checkpoints: " in line)
    story.expect(here, there)


def _consent(told: str) -> tuple[str, ...]:
    """What the plan of a move says to type for the loss that it has named."""
    found = re.search(r"--lose (\S+)", told)
    return ("--lose", found[1]) if found else ()
