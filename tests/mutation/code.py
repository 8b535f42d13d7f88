"""A mutation run over the program: is every mistake in a module noticed by the quick tests that are about it?

    python -m tests.mutation.code guards [--every N] [--jobs N] [--only PATTERN]

A mutant is the module with one small mistake (`mistakes.py`). Each is tried by the tests of its suite in a process of its
own, forked off one that has loaded what the suite does not mutate, as many at once as there are processors. What is still
alive when the tests have passed is told; what never ends is killed after a time and counts as noticed, and how many were so
is told too. `suites.yaml` names the suites; a survivor needs a reason in `code-survivors.yaml`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.abc
import importlib.util
import io
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.mutation.mistakes import Mutant, mutants

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
SECONDS, TIMES = 20, 8  # a mutant's tests may take this long, or so many times as long as without one


@dataclass(frozen=True, slots=True)
class Suite:
    """Modules (globs of files), the tests that are about them, and what is loaded once for all mutants."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    preload: tuple[str, ...] = ()

    def files(self) -> list[Path]:
        """The files of the modules."""
        return [file for pattern in self.modules for file in sorted(ROOT.glob(pattern)) if file.read_text().strip()]


class Swapped(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a mutant in the place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The mutant's own."""
        return importlib.util.spec_from_loader(name, self) if name == self._mutant.module else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant."""
        exec(compile(self._mutant.tree, f"<{self._mutant.name}>", "exec"), module.__dict__)


@dataclass(frozen=True, slots=True)
class Tried:
    """How it went with a mutant: whether its tests passed, and whether they had to be ended."""

    mutant: Mutant | None
    alive: bool
    endless: bool


def begun(mutant: Mutant | None, tests: tuple[str, ...], seconds: int) -> int:
    """The id of a process that tries a mutant (`None`: the program as it is)."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(seconds)
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # a second for each mutant
            if mutant is not None:
                sys.meta_path.insert(0, Swapped(mutant))
            quiet = io.StringIO()
            with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
                code = int(pytest.main(["-x", "-q", "-o", "addopts=", "-p", "no:cacheprovider", "--tb=no", *tests]))
        finally:
            os._exit(code)
    return child


def tried(some: Iterable[Mutant | None], tests: tuple[str, ...], jobs: int, seconds: int) -> Iterator[Tried]:
    """Each mutant in a process of its own, so many at once; in the order in which they end."""
    running: dict[int, Mutant | None] = {}
    for mutant in some:
        if len(running) >= jobs:
            yield _ended(running)
        running[begun(mutant, tests, seconds)] = mutant
    while running:
        yield _ended(running)


def _ended(running: dict[int, Mutant | None]) -> Tried:
    child, status = os.wait()
    passed = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
    return Tried(running.pop(child), passed, os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM)


def suites() -> dict[str, Suite]:
    """All suites, by name."""
    found = yaml.safe_load((FOLDER / "suites.yaml").read_text(encoding="utf-8"))
    return {name: Suite(**{part: tuple(value) for part, value in one.items()}) for name, one in found.items()}


def module_of(file: Path) -> str:
    """The name that a file is imported by."""
    steps = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(steps[:-1] if steps[-1] == "__init__" else steps)


def made(file: Path, every: int, only: str) -> Iterator[Mutant]:
    """The mutants of a file that are asked for."""
    for number, mutant in enumerate(mutants(file.read_text(encoding="utf-8"), module_of(file))):
        if number % every == 0 and fnmatchcase(mutant.name, only):
            compile(mutant.tree, mutant.name, "exec")  # a mutant that is no program would count as killed
            yield mutant


def run(suite: Suite, every: int, jobs: int, only: str) -> tuple[int, list[str], list[str]]:
    """How many mutants there were, the names of those that survived, and of those that never ended."""
    for name in suite.preload:
        importlib.import_module(name)
    loaded = [module_of(file) for file in suite.files() if module_of(file) in sys.modules]
    if loaded:
        raise RuntimeError(f"loaded before they could be mutated: {', '.join(loaded)}")
    since = time.monotonic()
    (first,) = tried([None], suite.tests, 1, 10 * SECONDS)
    if not first.alive:
        raise RuntimeError("the tests fail without any mutant")
    seconds = max(SECONDS, round(TIMES * (time.monotonic() - since)))
    total, survivors, endless = 0, [], []
    for file in suite.files():
        for one in tried(made(file, every, only), suite.tests, jobs, seconds):
            assert one.mutant is not None
            total += 1
            if one.alive:
                survivors.append(one.mutant.name)
                print(f"  alive: {one.mutant.name}", flush=True)
            if one.endless:
                endless.append(one.mutant.name)
                print(f"  never ended: {one.mutant.name}", flush=True)
        print(f"{module_of(file)}: {total - len(survivors)} of {total} killed so far", flush=True)
    return total, survivors, endless


def main() -> int:
    """Run a suite, and print what survived."""
    known = suites()
    parser = argparse.ArgumentParser(description="Mutation run over modules of the program.")
    parser.add_argument("suite", choices=sorted(known))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth mutant only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="so many at once")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="mutants of these names only")
    words = parser.parse_args()
    total, survivors, endless = run(known[words.suite], words.every, words.jobs, words.only)
    whole = words.every == 1 and words.only == "*"
    everything = yaml.safe_load((FOLDER / "code-survivors.yaml").read_text(encoding="utf-8")) or {}
    reasons: dict[str, str] = everything.get(words.suite) or {}
    unexplained = []
    for name in survivors:
        reason = next(
            (text for pattern, text in reasons.items() if name == pattern or fnmatchcase(name, pattern)), None
        )
        print(f"survived: {name}: {reason or 'for no reason'}")
        unexplained += [name] if reason is None else []
    stale = [one for one in reasons if whole and not any(one == name or fnmatchcase(name, one) for name in survivors)]
    for one in stale:
        print(f"code-survivors.yaml is stale: {one}")
    killed = total - len(survivors)
    share = 100 * killed / total if total else 0
    print(
        f"{total} mutants, {killed} killed ({share:.1f} %; {len(endless)} never ended), {len(survivors)} survived, "
        f"{len(unexplained)} for no reason"
    )
    return 1 if unexplained or stale or (whole and share < 95) else 0


if __name__ == "__main__":
    sys.exit(main())
