"""A status line at a terminal that shows progress and is removed at the end. Without a terminal there is none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vastplan.cli.screen import Screen

_EVERY = 0.25  # seconds
FROM = 1.0  # seconds: shorter work shows no status


@contextmanager
def status_line(screen: Screen, line: Callable[[float], str], *, begins: float = FROM) -> Iterator[None]:
    """While the block runs, show `line` of the elapsed seconds as the status, from `begins` seconds on."""
    if not screen.watched:
        yield
        return
    began, ended = time.monotonic(), threading.Event()

    def update() -> None:
        while not ended.wait(_EVERY):
            passed = time.monotonic() - began
            if passed >= begins:
                screen.status(line(passed))

    thread = threading.Thread(target=update, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        screen.status("")
