"""Two appliers as processes of their own, one of them stopped (SIGSTOP) and going on later: one wins, nothing is lost.

A process that goes on finds its clock far ahead: what counts is what it does before it has looked, and after.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults import plays
from tests.faults.case import Scene, Theatre
from tests.faults.kills import events, hurried, saved, words
from tests.faults.victim import ROOT

LOST = "ledger of iad is lost"


@contextmanager
def theatre(folder: Path, name: str) -> Iterator[Theatre]:
    one = Theatre(folder / "home", *getattr(plays, name)(folder))
    try:
        yield one
    finally:
        one.close()


@contextmanager
def paused(here: Theatre, scene: Scene, at: int) -> Iterator[subprocess.Popen[str]]:
    """An apply that has stopped itself at an event; it is killed at the end."""
    here.stage.set_back(scene.start)
    command = words("paused", at, saved(here, scene.plan))
    victim = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    try:
        state = os.waitid(os.P_PID, victim.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        assert state is not None and state.si_code == os.CLD_STOPPED, victim.communicate()[0]
        yield victim
    finally:
        victim.kill()
        victim.communicate()


def goes_on(victim: subprocess.Popen[str]) -> tuple[int, str]:
    """Its exit code and what it printed."""
    victim.send_signal(signal.SIGCONT)
    printed, _ = victim.communicate(timeout=60)
    return victim.returncode, printed


def apply_by_command(here: Theatre) -> tuple[int, str]:
    """Another applier."""
    command = [sys.executable, "-m", "vastplan", "apply", str(here.stage.home), "--auto-approve", "--allow-delete", "*"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_who_is_stopped_keeps_the_lock_of_a_local_ledger(tmp_path: Path) -> None:
    with theatre(tmp_path, "chain") as here:
        scene = here.scenes[0]
        middle = events(here, scene) // 2
        with paused(here, scene, middle) as victim:
            code, printed = apply_by_command(here)
            assert code == 1 and f"(pid {victim.pid})" in printed, printed
            assert goes_on(victim)[0] == 0
        here.as_meant(scene)
        assert here.stage.plan().actions == ()


@pytest.mark.slow
def test_who_is_stopped_keeps_its_lease_as_long_as_it_lasts(tmp_path: Path) -> None:
    with theatre(tmp_path, "shared_chain") as here:
        scene = here.scenes[0]
        middle = events(here, scene) // 2
        with paused(here, scene, middle), hurried() as waits:
            here.recovers(scene)
        assert 59 < sum(waits) <= 60


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_who_goes_on_after_its_lease_begins_nothing_more(number: int, tmp_path: Path) -> None:
    with theatre(tmp_path, "shared_chain") as here:
        scene = here.scenes[number]
        codes, many = [], events(here, scene)
        for at in range(number, many, 3):
            with paused(here, scene, at) as victim:
                with hurried():
                    here.recovers(scene)  # somebody else does the work
                for _, server in here.stage.servers():
                    server.calls.clear()
                code, printed = goes_on(victim)
            systems = [server for system, server in here.stage.servers() if system == "vast"]
            sent = [call for server in systems for call in server.writes()]
            assert len(sent) <= 1, f"event {at}: beyond what was under way, it sent {sent}"
            assert code in (0, 1, 4, 5), printed
            if code in (1, 4):
                assert LOST in printed.replace("\n", " "), f"event {at}: {printed}"
            codes.append(code)
            with hurried():
                here.as_meant(scene)
                assert here.stage.plan().actions == ()
        assert 4 in codes, codes
