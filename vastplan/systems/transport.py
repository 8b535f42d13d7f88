"""What both ways of speaking HTTP share: what is sent again, and how an answer is taken in."""

from __future__ import annotations

import time

import urllib3
from urllib3.util.retry import Retry

from vastplan.systems.limits import TransportLimits

READS = frozenset({"GET", "HEAD"})


def repeats(limits: TransportLimits, methods: frozenset[str] = READS) -> Retry:
    """The rule of what is sent again, and when; `methods` are those that change nothing."""
    times = limits.retries
    return Repeats(
        total=times, connect=times, read=times, status=times, redirect=0,
        backoff_factor=limits.backoff, backoff_max=limits.longest, status_forcelist=(429, 500, 502, 503, 504),
        allowed_methods=methods, respect_retry_after_header=True, raise_on_status=False,
    )  # fmt: skip


class Repeats(Retry):
    """Reads are repeated, and what was turned away unread (429), whatever it was.

    Whether another write may be repeated is the engine's to find out by reading.
    """

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        """Whether an answer of that status is asked for again."""
        if status_code == 429:
            return bool(self.total)
        return super().is_retry(method, status_code, has_retry_after)

    def parse_retry_after(self, retry_after: str) -> float:
        """Seconds or an HTTP date, in seconds from now and bounded; what is neither asks for nothing."""
        try:
            return min(super().parse_retry_after(retry_after), float(self.backoff_max))
        except urllib3.exceptions.InvalidHeader:
            return 0.0


class TooMuch(urllib3.exceptions.HTTPError):
    """An answer that is too large, or takes too long to come."""


def content(response: urllib3.BaseHTTPResponse, limits: TransportLimits) -> bytes:
    """The whole body, decoded; raises `TooMuch`, and what urllib3 raises for one that is cut short."""
    deadline = time.monotonic() + limits.whole
    chunks, size = [], 0
    while chunk := response.read1(65536, decode_content=True):  # what has come, so that the clock is looked at
        size += len(chunk)
        if size > limits.size:
            raise TooMuch(f"the answer is larger than {limits.size >> 20} MiB")
        if time.monotonic() > deadline:
            raise TooMuch(f"the answer was not whole after {limits.whole:g} s")
        chunks.append(chunk)
    return b"".join(chunks)
