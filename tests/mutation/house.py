"""A process that has loaded the program and collected the tests once; mutants are forked off it, function by function.

First it runs all tests and notes which functions each calls and how long it takes: a mutant is tried by those that call what
it changes, the quickest first.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import pickle
import sys
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

import pytest

from tests.mutation.graft import Loaded, changed, code_of
from tests.mutation.mistakes import Mutant
from tests.mutation.suites import Suite, module_of
from tests.mutation.trial import OPTIONS, Tried, each


@dataclass(slots=True)
class Findings:
    """What a house found out."""

    alive: list[str] = field(default_factory=list)
    endless: list[str] = field(default_factory=list)
    killed: int = 0
    others: list[str] = field(default_factory=list)
    """Those that it cannot try: what they change is not within a function."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each test takes."""
    calls: dict[str, set[str]] = field(default_factory=dict)
    """The tests that call anything of a module, by its name."""

    def count(self, one: Tried) -> None:
        """Note how it went with a mutant."""
        assert one.mutant is not None
        if one.alive:
            self.alive.append(one.mutant.name)
            return
        self.killed += 1
        if one.endless:
            self.endless.append(one.mutant.name)

    def ranks(self, module: str) -> dict[str, float]:
        """The order of tests for a module: first those that call it, each time the quickest first."""
        mine, last = self.calls.get(module, set()), sum(self.seconds.values())
        return {test: seconds if test in mine else last + seconds for test, seconds in self.seconds.items()}


class House:
    """A plugin: runs the tests once as they are, then for every mutant."""

    def __init__(self, suite: Suite, mutants: Sequence[Mutant], jobs: int, limit: Callable[[float], float]) -> None:
        self._mutants, self._jobs, self._limit = mutants, jobs, limit
        self._files = {str(file): module_of(file) for file in suite.files()}
        self._calls: dict[tuple[str, int], set[str]] = defaultdict(set)  # tests by file and line of a function
        self._items: dict[str, pytest.Item] = {}
        self.findings = Findings()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In the place of pytest's own."""
        for item in session.items:
            self._watch(item)
        if session.testsfailed:
            raise RuntimeError("the tests fail without any mutant")
        calls: dict[str, set[str]] = defaultdict(set)
        for (file, _), tests in self._calls.items():
            calls[self._files[file]] |= tests
        self.findings.calls = dict(calls)
        self._try(session)
        return True

    def _watch(self, item: pytest.Item) -> None:
        def called(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call" and frame.f_code.co_filename in self._files:
                self._calls[frame.f_code.co_filename, frame.f_code.co_firstlineno].add(item.nodeid)

        since = time.monotonic()
        threading.setprofile(called)
        sys.setprofile(called)
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        self._items[item.nodeid] = item
        self.findings.seconds[item.nodeid] = time.monotonic() - since

    def _try(self, session: pytest.Session) -> None:
        loaded, files = Loaded(), {name: file for file, name in self._files.items()}
        codes = {name: code_of(Path(file).read_text(encoding="utf-8"), file) for name, file in files.items()}
        gc.freeze()  # what is forked off shares what is there
        mine: list[Mutant] = []
        for mutant in self._mutants:
            if loaded.can(codes[mutant.module], mutant):
                mine.append(mutant)
            else:
                self.findings.others.append(mutant.name)

        def callers(mutant: Mutant) -> list[pytest.Item]:
            places = _lines(changed(codes[mutant.module], compile(mutant.tree, "<mutant>", "exec")) or [])
            tests = {test for line in places for test in self._calls.get((files[mutant.module], line), ())}
            return [self._items[test] for test in sorted(tests, key=self.findings.seconds.__getitem__)]

        def passes(mutant: Mutant | None) -> bool:
            assert mutant is not None
            loaded.put(codes[mutant.module], mutant)
            items = callers(mutant)
            for item in items:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if session.testsfailed:
                    return False
            return True

        def seconds(mutant: Mutant | None) -> float:
            assert mutant is not None
            return self._limit(sum(self.findings.seconds[item.nodeid] for item in callers(mutant)))

        for one in each(mine, passes, self._jobs, seconds):
            self.findings.count(one)


def _lines(pairs: Sequence[tuple[CodeType, CodeType]]) -> Iterator[int]:
    """The lines at which functions begin that are changed."""
    for old, _ in pairs:
        yield old.co_firstlineno


def findings(suite: Suite, mutants: Sequence[Mutant], jobs: int, limit: Callable[[float], float]) -> Findings:
    """Of all mutants that are within functions, by a process that this call forks and fills with the program.

    Raises:
        RuntimeError: The tests fail without any mutant.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _live(suite, mutants, jobs, limit, writing)
    os.close(writing)
    with open(reading, "rb") as pipe:
        raw = pipe.read()
    os.waitpid(child, 0)
    if not raw:
        raise RuntimeError("the tests fail without any mutant")
    found = pickle.loads(raw)
    assert isinstance(found, Findings)
    return found


def _live(
    suite: Suite, mutants: Sequence[Mutant], jobs: int, limit: Callable[[float], float], writing: int
) -> NoReturn:
    try:
        house = House(suite, mutants, jobs, limit)
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            code = pytest.main(["-s", *OPTIONS, *suite.tests], plugins=[house])
        if code == 0:
            with open(writing, "wb") as pipe:
                pickle.dump(house.findings, pipe)
        else:
            print(told.getvalue(), file=sys.stderr, flush=True)
    except BaseException:
        traceback.print_exc()
    os._exit(0)
