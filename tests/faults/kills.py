"""An apply in a process of its own, ended at every event, then an ordinary run: `python -m tests.faults.kills [--every N]`.

Both runs of the small document and of the one with values that are told once: on the local ledger SIGKILL, SIGINT once and
SIGINT twice, on the ledger in (simulated) Kubernetes SIGKILL. Of the one with values also SIGKILL twice: the run after the one
that was killed is killed too, at an event drawn with a seed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from tests.faults import plays, victim
from tests.faults.case import Scene, Theatre
from tests.values.forms import held
from vastplan.app.files import plan as plan_file
from vastplan.ledger.clock import LedgerClock
from vastplan.model.plan import Plan

CODES = {  # how a victim may end: it may have been past its last action, or have had an event less than was counted
    "killed": (-signal.SIGKILL, 0),
    "interrupted": (4, 0),
    "interrupted twice": (130, 0),
}
AGAIN = "killed, and the next one killed"
SHARES = {
    "small": tuple(CODES), "shared": ("killed",), "values": (*CODES, AGAIN), "shared_values": ("killed",),
}  # fmt: skip
"""Documents, and how an apply of them is ended."""


def words(how: str, deadly: int, plan: Path) -> list[str]:
    """The command of a victim."""
    return [sys.executable, "-m", "tests.faults.victim", how, str(deadly), str(plan)]


def saved(theatre: Theatre, plan: Plan) -> Path:
    """A plan in a file, and what was consented to beside it."""
    file = theatre.stage.home.parent / "plan.json"
    plan_file.save(plan, file)
    given = [asdict(approval) for approval in plan.consent.approvals]
    victim.approvals(file).write_text(json.dumps({"version": 1, "approvals": given}))
    return file


def run_victim(theatre: Theatre, scene: Scene, how: str, deadly: int) -> tuple[int, str]:
    """From the scene's start: apply its plan in a process of its own; its exit code and what it printed."""
    theatre.stage.set_back(scene.start)
    return victim.nursery().said_by(how, deadly, saved(theatre, scene.plan))


def events(theatre: Theatre, scene: Scene) -> int:
    """How many events an apply has that nobody ends."""
    code, printed = run_victim(theatre, scene, "killed", -1)
    assert code == 0, printed
    theatre.as_meant(scene)
    found = re.search(r"^events: (\d+)$", printed, flags=re.M)
    assert found is not None, printed
    return int(found[1])


def kill(theatre: Theatre, scene: Scene, deadly: int, how: str = "killed", then: int | None = None) -> bool:
    """End it at an event, then run as usual, later; whether it was ended: an apply in parallel may have an event less.

    `then` is an event of the next run, at which that one is killed.
    """
    code, printed = run_victim(theatre, scene, how, deadly)
    assert code in CODES[how], f"exit {code}: {printed}"
    if then is not None:
        theatre.kept(scene)
        plan = theatre.stage.plan()
        if plan.actions:
            code, more = victim.nursery().said_by(how, then, saved(theatre, plan))
            assert code in CODES[how], f"exit {code}: {more}"
            printed += more
    assert not held(theatre.stage.world.told(), printed), "a secret was printed"
    with hurried():
        theatre.recovers(scene)
    return code != 0 or "stopping after the changes in progress" in printed


@contextmanager
def hurried() -> Iterator[list[float]]:
    """Whoever waits in this process for a ledger does so in no time. Yields how long each wait would have been."""
    waits: list[float] = []
    quick = LedgerClock(
        lambda: datetime.now(UTC) + timedelta(seconds=sum(waits)), lambda: time.monotonic() + sum(waits), waits.append
    )
    with patch("vastplan.ledger.clock.SYSTEM", quick):
        yield waits


@dataclass(slots=True)
class Tally:
    """What one process did."""

    ended: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    size: dict[str, str] = field(default_factory=dict)


def _share(work: tuple[int, int, int, tuple[str, ...], tuple[str, ...]]) -> Tally:
    mine, all_, every, documents, wanted = work
    tally = Tally()
    for document, hows in ((name, SHARES[name]) for name in documents):
        with tempfile.TemporaryDirectory() as folder:
            theatre = Theatre(Path(folder) / "home", *getattr(plays, document)(Path(folder)))
            for scene in theatre.scenes:
                many = events(theatre, scene)
                tally.size[f"{document}, {scene.name} run"] = f"{len(scene.plan.actions)} actions, {many} events"
                draw = random.Random(many)
                cases = [
                    (how, deadly, draw.randrange(many))
                    for how in hows
                    if how in wanted
                    for deadly in range(0, many, every)
                ]
                for how, deadly, then in cases[mine::all_]:
                    name = f"{how}, {'ledger in Kubernetes' if document.startswith('shared') else 'local ledger'}"
                    once = how if how in CODES else "killed"
                    try:
                        tally.ended[name] += kill(theatre, scene, deadly, once, then if how == AGAIN else None)
                    except AssertionError as problem:
                        tally.failed[name] += 1
                        print(f"{scene.name} run, {name}, event {deadly}, {then}: {str(problem)[:1200]}", flush=True)
            theatre.close()
    return tally


def main() -> int:
    """All of it in several processes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="take every N-th of the events only")
    parser.add_argument("--only", action="append", choices=tuple(SHARES), help="one document only")
    parser.add_argument("--how", action="append", choices=(*CODES, AGAIN), help="one way to end only")
    words = parser.parse_args()
    every, documents, hows = words.every, tuple(words.only or SHARES), tuple(words.how or (*CODES, AGAIN))
    many, began = max(2, (os.cpu_count() or 2) + 1), time.monotonic()
    with multiprocessing.get_context("spawn").Pool(many) as pool:
        tallies = pool.map(_share, [(number, many, every, documents, hows) for number in range(many)], chunksize=1)
    for name, size in tallies[0].size.items():
        print(f"{name}: {size}")
    ended = sum((one.ended for one in tallies), Counter[str]())
    failed = sum((one.failed for one in tallies), Counter[str]())
    print("   ended  failed")
    for name in sorted(set(ended) | set(failed)):
        print(f"{ended[name]:8}  {failed[name]:6}  {name}")
    print(f"{ended.total():8}  {failed.total():6}  in all; {time.monotonic() - began:.0f} s in {many} processes")
    return 1 if failed or not ended else 0


if __name__ == "__main__":
    sys.exit(main())
