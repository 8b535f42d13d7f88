"""An apply killed at every event, then an ordinary run: `python -m tests.faults.kills [--every N]`."""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.faults import plays
from tests.faults.case import Scene, Theatre
from vastplan.app import planfile

ROOT = Path(__file__).resolve().parents[2]


def _victim(theatre: Theatre, scene: Scene, deadly: int) -> tuple[int, str]:
    """Apply the scene's plan in a process of its own; its exit code and what it printed."""
    theatre.stage.set_back(scene.start)
    plan = theatre.stage.home.parent / "plan.json"
    planfile.save(scene.plan, plan)
    words = [sys.executable, "-m", "tests.faults.victim", str(deadly), str(plan)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


def events(theatre: Theatre, scene: Scene) -> int:
    """How many events an apply has that nobody kills."""
    code, printed = _victim(theatre, scene, -1)
    assert code == 0, printed
    theatre.as_meant(scene)
    found = re.search(r"^events: (\d+)$", printed, flags=re.M)
    assert found is not None, printed
    return int(found[1])


def kill(theatre: Theatre, scene: Scene, deadly: int) -> bool:
    """Kill at an event, then run as usual; whether it was killed: an apply in parallel may have an event less."""
    code, printed = _victim(theatre, scene, deadly)
    assert code in (0, -signal.SIGKILL), printed
    theatre.recovers(scene)
    return code != 0


def main() -> int:
    """All events of both scenes of the small document."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="take every N-th event only")
    every = parser.parse_args().every
    killed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        theatre = Theatre(Path(folder) / "home", *plays.small(Path(folder)))
        for scene in theatre.scenes:
            many = events(theatre, scene)
            for deadly in range(0, many, every):
                try:
                    killed += kill(theatre, scene, deadly)
                except AssertionError as problem:
                    failed += 1
                    print(f"{scene.name} run, event {deadly}: {str(problem)[:900]}")
            print(f"{scene.name} run: {len(scene.plan.actions)} actions, {many} events")
        theatre.close()
    print(f"{killed} kills, {failed} failed")
    return 1 if failed or not killed else 0


if __name__ == "__main__":
    sys.exit(main())
