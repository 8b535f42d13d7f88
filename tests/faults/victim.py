"""`vastplan apply PLAN` in a process that does something to itself at its N-th event: `python -m tests.faults.victim HOW N PLAN`,
or `said_by`, which forks it off a process that has all imported and nothing else.

An event is the moment before or after a request that may change something, or before or after the ledger is made
durable; in a ledger in Kubernetes that is a request too. HOW is one of `HOWS`. With N = -1 nothing happens. At the end it
prints how many events there were.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from urllib3.connectionpool import HTTPConnectionPool

from vastplan.cli import main
from vastplan.ledger import clock

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


def run(how: str, deadly: int, plan: str) -> int:
    """Apply with the trap set."""

    def happens() -> None:
        event(how, deadly)

    clock.SYSTEM = clock.Clock(
        lambda: datetime.now(UTC) + timedelta(seconds=_PAUSED[0]), lambda: time.monotonic() + _PAUSED[0], time.sleep
    )
    os.fsync = _around(os.fsync, happens, lambda *_, **__: True)
    HTTPConnectionPool.urlopen = _around(HTTPConnectionPool.urlopen, happens, _writes)  # type: ignore[method-assign]
    code = main(["apply", plan])
    print(f"events: {_COUNT[0]}")
    return code


_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "tests.faults.victim", "vastplan.cli.commands", "vastplan.providers.vast", "vastplan.providers.kubernetes",
        "vastplan.providers.runai", "vastplan.ledger.kubernetes", "vastplan.sim.world", "vastplan.kinds.vast.view",
    ]
)  # fmt: skip


def said_by(how: str, deadly: int, plan: Path, within: float = 120.0) -> tuple[int, str]:
    """The exit code of a process like this one, or minus the signal that ended it, and what it printed.

    Raises:
        TimeoutError: It is still running.
    """
    said = plan.with_name("said.txt")
    process = _CONTEXT.Process(target=_apart, args=(how, deadly, str(plan), str(said)))
    process.start()
    process.join(within)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError(f"{how} at {deadly}: still running")
    return process.exitcode, said.read_text(encoding="utf-8")


def _apart(how: str, deadly: int, plan: str, said: str) -> None:
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    code = run(how, deadly, plan)
    sys.stdout.flush()
    sys.exit(code)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
