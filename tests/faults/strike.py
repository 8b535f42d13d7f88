"""The faults of the matrix, and the striker that puts one at the N-th request of all systems together."""

from __future__ import annotations

import errno
import re
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import urllib3.util.connection

from tests.documented.facts import facts
from tests.faults.stage import Stage
from vastplan.schema.transport_limits import TransportLimits
from vastplan.sim.faults import Effect, Fault, Faults

# Short, so that a case costs a moment; what is slow beyond it is struck by a fault, and that is all right here.
HASTY = TransportLimits(connect=2.0, silence=0.4, whole=1.2, retries=3, backoff=0.002, longest=0.02)
_CONNECT = urllib3.util.connection.create_connection
REFUSED = "connection refused"

FAULTS: dict[str, Fault | None] = {
    REFUSED: None,  # from that request on, until the run has ended
    "dropped before commit": Fault(Effect.DROP_BEFORE),
    "dropped after commit": Fault(Effect.DROP_AFTER),
    "500": Fault(Effect.STATUS, status=500),
    "500 after commit": Fault(Effect.COMMIT_THEN_STATUS, status=500),
    "503": Fault(Effect.STATUS, status=503),
    "429 with Retry-After": Fault(Effect.STATUS, status=429, retry_after=1),
    "read timeout": Fault(Effect.DELAY, seconds=0.6),
    "truncated JSON": Fault(Effect.TRUNCATE),
    "HTML instead of JSON": Fault(Effect.HTML),
    "token expiry": Fault(Effect.EXPIRE),
    "slow trickle": Fault(Effect.TRICKLE, seconds=0.02),
}


def operation(system: str, method: str, path: str) -> str:
    """What a request asks for, whatever the object: `vast PATCH /views/{}/`."""
    plain = re.sub(r"^/api(/v\d+)?/", "/", path) if system == "vast" else path
    return f"{system} {method} {facts(system).template(plain) or plain}"


class Striker:
    """Counts the requests of all servers and strikes those at the given places."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._lock = threading.Lock()
        self._at: dict[int, str] = {}
        self._down: set[int] = set()
        self.seen: list[str] = []
        """The operations since it was armed, in the order in which they came."""
        self.struck: list[tuple[str, str]] = []
        """Faults and the operations that they met."""
        for index, (system, server) in enumerate(stage.servers()):
            server.faults = _At(self, index, system)

    @contextmanager
    def armed(self, places: Iterable[tuple[int, str]]) -> Iterator[None]:
        """Strike within the block."""
        with self._lock:
            self._at, self.seen, self.struck = dict(places), [], []
        try:
            with patch("urllib3.util.connection.create_connection", self._connect):
                yield
        finally:
            with self._lock:
                self._at, self._down = {}, set()

    def _connect(self, address: tuple[str, int], *more: Any, **options: Any) -> socket.socket:
        """What the operating system answers where nobody listens."""
        with self._lock:
            down = [self._stage.servers()[index][1].url for index in self._down]
        if any(url.endswith(f":{address[1]}") for url in down):
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        return _CONNECT(address, *more, **options)

    def strike(self, index: int, asked: str) -> Fault | None:
        """What happens to this request."""
        with self._lock:
            if index in self._down:
                return Fault(Effect.DROP_BEFORE)
            name = self._at.get(len(self.seen))
            self.seen.append(asked)
            if name is None:
                return None
            self.struck.append((name, asked))
            fault = FAULTS[name]
            if fault is None:
                self._down.add(index)  # its open connections break, and there are no new ones
            return fault or Fault(Effect.DROP_BEFORE)


class _At(Faults):
    """A server's faults, told by the striker."""

    def __init__(self, striker: Striker, index: int, system: str) -> None:
        super().__init__()
        self._striker, self._index, self._system = striker, index, system

    def strike(self, method: str, path: str) -> Fault | None:
        """The striker's word."""
        return self._striker.strike(self._index, operation(self._system, method, path))
