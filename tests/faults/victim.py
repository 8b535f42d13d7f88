"""`vastplan apply PLAN` in a process that does something to itself at its N-th event: `python -m tests.faults.victim HOW N PLAN`,
or, without words, as many such processes as it is asked for on its standard input (`Nursery`).

An event is the moment before or after a request that may change something, or before or after the ledger is made
durable; in a ledger in Kubernetes that is a request too. HOW is one of `HOWS`. With N = -1 nothing happens. At the end it
prints how many events there were.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from urllib3.connectionpool import HTTPConnectionPool

from vastplan.cli import main
from vastplan.ledger import clock

ROOT = Path(__file__).resolve().parents[2]
PAUSE = 3600.0  # seconds that have passed, as far as the ledger's clock can tell, when it goes on after a stop
_LOCK = threading.Lock()
_COUNT = [0]
_PAUSED = [0.0]


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _insist() -> None:
    while True:  # the second one ends the process; two that come too close together are one
        _interrupt()
        time.sleep(0.005)


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    _PAUSED[0] = PAUSE


HOWS: dict[str, Callable[[], None]] = {
    "killed": _kill, "interrupted": _interrupt, "interrupted twice": _insist, "paused": _stop,
}  # fmt: skip


def event(how: str, deadly: int) -> None:
    """Count; act if it is the one. A signal for all threads stops this one at the latest on its next step."""
    with _LOCK:
        mine, _COUNT[0] = _COUNT[0], _COUNT[0] + 1
        if mine == deadly:
            HOWS[how]()


def _around(what: Callable[..., Any], happens: Callable[[], None], counts: Callable[..., bool]) -> Callable[..., Any]:
    def called(*given: Any, **named: Any) -> Any:
        if not counts(*given, **named):
            return what(*given, **named)
        happens()
        answer = what(*given, **named)
        happens()
        return answer

    return called


def _writes(*given: Any, **named: Any) -> bool:
    method = named.get("method") or given[1]
    url = str(named.get("url") or given[2])
    return method != "GET" and not url.rstrip("/").endswith("/token")


def approvals(plan: Path) -> Path:
    """Where those that the plan rests on are given again."""
    return plan.with_name("approvals.json")


def run(how: str, deadly: int, plan: str) -> int:
    """Apply with the trap set."""

    def happens() -> None:
        event(how, deadly)

    clock.SYSTEM = clock.LedgerClock(
        lambda: datetime.now(UTC) + timedelta(seconds=_PAUSED[0]), lambda: time.monotonic() + _PAUSED[0], time.sleep
    )
    os.chdir(Path(plan).parent)  # where the document is, too
    os.fsync = _around(os.fsync, happens, lambda *_, **__: True)
    HTTPConnectionPool.urlopen = _around(HTTPConnectionPool.urlopen, happens, _writes)  # type: ignore[method-assign]
    code = main(["apply", plan, "--approvals", str(approvals(Path(plan)))])
    print(f"events: {_COUNT[0]}")
    return code


LOADED = (
    "vastplan.cli.commands.apply", "vastplan.systems.vast.client", "vastplan.systems.kubernetes.client",
    "vastplan.systems.runai.client",
    "vastplan.ledger.kubernetes", "vastplan.sim.world", "vastplan.kinds.vast.view",
)  # fmt: skip
LONGEST = 120  # seconds


class Nursery:
    """A process that has all imported and nothing else; victims are forked off it, one after the other."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "tests.faults.victim"]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        atexit.register(self.close)

    def said_by(self, how: str, deadly: int, plan: Path) -> tuple[int, str]:
        """A victim's exit code, or minus the signal that ended it, and what it printed. SIGALRM is the end of patience."""
        assert self._process.stdin and self._process.stdout
        said = plan.with_name("said.txt")
        print(json.dumps([how, deadly, str(plan), str(said)]), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline()), said.read_text(encoding="utf-8")

    def close(self) -> None:
        """End it."""
        with self._process as process:  # closes its pipes and waits for it
            assert process.stdin
            process.stdin.close()


@cache
def nursery() -> Nursery:
    """This process's own."""
    return Nursery()


def _raise_victims() -> int:
    for name in LOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        how, deadly, plan, said = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.alarm(LONGEST)
            file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            return run(how, deadly, plan)
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], int(sys.argv[2]), sys.argv[3]) if sys.argv[1:] else _raise_victims())
