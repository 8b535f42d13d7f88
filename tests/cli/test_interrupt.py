"""Ctrl-C during an apply: once ends what has begun, twice ends at once; either way the next apply carries on."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.conftest import Run
from tests.force import by_force
from tests.lab import Lab

ROOT = Path(__file__).parents[2]
TEAMS = [f"team-{letter}" for letter in "abcdef"]
LATENCY, LONG = 0.1, 5.0  # seconds


def document() -> dict[str, Any]:
    """Teams with an object of every sort, those included that a system would make twice without a word."""
    team: dict[str, Any] = {
        "view_policy": {"flavor": "NFS"},
        "storage_class": {"driver": "file", "storage_path": "/k8s", "vip_pool_fqdn": "nfs.example.com"},
        "view": {"path": "/home", "protocols": ["NFS"], "quota": {"hard_limit": "1 TiB"}},
        "project": {
            "department": "research",
            "gpus": {"default": 1},
            "access": {"ML engineer": ["grp-one", "grp-two"]},
        },
    }
    tenants = {}
    for name in TEAMS:
        volume = {"storage_class": name, "size": "1 TiB", "mount": "/scratch"}
        tenants[name] = {**team, "view": {**team["view"], "path": f"/{name}"}, "volumes": {f"{name}-scratch": volume}}
    return {"departments": {"research": {"gpus": {"default": 64}}}, "tenants": tenants}


class Process:
    """`vastplan apply` on the lab's document, as somebody would run it."""

    def __init__(self, lab: Lab) -> None:
        self._undocumented = lab.folder / "undocumented"
        words = [sys.executable, "-m", "tests.documented.listened", str(self._undocumented)]
        words += ["apply", str(lab.folder / "lab.yaml"), "--auto-approve", "--max-changes", "1000"]
        self._err: IO[str] = (lab.folder / "err").open("w+")
        self._out: IO[str] = (lab.folder / "out").open("w+")
        self._running = subprocess.Popen(words, stdout=self._out, stderr=self._err, text=True, cwd=ROOT)

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> None:
        """Ctrl-C, or another signal."""
        self._running.send_signal(number)

    def wait(self, seconds: float = 60.0) -> int:
        """The exit code."""
        try:
            return self._running.wait(seconds)
        finally:
            self._running.kill()
            self._running.wait()
            assert not self._undocumented.exists(), self._undocumented.read_text(encoding="utf-8")

    def out(self) -> str:
        """Standard output so far."""
        return _content(self._out)

    def err(self) -> str:
        """Standard error so far."""
        return _content(self._err)


def _content(file: IO[str]) -> str:
    return Path(file.name).read_text(encoding="utf-8")


