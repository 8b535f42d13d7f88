"""An apply in a process of its own, ended at every event, then an ordinary run: `python -m tests.faults.kills [--every N]`.

Both runs of the small document and of the one with values that are told once: on the local ledger SIGKILL, SIGINT once and
SIGINT twice, on the ledger in (simulated) Kubernetes SIGKILL.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
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
from vastplan.app.files import plan as plan_file
from vastplan.ledger.clock import Clock

LATER = 120.0  # seconds: a lease of a process that died has expired
CODES = {  # how a victim may end: it may have been past its last action, or have had an event less than was counted
    "killed": (-signal.SIGKILL, 0),
    "interrupted": (4, 0),
    "interrupted twice": (130, 0),
}
SHARES = {
    "small": tuple(CODES), "shared": ("killed",), "values": tuple(CODES), "shared_values": ("killed",),
}  # fmt: skip
"""Documents, and how an apply of them is ended."""


def words(how: str, deadly: int, plan: Path) -> list[str]:
    """The command of a victim."""
    return [sys.executable, "-m", "tests.faults.victim", how, str(deadly), str(plan)]


def saved(theatre: Theatre, scene: Scene) -> Path:
    """All set back to the scene's start, and its plan in a file."""
    theatre.stage.set_back(scene.start)
    plan = theatre.stage.home.parent / "plan.json"
    plan_file.save(scene.plan, plan)
    given = [asdict(approval) for approval in scene.plan.consent.approvals]
    victim.approvals(plan).write_text(json.dumps({"version": 1, "approvals": given}))
    return plan


def run_victim(theatre: Theatre, scene: Scene, how: str, deadly: int) -> tuple[int, str]:
    """Apply the scene's plan in a process of its own; its exit code and what it printed."""
    return victim.nursery().said_by(how, deadly, saved(theatre, scene))


def events(theatre: Theatre, scene: Scene) -> int:
    """How many events an apply has that nobody ends."""
    code, printed = run_victim(theatre, scene, "killed", -1)
    assert code == 0, printed
    theatre.as_meant(scene)
    found = re.search(r"^events: (\d+)$", printed, flags=re.M)
    assert found is not None, printed
    return int(found[1])


def kill(theatre: Theatre, scene: Scene, deadly: int, how: str = "killed") -> bool:
    """End it at an event, then run as usual, later; whether it was ended: an apply in parallel may have an event less."""
    code, printed = run_victim(theatre, scene, how, deadly)
    assert code in CODES[how], f"exit {code}: {printed}"
    with later(LATER):
        theatre.recovers(scene)
    return code != 0 or "stopping after what is in flight" in printed


@contextmanager
def later(seconds: float) -> Iterator[None]:
    """Let this process's ledger clock be ahead."""
    ahead = Clock(
        lambda: datetime.now(UTC) + timedelta(seconds=seconds), lambda: time.monotonic() + seconds, time.sleep
    )
    with patch("vastplan.ledger.clock.SYSTEM", ahead):
        yield


@dataclass(slots=True)
class Tally:
    """What one process did."""

    ended: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    size: dict[str, str] = field(default_factory=dict)


def _share(work: tuple[int, int, int, tuple[str, ...]]) -> Tally:
    mine, all_, every, documents = work
    tally = Tally()
    for document, hows in ((name, SHARES[name]) for name in documents):
        with tempfile.TemporaryDirectory() as folder:
            theatre = Theatre(Path(folder) / "home", *getattr(plays, document)(Path(folder)))
            for scene in theatre.scenes:
                many = events(theatre, scene)
                tally.size[f"{document}, {scene.name} run"] = f"{len(scene.plan.actions)} actions, {many} events"
                cases = [(how, deadly) for how in hows for deadly in range(0, many, every)]
                for how, deadly in cases[mine::all_]:
                    name = f"{how}, {'ledger in Kubernetes' if document.startswith('shared') else 'local ledger'}"
                    try:
                        tally.ended[name] += kill(theatre, scene, deadly, how)
                    except AssertionError as problem:
                        tally.failed[name] += 1
                        print(f"{scene.name} run, {name}, event {deadly}: {str(problem)[:1200]}", flush=True)
            theatre.close()
    return tally


def main() -> int:
    """All of it in several processes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="take every N-th of the events only")
    parser.add_argument("--only", action="append", choices=tuple(SHARES), help="one document only")
    words = parser.parse_args()
    every, documents = words.every, tuple(words.only or SHARES)
    many, began = max(2, (os.cpu_count() or 2) + 1), time.monotonic()
    with multiprocessing.get_context("spawn").Pool(many) as pool:
        tallies = pool.map(_share, [(number, many, every, documents) for number in range(many)], chunksize=1)
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
