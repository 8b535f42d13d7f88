"""A line at a terminal that says how work goes on, and goes when it is done. Where nobody looks there is none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vastplan.cli.screen import Screen

_EVERY = 0.25  # seconds
FROM = 1.0  # seconds: what takes less is not worth a word


@contextmanager
def shown(screen: Screen, line: Callable[[float], str], *, begins: float = FROM) -> Iterator[None]:
    """While the block runs the status is what `line` makes of the seconds that have passed, from `begins` on."""
    if not screen.watched:
        yield
        return
    began, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        while not ended.wait(_EVERY):
            passed = time.monotonic() - began
            if passed >= begins:
                screen.status(line(passed))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
        screen.status("")
