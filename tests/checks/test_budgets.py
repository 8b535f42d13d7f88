"""Budgets of checkpoints in every command: what an edit of QoS does to them, waivers and severities, and what is not known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checks.cases import checked, written
from tests.conftest import Run
from tests.lab import Lab
from tests.test_schemas import fits
from vastplan.model.finding import Severity
from vastplan.sim.faults import Effect, Fault

BASE = {
    "namespaces": {"csi": {}},
    "secrets": {"s": {"namespace": "csi", "data": {"endpoint": "e", "username": "u", "password": {"file": "word"}}}},
}
WIDE = {"max_writes_bw_mbps": 500}


def document(volume: dict[str, Any] | None = None, **team: Any) -> dict[str, Any]:
    checkpoint = {"size": "100 GB", "interval": "5m", "targets": {"rpo": "10m"}}
    return {
        **BASE,
        "tenants": {
            "a": {
                "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.0.1.1"]},
                "view_policy": {"flavor": "NFS"},
                "storage_class": {"driver": "file", "secret": "s", "storage_path": "/k8s"},
                "project": {"gpus": {"default": 4}},
                "volumes": {"v": {"path": "/v", "size": "1 TB", "checkpoint": checkpoint, **(volume or {})}},
                **team,
            }
        },
    }


def with_limits(**limits: Any) -> dict[str, Any]:
    return document({"qos": {"static_limits": limits}})


def budget(vastplan: Run, file: Path) -> dict[str, Any]:
    (shown,) = fits("plan", vastplan("plan", file, "--format", "json"))["budgets"]
    assert isinstance(shown, dict)
    return shown


def applied(vastplan: Run, lab: Lab, tree: dict[str, Any]) -> None:
    lab.write(tree)
    ran = vastplan("apply", lab.folder / "lab.yaml", "--auto-approve")
    assert ran.code == 0, ran


@pytest.fixture
def word(tmp_path: Path) -> Path:
    (tmp_path / "word").write_text("secret-word")
    return tmp_path / "lab.yaml"


LAB = {"iad": ["vast", "kubernetes", "runai"]}


@pytest.mark.slow
def test_an_edit_of_a_limit_says_what_it_does_to_the_checkpoints_behind_it(
    tmp_path: Path, word: Path, vastplan: Run
) -> None:
    with Lab(tmp_path, LAB) as lab:
        lab.write(with_limits(**WIDE))
        first = budget(vastplan, word)
        assert first["address"] == "iad/volume/v" and first["changes"] == []  # nothing is there yet that could change
        assert first["figures"]["write_seconds"] == 200 and first["curve"] == []
        applied(vastplan, lab, with_limits(**WIDE))
        assert budget(vastplan, word)["changes"] == []
        lab.write(with_limits(max_writes_bw_mbps=250))
        assert budget(vastplan, word)["changes"] == [
            "write time 200 s -> 6.67 min",
            "stall 40 % -> 57.1 %",
            "work that may be lost 8.33 min -> 11.7 min",
            "breaks CKP-01 (a checkpoint is not written before the next one), CKP-03 (more work may be lost than the target allows)",
        ]
        ran = vastplan("plan", word)
        assert ran.code == 3 and "\n      write time 200 s -> 6.67 min\n" in ran.out, ran
        lab.write(with_limits(max_writes_bw_mbps=1000, max_writes_iops=5000))
        assert budget(vastplan, word)["changes"][1] == (
            "binding limit: QoS bandwidth of volume v -> IOPS x I/O size of volume v"
        )
        lab.write(document())
        changes = budget(vastplan, word)["changes"]
        assert changes[0] == "write time 200 s -> not known", changes


@pytest.mark.slow
def test_before_is_what_is_live_not_what_was_applied(tmp_path: Path, word: Path, vastplan: Run) -> None:
    with Lab(tmp_path, LAB) as lab:
        applied(vastplan, lab, with_limits(**WIDE))
        (policy,) = lab.rows("iad", "qos_policy")
        limits = {"static_limits": {"max_writes_bw_mbps": 800}}
        lab.by_hand("iad", "vast", "PATCH", f"/api/v5/qospolicies/{policy['id']}/", limits)
        assert budget(vastplan, word)["changes"][0] == "write time 125 s -> 200 s"
        lab.world.sites["iad"].servers["vast"].faults.arm(
            Fault(Effect.STATUS, path="/qospolicies/", times=500, status=403)
        )
        assert budget(vastplan, word)["changes"] == []  # what the limits are is not known: unknown is no change


@pytest.mark.slow
def test_limits_of_tenants_and_of_named_policies_are_live_too(tmp_path: Path, word: Path, vastplan: Run) -> None:
    def named(rate: int, of_tenant: int) -> dict[str, Any]:
        return document(
            {"qos_policy": "q"},
            qos_policies={"q": {"static_limits": {"max_writes_bw_mbps": rate}}},
            qos={"static_limits": {"max_writes_bw_mbps": of_tenant}},
        )

    with Lab(tmp_path, LAB) as lab:
        applied(vastplan, lab, named(500, 800))
        lab.write(named(1000, 800))
        assert budget(vastplan, word)["changes"][:2] == [
            "write time 200 s -> 125 s",
            "binding limit: QoS bandwidth of policy q -> QoS bandwidth of tenant a",
        ]
        lab.write(named(500, 400))
        assert budget(vastplan, word)["changes"][0] == "write time 200 s -> 250 s"
        team = with_limits(max_writes_bw_mbps=250)
        team["tenants"]["a"]["qos"] = {"static_limits": {"max_writes_bw_mbps": 800}}
        lab.write(team)
        assert budget(vastplan, word)["changes"][1].startswith("binding limit: QoS bandwidth of policy q")


@pytest.mark.slow
def test_a_claim_whose_class_has_a_policy(tmp_path: Path, word: Path, vastplan: Run) -> None:
    def of_class(rate: int) -> dict[str, Any]:
        tree = document(
            qos_policies={"q": {"static_limits": {"max_writes_bw_mbps": rate}}},
            storage_class={"driver": "file", "secret": "s", "storage_path": "/k8s", "qos_policy": "q"},
        )
        volume = tree["tenants"]["a"]["volumes"]["v"]
        volume["storage_class"] = "a"
        del volume["path"]
        return tree

    with Lab(tmp_path, LAB) as lab:
        lab.write(of_class(500))
        assert budget(vastplan, word)["changes"] == []
        applied(vastplan, lab, of_class(500))
        lab.write(of_class(1000))
        changes = budget(vastplan, word)["changes"]
        assert changes and changes[0] == "write time 200 s -> 100 s"


def test_its_findings_are_raised_waived_and_seen_by_drift(tmp_path: Path, word: Path, vastplan: Run) -> None:
    late = with_limits(max_writes_bw_mbps=250)
    waiver = {"address": "iad/volume/v", "reason": "until the new boxes are in", "until": "2999-01-01"}
    with Lab(tmp_path, LAB) as lab:
        lab.write(late)
        ran = vastplan("apply", word, "--auto-approve")
        assert ran.code == 3 and "CKP-01" in ran.out and not lab.rows("iad", "qos_policy"), ran
        lab.write({**late, "checks": {"waive": [{**waiver, "code": code} for code in ("CKP-01", "CKP-03")]}})
        ran = vastplan("plan", word)
        assert ran.code == 0 and "note CKP-01" in ran.out and "[waived until 2999-01-01" in ran.out, ran
        lab.write(late)
        drifted = json.loads(vastplan("drift", word, "--format", "json").out)
        assert [finding["code"] for finding in drifted["findings"] if finding["severity"] == "error"] == [
            "CKP-01",
            "CKP-03",
        ]


def test_what_is_milder_is_raised_by_itself(tmp_path: Path) -> None:
    tree = document({"qos_policy": {"existing": "gold"}})
    head = {"sites": {"iad": {"sim": {}, "capability": {"writes_bw_mbps": "10 GB/s"}}}}

    def of(raised: dict[str, str]) -> list[tuple[str, Severity, str]]:
        findings = checked(written({**tree, **head, "checks": {"raise": raised}}, tmp_path))
        return [
            (finding.code, finding.severity, finding.message)
            for finding in findings
            if finding.code in ("CKP-00", "VP263")
        ]

    text = "QoS policy gold is not in this document: its limits are not counted"
    assert of({}) == [("CKP-00", Severity.WARNING, text)]
    assert of({"CKP-00": "error"}) == [("CKP-00", Severity.ERROR, text)]
    assert of({"CKP-00": "warning"}) == [("CKP-00", Severity.WARNING, text)]
    refused = ("VP263", Severity.ERROR, "checks.raise: CKP-01 is already an error")
    assert refused in of({"CKP-01": "warning"})


def test_checks_of_checkpoints_are_listed_and_explained(vastplan: Run) -> None:
    listed = vastplan("validate", "--list-checks").out.splitlines()
    assert [line[:6] for line in listed if line.startswith("CKP-")] == [f"CKP-{number:02}" for number in range(18)]
    ran = vastplan("validate", "--explain", "CKP-08")
    assert ran.code == 0 and "severity: error, or warning" in ran.out and "snapshots" in ran.out, ran
