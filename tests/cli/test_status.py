"""What a person at a terminal sees while work goes on; in a log there are lines alone, as ever."""

from __future__ import annotations

import io
import os
import pty
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

import pytest

from tests.report.estate import estate
from vastplan.cli.progress import Run, progress
from vastplan.cli.screen import Screen
from vastplan.cli.status import status_line
from vastplan.cli.wait import Waiting, waiting
from vastplan.engine.applying.apply import ProgressEvent
from vastplan.model.outcome import State
from vastplan.model.plan import Step


@dataclass
class Terminal:
    """A pseudo-terminal, and what has been written to it."""

    err: TextIO
    seen: bytes = b""
    ended: threading.Event = field(default_factory=threading.Event)

    def text(self) -> str:
        return self.seen.decode()

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + 20
        while words not in self.text():
            assert time.monotonic() < deadline, self.text()
            time.sleep(0.02)


@contextmanager
def terminal() -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    with open(theirs, "w", encoding="utf-8") as err:
        made = Terminal(err)

        def read() -> None:
            while not made.ended.is_set():
                try:
                    made.seen += os.read(ours, 65536)
                except OSError:
                    return

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        yield made
        made.ended.set()
    reader.join()
    os.close(ours)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_is_waited_for_the_silent_first() -> None:
    clock = Clock()
    watch = Waiting(clock)
    watch.begins("iad", "vast", "view")
    watch.begins("pdx", "vast", "view")
    clock.now += 12
    watch.page("iad", "vast", "view")
    assert watch.line(12) == "reading, 12 s: pdx vast does not answer, 12 s (nothing read yet); iad vast (1 page read)"
    watch.ends("pdx", "vast", "view")
    watch.ends("iad", "vast", "view")
    assert watch.line(13) == "planning, 13 s: 1 page read"
    for number in range(5):
        watch.begins(f"s{number}", "vast", "view")
    assert watch.line(14).endswith("; and 2 more")
    clock.now += 60
    watch.ends("s0", "vast", "view")
    watch.begins("s0", "vast", "quota")  # nothing was asked of it meanwhile
    assert "s0 vast (nothing" not in watch.line(74) and "s1 vast does not answer, 60 s" in watch.line(74)


def test_how_far_an_apply_is() -> None:
    clock = Clock()
    run = Run(10, clock)
    run.begins("iad/view/a", "create")
    run.begins("iad/view/b", "update")
    clock.now += 7
    assert run.line(7) == "0 of 10 done; now: create iad/view/a 7 s and 1 more"
    assert run.ends("iad/view/a", well=True) == 1
    assert run.line(7) == "1 of 10 done; now: update iad/view/b 7 s; slowest: create iad/view/a 7 s"
    run.ends("iad/view/b", well=False)
    for number in range(3):
        run.begins(f"iad/quota/{number}", "update")
        run.ends(f"iad/quota/{number}", well=True)
    run.skips("iad/view/c")
    assert run.line(10) == "4 of 10 done, 1 not, about 8 s left; slowest: update iad/view/b 7 s"


def test_a_terminal_shows_a_line_that_goes_away() -> None:
    with terminal() as seen:
        screen = Screen(io.StringIO(), seen.err, colour=False)
        with status_line(screen, lambda passed: "reading \x1b[2J" + "x" * 400, begins=0):
            seen.wait_for("reading \\x1b[2J")
            screen.progress("a line of its own")
            seen.wait_for("a line of its own")
        time.sleep(0.1)
        assert "\r\x1b[Ka line of its own\r\n" in seen.text()
        assert seen.text().rpartition("\n")[2].rpartition("\x1b[K")[2] == ""  # nothing is left of it
        assert max(len(part) for part in seen.text().replace("\r", "\n").splitlines()) <= 80 + len("\x1b[K")


def test_planning_is_told_after_a_second_and_not_before() -> None:
    with terminal() as seen:
        screen = Screen(io.StringIO(), seen.err, colour=False)
        with waiting(screen) as watch:
            watch.begins("pdx", "vast", "view")
        assert "reading" not in seen.text()
        with waiting(screen) as watch:
            watch.begins("pdx", "vast", "view")
            seen.wait_for("reading, 1 s: pdx vast (nothing read yet)")


@pytest.mark.parametrize("watched", [True, False])
def test_an_apply_has_its_lines_where_nobody_looks(watched: bool) -> None:
    plan = estate(3)
    first, second, third = plan.actions

    def carry_out(screen: Screen) -> None:
        with progress(screen, plan) as tell:
            for action in (first, second):
                tell(ProgressEvent(action, step=Step.WRITE))
            tell(ProgressEvent(first, state=State.DONE))
            tell(ProgressEvent(second, state=State.FAILED, message="refused"))
            tell(ProgressEvent(third, state=State.SKIPPED))

    if watched:
        with terminal() as seen:
            carry_out(Screen(io.StringIO(), seen.err, colour=False))
            seen.wait_for("failed: refused")
            assert f"update {first.address}: done" not in seen.text()
        return
    err = io.StringIO()
    carry_out(Screen(io.StringIO(), err, colour=False))
    assert err.getvalue().splitlines() == [
        f"[1/3] update {first.address}: done",
        f"[2/3] update {second.address}: failed: refused",
    ]


def test_nothing_is_told_where_nobody_looks() -> None:
    err = io.StringIO()
    with status_line(Screen(io.StringIO(), err, colour=False), lambda passed: "never", begins=0):
        time.sleep(0.4)
    assert err.getvalue() == ""


def test_into_a_file_goes_all(tmp_path: object) -> None:
    with open(os.devnull, "w") as nothing, open(f"{tmp_path}/plan.txt", "w") as file:
        assert Screen(file, nothing, colour=False).into_file
        assert not Screen(nothing, nothing, colour=False).into_file
        assert not Screen(io.StringIO(), nothing, colour=False).into_file
