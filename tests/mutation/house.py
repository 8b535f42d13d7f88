"""A process that has loaded the program and collected the tests once; mutants are forked off it, function by function.

First it runs all tests and notes which functions each calls and how long it takes: a mutant is tried by those that call what
it changes, the quickest first.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import pickle
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest

from tests.mutation.graft import Loaded, Pairs, changed, code_of, program
from tests.mutation.mistakes import Mutant
from tests.mutation.suites import Suite, module_of
from tests.mutation.trial import OPTIONS, Tried, each
from tests.mutation.watch import Place, Watch

COLLECTION = "collection"
"""Who calls what is called while the tests are collected."""


@dataclass(slots=True)
class Findings:
    """What a house found out; mutants by their names."""

    killed: int = 0
    alive: list[str] = field(default_factory=list)
    endless: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Those that it cannot judge: what they change is not within a function, or was called before they were there."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each test takes."""
    calls: dict[str, set[str]] = field(default_factory=dict)
    """The tests that call anything of a module, by its name."""

    def ranks(self, module: str) -> dict[str, float]:
        """The order of tests for a module: first those that call it, each time the quickest first."""
        mine, last = self.calls.get(module, set()), sum(self.seconds.values())
        return {test: seconds if test in mine else last + seconds for test, seconds in self.seconds.items()}


class House:
    """A plugin: runs the tests once as they are, then for every mutant."""

    def __init__(self, suite: Suite, mutants: Sequence[Mutant], jobs: int, limit: Callable[[float], float]) -> None:
        self._mutants, self._jobs, self._limit = mutants, jobs, limit
        self._files = {module_of(file): str(file) for file in suite.files()}
        self._codes = {
            name: code_of(Path(file).read_text(encoding="utf-8"), file) for name, file in self._files.items()
        }
        self._watch = Watch(self._files.values())
        self._killers: dict[Place, list[str]] = defaultdict(list)
        """The tests that noticed a mutant there, the last one first."""
        self._items: dict[str, pytest.Item] = {}
        self._pairs: dict[str, Pairs] = {}  # what each mutant changes, by its name
        self.findings = Findings()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, object, object]:
        """Watch it, too; what the tests would import later is imported now."""
        with self._watch.over(COLLECTION):
            answer = yield
            for name in self._files:
                importlib.import_module(name)
            return answer

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In the place of pytest's own."""
        loaded = Loaded()
        for item in session.items:
            loaded.forget()
            since = time.monotonic()
            with self._watch.over(item.nodeid):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            self.findings.seconds[item.nodeid] = time.monotonic() - since
            self._items[item.nodeid] = item
        if session.testsfailed:
            raise RuntimeError("the tests fail without any mutant")
        for name, file in self._files.items():
            found = [tests for place, tests in self._watch.callers.items() if place[0] == file]
            self.findings.calls[name] = set().union(*found) - {COLLECTION}
        self._try(session, Loaded())
        return True

    def _try(self, session: pytest.Session, loaded: Loaded) -> None:
        gc.freeze()  # what is forked off shares what is there
        mine: list[Mutant] = []
        for one in self._mutants:
            self._pairs[one.name] = changed(self._codes[one.module], program(one))
            if loaded.can(self._pairs[one.name]):
                mine.append(one)
            else:
                self.findings.others.append(one.name)

        def killer(mutant: Mutant) -> str | None:
            loaded.put(self._pairs[mutant.name])
            for test in self._tests(mutant):
                item = self._items[test]
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if session.testsfailed:
                    return test
            return None

        def seconds(mutant: Mutant) -> float:
            return self._limit(sum(self.findings.seconds[test] for test in self._tests(mutant)))

        for number, tried in enumerate(each(mine, killer, self._jobs, seconds)):
            self._count(tried)
            if number % 100 == 0:
                print(f"  {number} of {len(mine)} within functions tried", file=sys.__stdout__, flush=True)

    def _places(self, mutant: Mutant) -> list[Place]:
        return [(self._files[mutant.module], old.co_firstlineno) for old, _ in self._pairs[mutant.name]]

    def _tests(self, mutant: Mutant) -> list[str]:
        """Those that call what the mutant changes: first those that noticed another one there, then the quickest."""
        places = self._places(mutant)
        found = {test for place in places for test in self._watch.callers[place]} - {COLLECTION}
        likely = list(dict.fromkeys(test for place in places for test in self._killers[place]))
        return [*likely, *sorted(found.difference(likely), key=self.findings.seconds.__getitem__)]

    def _count(self, one: Tried) -> None:
        places = self._places(one.mutant)
        if one.alive and any(COLLECTION in self._watch.callers[place] for place in places):
            self.findings.others.append(one.mutant.name)
        elif one.alive:
            self.findings.alive.append(one.mutant.name)
            print(f"  alive: {one.mutant.name}", file=sys.__stdout__, flush=True)
        else:
            self.findings.killed += 1
        if one.endless:
            self.findings.endless.append(one.mutant.name)
        for place in places if one.killer else ():
            self._killers[place] = [one.killer, *(test for test in self._killers[place] if test != one.killer)]


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
