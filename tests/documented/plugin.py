"""Holds the whole run against the vendors' documents: a request that they do not know fails its test.

At the end the run says which of the operations and fields that the kinds use were sent. A run of all tests fails when
one was not and `unseen.yaml` gives no reason, or when a reason or an exception is no longer needed. Commands that tests
run as processes of their own are listened to by `listened`, but for those of the throw-away kind, which no document has.

Two runs are all tests, too: those that are not slow, then the slow ones. The first leaves what it sent in the file that
VASTPLAN_HEARD names, and the second is judged with that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.direct import DIRECT
from tests.documented.coverage import coverage, excused
from tests.documented.recorder import Recorder, exceptions

RECORDER = Recorder(exceptions())
_KEY = "vastplan_documented"
HEARD = "VASTPLAN_HEARD"
_FIRST, _SECOND = "not slow", "slow"


def _worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    DIRECT.install()
    RECORDER.install()  # hears what is sent either way


@pytest.fixture(autouse=True)
def _requests_are_documented() -> Iterator[None]:
    before = set(RECORDER.problems)
    yield
    found = sorted(set(RECORDER.problems) - before)
    assert not found, "sent, but not documented:\n" + "\n".join(found)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    told = getattr(node, "workeroutput", {}).get(_KEY)
    if told:
        RECORDER.seen |= set(told["seen"])
        RECORDER.used |= set(told["used"])
        RECORDER.problems |= told["problems"]


def _whole(config: pytest.Config) -> bool:
    """Whether this is a run of all tests, or the second of two that are."""
    marks = config.option.markexpr
    return _unchosen(config) and (not marks or (marks == _SECOND and _heard() is not None))


def _unchosen(config: pytest.Config) -> bool:
    """Whether a run is of all tests, but for a mark."""
    chosen = config.option.keyword or config.getoption("lf", False)
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen and not config.option.collectonly


def _heard() -> dict[str, list[str]] | None:
    """What the first of two runs sent; `None` where there was none, or nothing came of it."""
    file = Path(os.environ.get(HEARD) or os.devnull)
    said: dict[str, list[str]] | None = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
    return said


def _tell_the_second() -> None:
    """Leave what the first of two runs sent."""
    if os.environ.get(HEARD):
        said = {"seen": sorted(RECORDER.seen), "used": sorted(RECORDER.used)}
        Path(os.environ[HEARD]).write_text(json.dumps(said), encoding="utf-8")


def _hear_the_first() -> None:
    """Count what the first of two runs sent as seen."""
    said = _heard() or {"seen": [], "used": []}
    RECORDER.seen |= set(said["seen"])
    RECORDER.used |= set(said["used"])


def complaints(seen: set[str], used: set[str]) -> list[str]:
    """What a run of all tests must not leave."""
    unseen, reasons = coverage(seen).unseen, excused()
    found = [f"unseen.yaml has no reason for {one}" for one in sorted(unseen - set(reasons))]
    found += [f"unseen.yaml is stale: {one}" for one in sorted(set(reasons) - unseen)]
    return found + [f"exceptions.yaml is stale: {one}" for one in sorted(set(exceptions()) - used)]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if _worker(session.config):
        told = {"seen": sorted(RECORDER.seen), "used": sorted(RECORDER.used), "problems": RECORDER.problems}
        session.config.workeroutput[_KEY] = told  # type: ignore[attr-defined]
        return
    marks = session.config.option.markexpr
    if _unchosen(session.config) and marks == _FIRST and exitstatus == 0 and not RECORDER.problems:
        _tell_the_second()
    if _whole(session.config) and marks == _SECOND:
        _hear_the_first()
    if exitstatus == 0 and (RECORDER.problems or (_whole(session.config) and complaints(RECORDER.seen, RECORDER.used))):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if _worker(config) or not RECORDER.seen:
        return
    write = terminalreporter.write_line
    terminalreporter.section("requests against the vendors' documents")
    for problem, where in sorted(RECORDER.problems.items()):
        write(f"not documented: {problem} ({where})", red=True)
    if _whole(config):
        for line in coverage(RECORDER.seen).lines():
            write(line)
        for line in complaints(RECORDER.seen, RECORDER.used):
            write(line, red=True)
