"""Limits of one call: seconds for all of it, bytes for each answer. Its sockets check them before they wait.

A server decides how long each part of an answer takes, and how many parts it has: lines of "100 Continue",
headers, chunks, trailers. So the time limit of a call is checked where every part arrives, at the socket.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

import urllib3

from vastplan.model import strict_json
from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.watch import WATCH


class Overdue(urllib3.exceptions.HTTPError):
    """A call that was not complete within its time limit."""


class TooMuch(urllib3.exceptions.HTTPError):
    """An answer that is too large."""


class Bounds:
    """The limits of one call. Only the thread of the call uses them, and `WATCH` if the call is late."""

    def __init__(self, limits: TransportLimits, large: threading.Lock) -> None:
        """`large` is the lock that a call holds while it reads a large answer: one call of a system at a time."""
        self._limits, self._large, self._has_large = limits, large, False
        self._end = time.monotonic() + limits.whole
        self._came = self._most = 0
        self.waits_on: socket.socket | None = None
        self.expect_head()

    def expect_head(self) -> None:
        """Expect an answer, first its head."""
        self._came, self._most, self._in_head = 0, self._limits.head, True

    def body(self, response: urllib3.BaseHTTPResponse) -> bytearray:
        """The whole decoded body of an answer whose head has arrived.

        Raises `TooMuch`, `Overdue`, and what urllib3 raises if the body is cut short.
        """
        self._most = self._limits.size if response.status < 400 else min(self._limits.size, self._limits.refusal)
        self._in_head = False
        whole, counted, held = bytearray(), 0, 0
        while piece := response.read1(65536, decode_content=True):  # what has arrived, so that time is checked
            whole += piece
            if len(whole) > self._most:  # possible if it was compressed
                raise TooMuch(f"the answer is larger than {_amount(self._most)}")
            if len(whole) > self._limits.apart:
                self._wait_to_be_large()
            if len(whole) * strict_json.DENSEST > self._limits.held:  # a smaller body cannot exceed the limit
                held += strict_json.json_memory(whole[counted:])
                counted = len(whole)
                if held > self._limits.held:
                    raise TooMuch(f"the answer has more values than {_amount(self._limits.held)} hold")
            self.left()
        return whole

    def _wait_to_be_large(self) -> None:
        if not self._has_large:
            self._has_large = self._large.acquire(timeout=self.left())
            self.left()

    def done(self) -> None:
        """End the call."""
        if self._has_large:
            self._large.release()

    def left(self) -> float:
        """Seconds until the end of the call. Raises `Overdue` if none are left."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise Overdue(f"no complete answer within {self._limits.whole:g} s")
        return seconds

    def took(self, count: int) -> None:
        """Count bytes that have arrived. Raises `TooMuch` if they are too many, and `Overdue`."""
        self.left()
        self._came += count
        if self._came > self._most:
            subject = "the headers of the answer are" if self._in_head else "the answer is"
            raise TooMuch(f"{subject} larger than {_amount(self._most)}")

    def end_after(self, grace: float) -> None:
        """Shut the socket down if the call's time ended more than `grace` seconds ago."""
        if self.waits_on is not None and time.monotonic() > self._end + grace:
            with suppress(OSError):
                socket.socket.shutdown(self.waits_on, socket.SHUT_RDWR)  # below TLS, whose layer is in use

    def pause(self, seconds: float) -> bool:
        """Wait and return true; return false at once if the call's time would be over by then."""
        if seconds >= self._end - time.monotonic():
            return False
        time.sleep(seconds)
        return True


CURRENT: ContextVar[Bounds | None] = ContextVar("bounds", default=None)
"""The limits of the call that this thread is making."""


@contextmanager
def call_bounds(limits: TransportLimits, large: threading.Lock) -> Iterator[Bounds]:
    """Limits for the call that is made within the block; its time starts now. Calls of one system share `large`."""
    bounds = Bounds(limits, large)
    token = CURRENT.set(bounds)
    WATCH.begin(bounds)
    try:
        yield bounds
    finally:
        WATCH.end(bounds)
        bounds.done()
        CURRENT.reset(token)


def _amount(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"
