"""An apply while it runs: how far it is, and what Ctrl-C does."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from vastplan.cli.screen import Screen
from vastplan.engine.apply import Progress, ProgressEvent
from vastplan.model.outcome import State
from vastplan.model.plan import Plan


def progress(screen: Screen, plan: Plan) -> Progress:
    """A function that says how far an apply is; any thread may call it."""
    total = sum(1 for action in plan.actions if not action.blocked)
    lock, ended = threading.Lock(), itertools.count(1)

    def tell(event: ProgressEvent) -> None:
        action = event.action
        if event.state is None or event.state is State.SKIPPED or action.blocked:  # the receipt lists what was skipped
            return
        state = event.state.value + (f": {event.message}" if event.message else "")
        with lock:
            screen.progress(f"[{next(ended)}/{total}] {action.verb.value} {action.address}: {state}")

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