def until(true: Callable[[], bool], what: str) -> None:
    """Wait for it; an apply takes seconds."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.01)


def slow(lab: Lab, seconds: float) -> None:
    """Every answer of every system takes this long."""
    for site in lab.world.sites.values():
        for server in site.servers.values():
            server.latency = seconds


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        one.write(document())
        yield one
        slow(one, 0.0)


def carries_on(lab: Lab, vastplan: Run) -> None:
    """The next ordinary apply makes the rest, and nothing twice."""
    slow(lab, 0.0)
    file = lab.folder / "lab.yaml"
    assert vastplan("ledger", "list", file).code == 0
    ran = vastplan("apply", file, "--auto-approve", "--max-changes", "1000")
    assert ran.code == 0, ran
    again = vastplan("plan", file, "--detailed-exitcode")
    assert again.code == 0, again
    planned = lab.planned()
    for entry in planned.entries:
        live = planned.matches.match(entry.address).live
        assert live is not None, entry.address
        same = [
            one
            for one in planned.observed.objects("iad", entry.address.kind)
            if all(one.values.get(name) == live.values.get(name) for name in live.kind.identity)
        ]
        assert same == [live], f"{entry.address} is there {len(same)} times"


HOWS = {
    "Ctrl-C": [signal.SIGINT], "SIGTERM": [signal.SIGTERM], "SIGHUP": [signal.SIGHUP, signal.SIGHUP],
}  # fmt: skip


@pytest.mark.parametrize("how", by_force(list(HOWS), "SIGHUP"))
@pytest.mark.parametrize("writes", by_force([1, 12, 30], "12"))
def test_once_ends_what_has_begun(writes: int, how: str, lab: Lab, vastplan: Run) -> None:
    slow(lab, LATENCY)
    process = Process(lab)
    until(lambda: len(lab.calls()) >= writes, f"{writes} writes")
    for number in HOWS[how]:  # a terminal that is lost hangs up more than once
        process.interrupt(number)
        until(lambda: "stopping after the changes in progress" in process.err(), "the signal is heard")
    assert process.wait() == 4, (process.out(), process.err())
    assert "stopping after the changes in progress" in process.err()
    end = re.search(r"^Apply: (\d+) done, (\d+) skipped\.$", process.out(), flags=re.M)
    assert end is not None, process.out()
    done, skipped = map(int, end.groups())
    assert process.out().count("stopped before it began") == skipped
    assert "skipped" not in process.err()  # each is listed once, at the end
    entries, _ = lab.workspace().entries()
    assert done + skipped == len(entries)
    owned = [site.entries for site in [lab.workspace().ledger().read("iad")]]
    assert len(owned[0]) == done
    assert not lab.workspace().ledger().read("iad").intents
    carries_on(lab, vastplan)


@pytest.mark.slow
@pytest.mark.parametrize("writes", by_force([1, 3, 6, 12, 20, 30, 40], "12"))
def test_twice_ends_at_once(writes: int, lab: Lab, vastplan: Run) -> None:
    slow(lab, LATENCY)
    process = Process(lab)
    until(lambda: len(lab.calls()) >= writes, f"{writes} writes")
    slow(lab, LONG)
    process.interrupt()
    until(lambda: "stopping after the changes in progress" in process.err(), "the first Ctrl-C is heard")
    began = time.monotonic()
    process.interrupt()
    assert process.wait() == 130, (process.out(), process.err())
    assert time.monotonic() - began < LONG / 2
    assert "stopped immediately" in process.err()
    assert "Traceback" not in process.err()
    carries_on(lab, vastplan)


def test_an_apply_whose_output_nobody_reads_any_more_goes_on(tmp_path: Path) -> None:
    """`vastplan apply 2>&1 | head -1`: everything is done, and the exit code is that of the work."""
    file = tmp_path / "doc.yaml"
    tenants = ", ".join(f"t{number}: {{}}" for number in range(60))
    file.write_text(f"version: 1\nname: quiet\nsites: {{iad: {{sim: {{systems: [vast]}}}}}}\ntenants: {{{tenants}}}\n")
    words = [sys.executable, "-m", "vastplan", "apply", str(file), "--auto-approve"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT) as running:
        assert running.stdout is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.wait(60) == 0
    ledger = json.loads((tmp_path / ".vastplan" / "ledger" / "iad.json").read_text())
    assert len(ledger["entries"]) == 60 and not ledger["intents"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_releases_the_ledger_of_any_command(number: signal.Signals, tmp_path: Path) -> None:
    """Here of one that writes a ledger in Kubernetes."""
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        lab.ledger = {"kubernetes": {"namespace": "vastplan", "site": "iad"}}
        lab.write({"tenants": {"a": {}}, "namespaces": {"team-a": {}}})
        lab.converge()
        slow(lab, LATENCY)
        leases = "/apis/coordination.k8s.io/v1/namespaces/vastplan/leases"

        def held() -> bool:
            rows = lab.by_hand("iad", "kubernetes", "GET", leases)["items"]
            return any(row["spec"].get("holderIdentity") for row in rows)

        words = [sys.executable, "-m", "vastplan", "ledger", "forget", str(tmp_path / "lab.yaml"), "iad/tenant/a"]
        with subprocess.Popen(words, stdout=-1, stderr=-2, text=True, cwd=ROOT) as process:
            until(held, "it has the lease")
            process.send_signal(number)
            printed, _ = process.communicate(timeout=60)
        assert process.returncode == 128 + number and "stopped" in printed, printed
        assert not held()


def test_a_terminal_that_is_lost_does_not_stop_an_apply_half_way(lab: Lab, vastplan: Run) -> None:
    """The kernel hangs up, and every write to the terminal fails from then on."""
    slow(lab, 3 * LATENCY)  # a loaded machine sees the 12th write late, and it must not be the last
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "vastplan", "apply", str(lab.folder / "lab.yaml"), "--auto-approve"]
    process = subprocess.Popen(
        [*words, "--max-changes", "1000"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT,
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)

    def enough() -> bool:
        while select.select([ours], [], [], 0)[0]:
            os.read(ours, 65536)
        return len(lab.calls()) >= 12

    until(enough, "12 writes")
    os.close(ours)
    assert process.wait(60) == 4
    assert not lab.workspace().ledger().read("iad").intents
    carries_on(lab, vastplan)
