"""Two appliers as processes of their own on a ledger in a real API server; one is paused past its lease and goes on.

Against the simulator it is `tests/faults/test_paused.py`; a process of its own cannot be answered from a recording.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.faults.kills import hurried, words
from tests.faults.victim import ROOT, approvals
from tests.kube.conftest import MODE
from tests.kube.hands import Hands
from tests.kube.lab import KubeLab
from tests.kube.recording import Tape
from tests.kube.server import ApiServer
from vastplan.app.files import plan as plan_file
from vastplan.model.outcome import State

CHAIN: dict[str, Any] = {
    "ledger": {"kubernetes": {"namespace": "ledgers", "site": "iad"}},
    "tenants": {"a": {}},
    "view_policies": {"p": {"tenant": "a", "flavor": "NFS"}},
    "views": {"v": {"path": "/v", "tenant": "a", "view_policy": "p", "protocols": ["NFS"]}},
    "namespaces": {"team-a": {}},
}
AT = 9  # the lease is had, the intents are written, and not everything is done

if MODE != "replay":

    def test_one_wins_and_the_other_begins_nothing_more(live: tuple[ApiServer, Hands], tmp_path: Path) -> None:
        server, hands = live
        tape = Tape("two-appliers", server.port, tmp_path / "unused.json", live=True)
        try:
            with KubeLab(tmp_path, ["vast", "kubernetes"], tape, server, hands) as lab:
                lab.write(CHAIN)
                plan = lab.plan()
                plan_file.save(plan, tmp_path / "plan.json")
                approvals(tmp_path / "plan.json").write_text('{"version": 1, "approvals": []}')
                victim = subprocess.Popen(
                    words("paused", AT, tmp_path / "plan.json"), stdout=-1, stderr=-2, text=True, cwd=ROOT
                )
                try:
                    state = os.waitid(os.P_PID, victim.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                    assert state is not None and state.si_code == os.CLD_STOPPED, victim.communicate()[0]
                    command = [sys.executable, "-m", "vastplan", "apply", str(tmp_path / "lab.yaml"), "--auto-approve"]
                    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=-3, text=True, cwd=ROOT) as other:
                        assert other.stderr is not None
                        printed = other.stderr.readline()  # what it waits for; it would take the lease after a minute
                        other.kill()
                    assert f"(pid {victim.pid})" in printed and "watching its lease" in printed, printed
                    with hurried():
                        receipt = lab.apply(lab.plan())
                    assert {one.state for one in receipt.outcomes} == {State.DONE}
                    lab.clear_calls()
                    victim.send_signal(signal.SIGCONT)
                    printed, _ = victim.communicate(timeout=60)
                finally:
                    victim.kill()
                    victim.communicate()
                assert victim.returncode in (1, 4) and "ledger of iad is lost" in printed, printed
                sent = [call for call in lab.calls() if "token" not in call.path]
                assert len(sent) <= 2, sent  # what was under way: the namespace waits for nothing
                with hurried():
                    assert lab.plan().actions == ()
        finally:
            hands.clean()
