"""`python -m tests.contract`: what it is told, what it refuses, how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.__main__ import NAMES, main
from tests.contract.facts import Fact, facts
from tests.contract.probes import read
from tests.contract.run import Verdict, leftovers, run
from tests.contract.simulated import FAST, QUICK, Served, connected, with_a_token


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"VAST_URL": "", "VAST_PEER_URL": "", "RUNAI_URL": "", "KUBECONFIG": ""}, "no system is named"),
        ({"VAST_URL": ""}, "is that of a peer: VASTPLAN_CONTRACT_VAST_URL is needed, too"),
        ({"VAST_PEER": "nobody"}, "the replication peer nobody is not there"),
        ({"VAST_PASSWORD": ""}, "VASTPLAN_CONTRACT_VAST_PASSWORD is needed"),
        ({"VAST_PASSWORD": "a-wrong-one"}, "the log-in was answered 401"),
        ({"RUNAI_CLUSTER": "elsewhere"}, "there is no cluster elsewhere"),
        ({"RUNAI_CLIENT_SECRET": "a-wrong-one"}, "the log-in was answered 400"),
        ({"CONTEXT": "elsewhere"}, "elsewhere"),
    ],
)
def test_what_cannot_begin_is_an_error(
    served: Served, change: dict[str, str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    named = served[1] | {NAMES + name: value for name, value in change.items()}
    assert main([*FAST, "--only", "VMS-006"], named) == 1
    error = capsys.readouterr().err
    assert words in error and "a-wrong-one" not in error


def test_a_token_and_a_lonely_system_will_do(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = with_a_token(served)
    only = ("--only", "VMS-001", "--only", "VMS-002", "--only", "RAI-001")
    assert main([*FAST, *only], chosen) == 0
    out = capsys.readouterr().out
    assert "VMS-001 agrees" in out and "VMS-002 not exercised" in out and "needs password" in out
    assert "RAI-001" not in out and chosen[NAMES + "VAST_TOKEN"] not in out


@pytest.mark.slow
def test_the_list_asks_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"], {}) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(facts())
    assert main(["--only", "VMS-999"], {}) == 1


def test_preparation_that_fails_is_an_error_and_not_a_difference(served: Served) -> None:
    target = connected(served[1])["vast"]
    text = "system: vast\nVMS-001: {steps: [{POST: '${v}/tenants/', body: {nam: '${p}'}}, {GET: '${v}/vms/', is: 299}]}"
    fact = {"VMS-001": Fact("VMS-001", "x", "y")}
    (finding,) = run({"vast": target}, read(text), fact, lambda _: None, limits=QUICK)
    assert finding.verdict is Verdict.ERROR and "was answered 400" in finding.seen


@pytest.mark.slow
def test_a_job_that_is_cancelled_tidies_up(served: Served) -> None:
    named = served[1]
    words = [sys.executable, "-m", "tests.contract", *FAST, "--pause", "0.01"]
    root = Path(__file__).resolve().parents[2]
    job = subprocess.Popen(
        words, cwd=root, env={**os.environ, **named}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert job.stdout is not None and job.stdout.readline().startswith("VMS-001 agrees")
    job.send_signal(signal.SIGTERM)
    out, error = job.communicate(timeout=60)
    assert (job.returncode, error) == (1, "error: interrupted; what was made is deleted\n") and " 0 ERROR" not in out
    assert leftovers(connected(named).values()) == []
