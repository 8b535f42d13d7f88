"""How signals end a command: in order, so that locks are released."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from vastplan.model.signals import unless_ignored


@contextmanager
def ended_in_order() -> Iterator[None]:
    """While the block runs, SIGTERM and SIGHUP raise `KeyboardInterrupt` with their number, as Ctrl-C raises it without one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt(number)

    before = {number: signal.signal(number, end) for number in unless_ignored(signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
