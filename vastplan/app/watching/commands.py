"""The commands of whoever runs a watcher: one that fences a site, one that takes alarms. A document never names them."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess

from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert

FENCE_SECONDS, ALARM_SECONDS = 300.0, 60.0


def run_fence(command: str, site: str) -> str:
    """Run `COMMAND fence SITE`; returns why it did not confirm that nobody writes there any more, "" if it did (exit code 0)."""
    return _ran([*shlex.split(command), "fence", site], "", FENCE_SECONDS)


def send_alarm(command: str, text: str) -> str:
    """Give a text to a command on its standard input; returns why it failed."""
    return _ran(shlex.split(command), text, ALARM_SECONDS)


def refuse_missing(command: str) -> None:
    """Raises `VastplanError` for a command that cannot be run from here."""
    try:
        (first, *_) = shlex.split(command)
    except ValueError:
        first = ""
    if not first or shutil.which(first) is None:
        raise VastplanError(f"--fence: {inert(first or command, 200)} is no command that can be run here")


def _ran(words: list[str], given: str, seconds: float) -> str:
    try:
        with subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as running:
            try:
                output, problems = running.communicate(given, timeout=seconds)
            except BaseException:  # also what interrupts it: nothing of it may go on
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)
                raise
    except subprocess.TimeoutExpired:
        return f"{inert(words[0], 200)} did not end within {seconds:.0f} s"
    except (OSError, ValueError) as problem:
        return f"{inert(words[0], 200)} cannot be run: {type(problem).__name__}"
    if running.returncode:
        last = (problems.strip() or output.strip()).splitlines()[-1:]
        return f"{inert(words[0], 200)} ended with {running.returncode}" + (f": {inert(last[0], 300)}" if last else "")
    return ""
