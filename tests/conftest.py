"""What every test shares: no network but loopback, nothing from the environment, a place to run commands in."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.direct import DIRECT, goes_direct
from tests.pace import in_share, is_left_whole, leave, share
from tests.printed import printed_commands, refused
from vastplan.cli import main
from vastplan.model.sensitive import KnownSecrets

HERE = Path(__file__).parent

# Two busy cores make single examples slow; a deadline would only test the machine.
# The same tree tries the same examples, so that a red run is about the change; `make explore` tries new ones, and more.
EXPLORING = "VASTPLAN_EXAMPLES" in os.environ
settings.register_profile(
    "vastplan", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=not EXPLORING
)
settings.load_profile("vastplan")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Slow tests by turns."""
    told = "of the slow tests, but for those of the kinds, the K-th of N parts only: CI takes one a day"
    parser.addoption("--share", metavar="K/N", type=share, help=told)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A module of which `make test` runs nothing is not even read."""
    if config.option.markexpr != "not slow":
        return None
    return is_left_whole(collection_path.relative_to(HERE).as_posix()) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """The first run on a clean clone has every test module compiled by one of the workers, not by each of them."""
    told = getattr(session.config, "workerinput", None)
    if told is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number, workers = int(told["workerid"].removeprefix("gw")), told["workercount"]
    files = [file for file in sorted(HERE.rglob("test_*.py")) if not pytest_ignore_collect(file, session.config)]
    for file in files[number::workers]:
        with suppress(Exception):  # said by the collection, which imports it again
            import_module(".".join(file.relative_to(HERE.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)  # before `-m` is looked at
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is left to `make slow`, and what of it another day takes."""
    leave(items)
    if of := config.getoption("--share"):
        slow = [item.nodeid for item in items if item.get_closest_marker("slow") is not None]
        away = set(slow) - in_share(slow, of)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in away])
        items[:] = [item for item in items if item.nodeid not in away]


def pytest_collection_finish() -> None:
    """What is there before the first test is there until the last: the garbage collector need not look at it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _direct(request: pytest.FixtureRequest) -> None:
    DIRECT.on = goes_direct(request.node.nodeid)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "SSL_CERT_FILE",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
        "NO_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "140")
    # What is written is asked of the file system; that it is on the disk no test could tell.
    monkeypatch.setattr("os.fsync", lambda _: None)
    # Whoever writes a test writes its documents; tests/trust takes this away.
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "*")
    # What another test kept secret may be an everyday word in this one.
    monkeypatch.setattr("vastplan.model.sensitive._kept", KnownSecrets())
    # The simulators settle by reads, not by time: what is not ready within this never will be.
    monkeypatch.setattr("vastplan.engine.live.wait.TIMEOUT", 8.0)
    monkeypatch.setattr("vastplan.engine.applying.settle.PAUSE", 0.0)
    monkeypatch.setattr("vastplan.engine.live.wait.SHOWN", 0.5)


@pytest.fixture(autouse=True)
def _no_lease_left() -> Iterator[None]:
    """A lease that is still being renewed disturbs the tests that come after."""
    before = set(threading.enumerate())
    yield
    assert [one for one in set(threading.enumerate()) - before if one.name == "vastplan-lease"] == []


class Ran:
    """What a command printed and answered."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


Run = Callable[..., Ran]


@pytest.fixture
def vastplan(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, in the test's own folder: `vastplan("plan", path)`."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str | Path) -> Ran:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:
            code = int(ended.code or 0)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        assert "a bug in vastplan" not in captured.err + captured.out, captured.err
        sys.stdout.flush()
        for command in (*printed_commands(captured.out), *printed_commands(captured.err)):
            assert not (why := refused(command, [str(word) for word in words])), f"{command}: {why}"
        capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run
