"""`vastplan apply PLAN` in a process that kills itself at the N-th event: `python -m tests.faults.victim N PLAN`.

An event is the moment before or after a request that may change something, or before or after the ledger is made
durable. With N = -1 it lives, and prints how many events there were.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from urllib3.connectionpool import HTTPConnectionPool

from vastplan.cli import main

_LOCK = threading.Lock()
_COUNT = [0]


def event(deadly: int) -> None:
    """Count; die if it is the one."""
    with _LOCK:
        mine, _COUNT[0] = _COUNT[0], _COUNT[0] + 1
        if mine == deadly:
            os.kill(os.getpid(), signal.SIGKILL)


def _around(what: Callable[..., Any], deadly: int, counts: Callable[..., bool]) -> Callable[..., Any]:
    def called(*given: Any, **named: Any) -> Any:
        if not counts(*given, **named):
            return what(*given, **named)
        event(deadly)
        answer = what(*given, **named)
        event(deadly)
        return answer

    return called


def _writes(*given: Any, **named: Any) -> bool:
    method = named.get("method") or given[1]
    url = str(named.get("url") or given[2])
    return method != "GET" and not url.rstrip("/").endswith("/token")


def run(deadly: int, plan: str) -> int:
    """Apply with the trap set."""
    os.fsync = _around(os.fsync, deadly, lambda *_, **__: True)
    HTTPConnectionPool.urlopen = _around(HTTPConnectionPool.urlopen, deadly, _writes)  # type: ignore[method-assign]
    code = main(["apply", plan])
    print(f"events: {_COUNT[0]}")
    return code


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2]))
