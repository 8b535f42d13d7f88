"""An apply while it runs: how far it is, and what Ctrl-C does."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vastplan.cli.screen import Screen
from vastplan.model.plan import Action, Plan


def progress(screen: Screen, made: Plan) -> Callable[[Action, str], None]:
    """A function that says how far an apply is; any thread may call it."""
    total = sum(1 for action in made.actions if not action.blocked)
    lock, done = threading.Lock(), [0]

    def tell(action: Action, what: str) -> None:
        if what.endswith("…") or action.blocked:
            return
        with lock:
            done[0] += 1
            screen.progress(f"[{done[0]}/{total}] {action.verb.value} {action.address}: {what}")

    return tell


@contextmanager
def interruptible(screen: Screen) -> Iterator[threading.Event]:
    """The first Ctrl-C lets what is in flight end; the second ends the process, as a crash would.

    The ledger's journal is made for that: what was in flight stands there as an intent. Anything gentler would wait
    for the threads, which wait for the systems.
    """
    stop = threading.Event()

    def interrupted(number: int, frame: object) -> None:
        if stop.is_set():
            screen.urgent("error: stopped at once; the next plan finds out what became of what was in flight")
            os._exit(128 + number)
        stop.set()
        screen.urgent("stopping after what is in flight; once more to stop at once")

    before = {number: signal.signal(number, interrupted) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
