"""A shared ledger whose parts may not be listed: plans go on, and say what they do not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import Lab
from vastplan.app.record import record_snapshot
from vastplan.sim.faults import Effect, Fault


@pytest.mark.slow
def test_a_plan_goes_on_without_the_list_and_says_what_is_not_known(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        lab.ledger = {"kubernetes": {"namespace": "ledgers", "site": "iad"}}
        lab.write({"tenants": {"a": {}}})
        lab.converge()
        assert lab.plan().findings == ()
        lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "b"})
        lab.write({"tenants": {"a": {}, "b": {}}})
        faults = lab.world.sites["iad"].servers["kubernetes"].faults
        faults.arm(Fault(Effect.STATUS, "GET", r".*/leases(\?.*)?$", status=403, times=1000))
        plan = lab.plan()
        (finding,) = plan.findings
        assert (finding.code, finding.severity.value) == ("VP313", "warning")
        assert finding.message.startswith("cannot list the ledger's parts")
        assert [str(action.address) for action in plan.actions] == ["iad/tenant/b"]
        assert not plan.actions[0].blocked
        assert record_snapshot(lab.workspace(), ("iad",)).sites[0].claims.known == ()
        lab.converge()  # what the plan warned of does not stop the apply either


def test_what_only_looks_like_a_part_is_none(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        lab.ledger = {"kubernetes": {"namespace": "ledgers", "site": "iad"}}
        lab.write({"tenants": {"a": {}}})
        lab.converge()
        labels = {"app.kubernetes.io/managed-by": "vastplan", "app.kubernetes.io/component": "ledger"}
        notes = {"vastplan/document": "lab", "vastplan/site": "../evil"}
        lease = {"metadata": {"name": "stranger", "labels": labels, "annotations": notes}, "spec": {}}
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", **lease}
        lab.by_hand("iad", "kubernetes", "POST", "/apis/coordination.k8s.io/v1/namespaces/ledgers/leases", body)
        with lab.workspace().ledger() as backend:
            assert backend.sites() == ("iad",)
