"""The world of examples/two-sites as its pages have it: two simulated sites, and what people and accidents do to them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pytest

from vastplan.cli.screen import Screen

ROOT = Path(__file__).parents[1]
STORY = ROOT / "examples" / "two-sites"


def copied(folder: Path) -> Path:
    """The documents of the story, in a folder that there was not."""
    return Path(shutil.copytree(STORY, folder, ignore=shutil.ignore_patterns(".vastplan")))


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a hundredth of what a move waits for."""
    pause = time.sleep
    monkeypatch.setattr("vastplan.operations.clock.SystemClock.sleep", lambda _, seconds: pause(seconds / 100))


def as_asked(_: Screen, question: str) -> str:
    """What somebody types who does what is asked of him: `yes`, or the restore point that is named."""
    return "yes" if question.endswith("yes to start: ") else question.rpartition(", ")[2].removesuffix(": ")


class World:
    """Serves both sites while a block runs; called, it is one command of world.py, and answers with what that prints."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def __enter__(self) -> World:
        words = [sys.executable, "world.py", "serve"]
        self.served = subprocess.Popen(
            words, cwd=self._folder, stdout=subprocess.PIPE, text=True, env=self._environment
        )
        assert self.served.stdout is not None and "both sites are there" in self.served.stdout.readline()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.served.terminate()
        self.served.communicate(timeout=30)

    def __call__(self, *words: str) -> str:
        return self.run(sys.executable, "world.py", *words)

    def run(self, *command: str) -> str:
        """A program beside the documents, which has to go well; what it prints."""
        done = subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, env=self._environment, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout
