"""A thread that ends calls whose time is over where their own thread cannot: TLS may read records without content forever.

A server can send what belongs to TLS alone (new session tickets, new keys) as fast as it is read. OpenSSL reads on until there
is content or nothing more to read, and looks at no clock meanwhile. When its socket is shut down by somebody else, it ends.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

TICK = 0.25  # seconds
GRACE = 1.0  # seconds after its end in which a call ends by itself


class Call(Protocol):
    """A call that is being made."""

    def end_after(self, grace: float) -> None:
        """Shut its socket down where it ended longer ago than that."""


class Watch:
    """All calls of this process that are being made now. The thread is there from the first one on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: set[Call] = set()
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, call: Call) -> None:
        """It is being made."""
        with self._lock:
            self._calls.add(call)
            self._some.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="vastplan-watch", daemon=True)
                self._thread.start()

    def end(self, call: Call) -> None:
        """It is done; its socket is another's from now on."""
        with self._lock:
            self._calls.discard(call)
            if not self._calls:
                self._some.clear()

    def _run(self) -> None:
        while self._some.wait():
            time.sleep(TICK)
            with self._lock:  # none of them ends meanwhile
                for call in self._calls:
                    call.end_after(GRACE)


WATCH = Watch()
