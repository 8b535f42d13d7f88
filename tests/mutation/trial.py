"""Trials of mutants, each in a process of its own: whether its tests pass."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hypothesis import settings

from tests.mutation.mistakes import Mutant

OPTIONS = (
    "-x", "-q", "-o", "addopts=", "-o", "tmp_path_retention_policy=failed", "-p", "no:cacheprovider", "--tb=no",
)  # fmt: skip
settings.register_profile("mutation", deadline=None, derandomize=True, database=None)
settings.load_profile("mutation")  # for suites without conftest.py
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # a second for each mutant


@dataclass(frozen=True, slots=True)
class Tried:
    """How it went with a mutant: whether its tests passed, the one that did not, and whether they had to be ended."""

    mutant: Mutant
    alive: bool
    killer: str
    endless: bool


def each(
    mutants: Iterable[Mutant], killer: Callable[[Mutant], str | None], jobs: int, seconds: Callable[[Mutant], float]
) -> Iterator[Tried]:
    """Each in a process of its own, so many at once, ended after its seconds; in the order in which they end.

    `killer` answers the test that fails, or None.
    """
    running: dict[int, tuple[Mutant, int]] = {}
    for mutant in mutants:
        if len(running) >= jobs:
            yield _ended(running)
        child, told = _begun(mutant, killer, seconds(mutant))
        running[child] = mutant, told
    while running:
        yield _ended(running)


def _begun(mutant: Mutant, killer: Callable[[Mutant], str | None], seconds: float) -> tuple[int, int]:
    """The child's id, and the pipe through which it tells."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            found = killer(mutant)
            os.write(writing, (found or "").encode())
            code = 0 if found is None else 1
        finally:
            os._exit(code)
    os.close(writing)
    return child, reading


def _ended(running: dict[int, tuple[Mutant, int]]) -> Tried:
    child, status = os.wait()
    mutant, told = running.pop(child)
    with open(told, "rb") as pipe:
        killer = pipe.read().decode()
    passed = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
    return Tried(mutant, passed, killer, os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM)
