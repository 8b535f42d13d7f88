"""The commands of whoever runs a watcher: one that fences a site, one that takes alarms. A document never names them."""

from __future__ import annotations

import shlex
import subprocess

from vastplan.model.escaping import inert

FENCE_SECONDS, ALARM_SECONDS = 300.0, 60.0


def run_fence(command: str, site: str) -> str:
    """Run `COMMAND fence SITE`; returns why it did not confirm that nobody writes there any more, "" if it did (exit code 0)."""
    return _ran([*shlex.split(command), "fence", site], "", FENCE_SECONDS)


def send_alarm(command: str, text: str) -> str:
    """Give a text to a command on its standard input; returns why it failed."""
    return _ran(shlex.split(command), text, ALARM_SECONDS)


def _ran(words: list[str], given: str, seconds: float) -> str:
    try:
        done = subprocess.run(words, input=given, capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"{inert(words[0], 200)} did not end within {seconds:.0f} s"
    except (OSError, ValueError) as problem:
        return f"{inert(words[0], 200)} cannot be run: {type(problem).__name__}"
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        return f"{inert(words[0], 200)} ended with {done.returncode}" + (f": {inert(last[0], 300)}" if last else "")
    return ""
