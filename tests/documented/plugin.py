"""Holds the whole run against the vendors' documents: a request that they do not know fails its test.

At the end the run says which of the operations and fields that the kinds use were sent. A run of all tests fails when
one was not and `unseen.yaml` gives no reason, or when a reason or an exception is no longer needed. Commands that tests
run as processes of their own are listened to by `listened`, but for those of the throw-away kind, which no document has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.documented.coverage import coverage, excused
from tests.documented.recorder import Recorder, exceptions

RECORDER = Recorder(exceptions())
_KEY = "vastplan_documented"


def _worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    RECORDER.install()


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
    """Whether this is a run of all tests."""
    chosen = config.option.keyword or config.option.markexpr or config.getoption("lf", False)
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen and not config.option.collectonly


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
    elif exitstatus == 0 and (
        RECORDER.problems or (_whole(session.config) and complaints(RECORDER.seen, RECORDER.used))
    ):
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
