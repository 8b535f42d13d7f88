"""A thread that ends late calls which cannot end themselves: TLS may read records without content forever.

A server can send records of TLS alone (new session tickets, new keys) as fast as they are read. OpenSSL reads on until it has
content or nothing more to read, and does not check the time. It ends when another thread shuts its socket down.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

TICK = 0.25  # seconds
GRACE = 1.0  # seconds after its end during which a call ends by itself


class ActiveCall(Protocol):
    """A call that is under way."""

    def end_after(self, grace: float) -> None:
        """Shut its socket down if its time ended more than `grace` seconds ago."""


class CallWatch:
    """All calls of this process that are under way. The first one starts the thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: set[ActiveCall] = set()
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, call: ActiveCall) -> None:
        """The call has started."""
        with self._lock:
            self._calls.add(call)
            self._some.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="vastplan-watch", daemon=True)
                self._thread.start()

    def end(self, call: ActiveCall) -> None:
        """The call has ended; another call may use its socket from now on."""
        with self._lock:
            self._calls.discard(call)
            if not self._calls:
                self._some.clear()

    def _run(self) -> None:
        while self._some.wait():
            time.sleep(TICK)
            with self._lock:  # no call can end meanwhile
                for call in self._calls:
                    call.end_after(GRACE)


WATCH = CallWatch()
