"""Faults on demand: what a network or a busy server does to a request, selected by position or by pattern."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Effect(Enum):
    """What happens to a request that a fault matches."""

    STATUS = "status"  # answer `status` instead of handling the request
    COMMIT_THEN_STATUS = "commit-then-status"  # handle it, then answer `status`
    DROP_BEFORE = "drop-before"  # close the connection; nothing happened
    DROP_AFTER = "drop-after"  # handle it, then close the connection
    DELAY = "delay"  # answer after `seconds`
    TRICKLE = "trickle"  # send the answer byte by byte, `seconds` apart
    TRUNCATE = "truncate"  # announce the whole body, send half of it
    HTML = "html"  # a proxy's page instead of JSON
    EXPIRE = "expire"  # forget all tokens, then handle the request


@dataclass(frozen=True, slots=True)
class Fault:
    """Strikes matching requests, from the `after`-th (0 is the first) on, `times` times."""

    effect: Effect
    method: str = ".*"
    path: str = ".*"
    after: int = 0
    times: int = 1
    status: int = 503
    seconds: float = 0.0
    retry_after: int | None = None


class Rate:
    """Limits the requests answered within any second; others are refused, as a busy server or its gateway does."""

    def __init__(self, per_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._clock = clock
        self._admitted: deque[float] = deque()

    def admits(self) -> bool:
        """Whether this request is answered; a refused request does not count."""
        now = self._clock()
        while self._admitted and self._admitted[0] <= now - 1:
            self._admitted.popleft()
        if len(self._admitted) >= self._per_second:
            return False
        self._admitted.append(now)
        return True


class Faults:
    """The armed faults, and how often each has matched."""

    def __init__(self) -> None:
        self._armed: list[tuple[Fault, int]] = []

    def effects(self) -> set[Effect]:
        """What may happen to a request."""
        return {fault.effect for fault, _ in self._armed}

    def arm(self, *faults: Fault) -> None:
        """Add faults."""
        self._armed += [(fault, 0) for fault in faults]

    def clear(self) -> None:
        """Disarm all."""
        self._armed.clear()

    def strike(self, method: str, path: str) -> Fault | None:
        """The fault that strikes this request, if any; every matching fault counts the request."""
        striking: Fault | None = None
        for index, (fault, seen) in enumerate(self._armed):
            if not (re.fullmatch(fault.method, method) and re.search(fault.path, path)):
                continue
            self._armed[index] = (fault, seen + 1)
            if striking is None and fault.after <= seen < fault.after + fault.times:
                striking = fault
        return striking
