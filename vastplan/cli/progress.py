"""Shows the progress of a running apply, and handles Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vastplan.cli.screen import Screen
from vastplan.cli.status import status_line
from vastplan.engine.applying.apply import Progress, ProgressEvent
from vastplan.model import formatting
from vastplan.model.outcome import State
from vastplan.model.plan import Plan
from vastplan.model.signals import unless_ignored
from vastplan.report.values import verb_word

_ENOUGH = 5  # finished actions from which on the remaining time is estimated


@contextmanager
def progress(screen: Screen, plan: Plan) -> Iterator[Progress]:
    """Yields a function that shows the progress of an apply; any thread may call it.

    Prints a line for each finished action; at a terminal only for those that failed, and a status line that is updated.
    """
    run = Run(sum(1 for action in plan.actions if not action.blocked))
    lock = threading.Lock()

    def report(event: ProgressEvent) -> None:
        action = event.action
        if event.state is None:
            run.begins(str(action.address), verb_word(action))
            return
        if event.state is State.SKIPPED or action.blocked:  # the receipt lists what was skipped
            run.skips(str(action.address))
            return
        state = event.state.value + (f": {event.message}" if event.message else "")
        with lock:
            ended = run.ends(str(action.address), well=event.state is State.DONE)
            if not screen.watched or event.state is not State.DONE:
                screen.progress(f"[{ended}/{run.total}] {verb_word(action)} {action.address}: {state}")

    with status_line(screen, run.line):
        yield report


class Run:
    """The progress of an apply: how many actions have finished, which run and since when, and which took longest."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total = total
        self._clock, self._lock = clock, threading.Lock()
        self._running: dict[str, tuple[float, str]] = {}
        self._done = self._failed = self._skipped = 0
        self._slowest: tuple[float, str] = (0.0, "")

    def begins(self, address: str, verb: str) -> None:
        """A step of an action begins; the first step starts the action's time."""
        with self._lock:
            self._running.setdefault(address, (self._clock(), verb))

    def ends(self, address: str, *, well: bool) -> int:
        """An action ends. Returns how many have ended."""
        with self._lock:
            since, verb = self._running.pop(address, (self._clock(), ""))
            self._slowest = max(self._slowest, (self._clock() - since, f"{verb} {address}"))
            self._done += well
            self._failed += not well
            return self._done + self._failed

    def skips(self, address: str) -> None:
        """An action is skipped before it begins, or before its next step."""
        with self._lock:
            self._running.pop(address, None)
            self._skipped += 1

    def line(self, passed: float) -> str:
        """The status line: `12 of 340 done, about 3 min left; now: update iad/quota/a 2 s and 7 more; slowest: create iad/view/b 40 s`."""
        with self._lock:
            now = self._clock()
            running = sorted((since, f"{verb} {address}") for address, (since, verb) in self._running.items())
            ended, slowest = self._done + self._failed, self._slowest
            parts = [f"{self._done} of {self.total} done"]
            parts += [f"{self._failed} not"] if self._failed else []
            left = self.total - ended - self._skipped
        if ended >= _ENOUGH and left > 0:
            parts.append(f"about {formatting.span(passed / ended * left, 2)} left")
        text = ", ".join(parts)
        if running:
            more = f" and {len(running) - 1} more" if len(running) > 1 else ""
            text += f"; now: {running[0][1]} {int(now - running[0][0])} s{more}"
        return text + (f"; slowest: {slowest[1]} {int(slowest[0])} s" if slowest[0] >= 1 else "")


@contextmanager
def interruptible(screen: Screen) -> Iterator[threading.Event]:
    """Yields an event that the first Ctrl-C sets, so that running changes finish; the second ends the process like a crash.

    SIGTERM is the same, and so is SIGHUP, which a lost terminal sends more than once: it never ends the process at once. The
    ledger's journal is designed for a crash: it has an intent for every running change. A gentler end would wait for the threads,
    which wait for the systems.
    """
    stop = threading.Event()

    def interrupted(number: int, frame: object) -> None:
        if number == signal.SIGHUP and stop.is_set():
            return
        if stop.is_set():
            screen.urgent("error: stopped immediately; the next plan reads what became of the changes in progress")
            os._exit(128 + number)
        stop.set()
        screen.urgent("stopping after the changes in progress; press Ctrl-C once more to stop immediately")

    numbers = (signal.SIGINT, signal.SIGTERM, *unless_ignored(signal.SIGHUP))
    before = {number: signal.signal(number, interrupted) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
