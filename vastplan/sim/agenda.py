"""What happens to objects later, whether somebody asks for them or not: each request that a plane handles brings it nearer, and so does its clock."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from vastplan.sim.store import Store

STEP = 10.0  # seconds of the clock that count as much as one request
Key = tuple[str, str]
"""A collection, and the key of a row in it."""


class Agenda:
    """The objects of one plane that change by themselves, in the order of their time.

    `pending` returns their keys: it is called at the first request, and after the store was restored. They wait for `requests` requests.
    """

    def __init__(
        self, store: Store, clock: Callable[[], float], requests: int, pending: Callable[[], Iterable[Key]]
    ) -> None:
        self._store, self._clock, self._wait, self._pending = store, clock, requests, pending
        self._handled = 0
        self._heap: list[tuple[float, Key]] = []
        self._at: dict[Key, float] = {}
        self._waited: dict[Key, int] = {}
        self._restores = -1

    def _moment(self) -> float:
        return self._clock() + STEP * self._handled

    def count_request(self) -> None:
        """Count a request that is being handled."""
        self._handled += 1

    def add(self, key: Key, requests: int | None = None) -> None:
        """Let an object change after the usual number of requests or after `requests`, whatever they ask for; this replaces an earlier time."""
        wait = self._wait if requests is None else requests
        self._waited[key] = wait
        self._at[key] = self._moment() + STEP * (wait - 0.5)  # half a step early: clocks are not exact
        heapq.heappush(self._heap, (self._at[key], key))

    def add_again(self, key: Key, most: int) -> None:
        """Let an object that could not change yet try again after twice as many requests as before, at most `most`."""
        self.add(key, min(most, 2 * max(1, self._waited.get(key, 1))))

    def due(self) -> Iterator[Key]:
        """Take out the objects whose time has come, one by one."""
        if self._restores != self._store.restores:
            self._restores = self._store.restores
            self._heap, self._at, self._waited = [], {}, {}
            for key in list(self._pending()):
                self.add(key)
        now = self._moment()
        while self._heap and self._heap[0][0] <= now:
            at, key = heapq.heappop(self._heap)
            if self._at.get(key) == at:
                del self._at[key]
                yield key
                if key not in self._at:
                    self._waited.pop(key, None)


@contextmanager
def request_time(agendas: Iterable[Agenda], settle: Callable[[], None]) -> Iterator[None]:
    """Let one request pass; `settle` changes what is due before it and after it."""
    settle()
    for agenda in agendas:
        agenda.count_request()
    try:
        yield
    finally:
        settle()
