"""A stop lets what has begun end: a replacement is not left deleted, and nothing else is begun."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from tests.lab import Lab
from vastplan.app.apply import apply_plan
from vastplan.engine.applying.apply import ProgressEvent
from vastplan.model.outcome import State
from vastplan.model.plan import Step


def _document(tenant: str) -> dict[str, Any]:
    policy = {"tenant": tenant, "policy_type": "VIEW", "static_limits": {"max_reads_bw_mbps": 1000}}
    shares = {"view_policies": {"p": {"tenant": "b", "flavor": "NFS"}}}
    return {"tenants": {"a": {}, "b": {}}, "qos_policies": {"q": policy}, **shares}


BEHIND = {"v": {"path": "/v", "tenant": "b", "view_policy": "p", "qos_policy": "q", "protocols": ["NFS"]}}


def test_a_replacement_that_has_begun_is_finished(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(_document("a"))
        lab.converge()
        lab.write({**_document("b"), "views": BEHIND})
        stop = threading.Event()

        def progress(event: ProgressEvent) -> None:
            if event.step is Step.DELETE:
                stop.set()

        receipt = apply_plan(lab.workspace(), lab.plan(), progress, stop)
        states = {one.address: one.state for one in receipt.outcomes}
        assert states["iad/qos_policy/q"] is State.DONE
        assert states["iad/view/v"] is State.SKIPPED
        lab.converge()
        assert lab.plan().actions == ()


def test_what_waits_for_a_free_hand_has_not_begun(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {f"t{number}": {} for number in range(60)}})
        stop = threading.Event()

        def progress(event: ProgressEvent) -> None:
            if event.state is State.DONE:
                stop.set()

        receipt = apply_plan(lab.workspace(), lab.plan(), progress, stop)
        done = [one for one in receipt.outcomes if one.state is State.DONE]
        assert 1 <= len(done) <= 16, len(done)  # eight at once on one system, and those that were let in meanwhile
        assert len([call for call in lab.calls() if call.method == "POST"]) == len(done)
        assert {one.message for one in receipt.outcomes if one not in done} == {"stopped before it began"}
