"""Trials of mutants, each in a process of its own: whether its tests pass."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.mutation.mistakes import Mutant

OPTIONS = ("-x", "-q", "-o", "addopts=", "-p", "no:cacheprovider", "--tb=no")
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # a second for each mutant


@dataclass(frozen=True, slots=True)
class Tried:
    """How it went with a mutant: whether its tests passed, and whether they had to be ended."""

    mutant: Mutant | None
    alive: bool
    endless: bool


def each(
    mutants: Iterable[Mutant | None],
    passes: Callable[[Mutant | None], bool],
    jobs: int,
    seconds: Callable[[Mutant | None], float],
) -> Iterator[Tried]:
    """Each in a process of its own, so many at once, ended after its seconds; in the order in which they end."""
    running: dict[int, Mutant | None] = {}
    for mutant in mutants:
        if len(running) >= jobs:
            yield _ended(running)
        running[_begun(mutant, passes, seconds(mutant))] = mutant
    while running:
        yield _ended(running)


def _begun(mutant: Mutant | None, passes: Callable[[Mutant | None], bool], seconds: float) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            code = 0 if passes(mutant) else 1
        finally:
            os._exit(code)
    return child


def _ended(running: dict[int, Mutant | None]) -> Tried:
    child, status = os.wait()
    passed = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
    return Tried(running.pop(child), passed, os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM)
