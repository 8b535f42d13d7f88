"""Shows what planning waits for: which systems are being read, how many pages, and which does not answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field

from vastplan.cli.screen import Screen
from vastplan.cli.status import status_line
from vastplan.model import formatting
from vastplan.model.dataclass import dataclass
from vastplan.model.watch import Watch
from vastplan.model.wording import counted

_SILENT = 3.0  # seconds without an answer after which the status says that a system does not answer
_SHOWN = 3


@dataclass(slots=True)
class _Asked:
    """One system: its pending reads, the number of pages received, and the time of its last answer."""

    heard: float
    pages: int = 0
    pending: set[str] = field(default_factory=set)


class Waiting(Watch):
    """Records which systems are being read, for the status line."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._asked: dict[tuple[str, str], _Asked] = {}

    def begins(self, site: str, system: str, what: str) -> None:
        """A read begins."""
        with self._lock:
            asked = self._asked.setdefault((site, system), _Asked(self._clock()))
            if not asked.pending:
                asked.heard = self._clock()
            asked.pending.add(what)

    def page(self, site: str, system: str, what: str) -> None:
        """A page has arrived."""
        with self._lock:
            asked = self._asked[site, system]
            asked.pages += 1
            asked.heard = self._clock()

    def ends(self, site: str, system: str, what: str) -> None:
        """A read ends."""
        with self._lock:
            asked = self._asked[site, system]
            asked.pending.discard(what)
            asked.heard = self._clock()

    def line(self, passed: float) -> str:
        """The status line, longest silence first: `reading, 12 s: pdx vast does not answer, 11 s (1 page read); iad vast (3 pages read)`."""
        now = self._clock()
        with self._lock:
            pages = sum(asked.pages for asked in self._asked.values())
            waits = sorted((asked.heard, key, asked.pages) for key, asked in self._asked.items() if asked.pending)
        texts = [_text(f"{site} {system}", now - heard, count) for heard, (site, system), count in waits]
        more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
        rest = "; ".join([*texts[:_SHOWN], *more]) or f"{counted(pages, 'page')} read"
        return f"{'reading' if texts else 'planning'}, {formatting.span(int(passed))}: {rest}"


def _text(name: str, silent: float, pages: int) -> str:
    read = f"{counted(pages, 'page')} read" if pages else "nothing read yet"
    return (
        f"{name} does not answer, {formatting.span(int(silent))} ({read})" if silent >= _SILENT else f"{name} ({read})"
    )


@contextmanager
def waiting(screen: Screen) -> Iterator[Watch]:
    """Yields the watch to report reads to; while the block runs, a terminal shows what is waited for."""
    watch = Waiting()
    with status_line(screen, watch.line):
        yield watch
