"""Where the isolation proof is seen: validate, plan and drift, in text and JSON, and in the exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab
from tests.test_schemas import fits

ROOT = Path(__file__).resolve().parents[2]


def teams(**second: Any) -> dict[str, Any]:
    """Two teams that share nothing."""
    document: dict[str, Any] = {"departments": {"d": {"gpus": {"default": 4}}}, "tenants": {}}
    document |= {
        "namespaces": {"csi": {}},
        "secrets": {name: {"namespace": "csi", "data": {"endpoint": "vms"}} for name in ("a", "b")},
    }
    for number, name in enumerate(("a", "b"), 1):
        document["tenants"][name] = {
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": [f"10.0.{number}.1"]},
            "view_policy": {"flavor": "NFS"},
            "storage_class": {"driver": "file", "secret": name, "storage_path": f"/{name}"},
            "project": {"department": "d", "gpus": {"default": 1}},
        }
    document["tenants"]["b"]["storage_class"] |= second
    return document


@pytest.fixture
def document(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "ai-factory", tmp_path / "doc", dirs_exist_ok=True)
    return tmp_path / "doc"


def test_the_proof_of_an_example_and_a_waiver_of_a_meeting_point(document: Path, vastplan: Run) -> None:
    ran = vastplan("validate", document, "--isolation")
    assert ran.code == 0 and "no two of 2 projects meet" in ran.out, ran
    for team in ("team-a", "team-b"):  # one log-in for both
        file = document / f"{team}.yaml"
        file.write_text(file.read_text().replace(f"secret: vast-{team}", "secret: vast-mgmt"))
    ran = vastplan("validate", document, "--isolation")
    assert ran.code == 3, ran
    assert "  meet in secret vast-csi/vast-mgmt: team-a, team-b" in ran.out.splitlines()
    assert "project team-b > namespace runai-team-b > storage class team-b > secret vast-csi/vast-mgmt" in ran.out
    shown = fits("validate", vastplan("validate", document, "--format", "json"))
    iad = next(proof for proof in shown["isolation"] if proof["site"] == "iad")
    assert iad["namespaces"] == {"team-a": "runai-team-a", "team-b": "runai-team-b"} and iad["shared"] == []
    assert iad["classes"]["team-b"] == ["runai-team-b"] and [meeting["layer"] for meeting in iad["meetings"]] == [
        "secret"
    ]
    waiver = {
        "code": "ISO-02",
        "address": "*/secret/vast-mgmt",
        "reason": "one log-in until 5.5",
        "until": "2999-12-31",
    }
    (document / "checks.yaml").write_text(yaml.safe_dump({"checks": {"waive": [waiver]}}))
    assert vastplan("validate", document, "--isolation").code == 0
    (document / "checks.yaml").write_text(yaml.safe_dump({"checks": {"raise": {"ISO-02": "error"}}}))
    assert vastplan("validate", document).code == 3


@pytest.mark.slow
def test_what_was_opened_by_hand_is_seen_live(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(teams())
        file = tmp_path / "lab.yaml"
        ran = vastplan("plan", file, "--isolation")
        assert ran.code == 0 and "no two of 2 projects meet" in ran.out, ran
        assert vastplan("apply", file, "--auto-approve", "--max-changes", "99").code == 0
        ran = vastplan("drift", file, "--isolation")
        assert ran.code == 0 and "Isolation on iad, from the live state" in ran.out, ran
        assert "no two of 2 projects meet" in ran.out, ran
        assert fits("plan", vastplan("plan", file, "--format", "json"))["isolation"][0]["meetings"] == []
        binding = lab.live("iad/admission_binding/vastplan-b")
        assert binding is not None
        lab.delete_by_hand(binding)
        ran = vastplan("drift", file, "--isolation", "--format", "json")
        assert ran.code == 3, ran
        assert [one["opens"] for one in json.loads(ran.out)["drift"]] == [True]
        (iad,) = fits("drift", ran)["isolation"]
        assert iad["shared"] == ["b"] and iad["classes"] == {"a": ["runai-a"]}
        met = {(meeting["layer"], meeting["element"]) for meeting in iad["meetings"]}
        assert met == {
            ("storage class", "b"), ("secret", "csi/b"), ("tenant", "b"), ("VIP pool", "b"), ("view policy", "b"), ("path", "b:/b"),
        }  # fmt: skip
        assert fits("drift", vastplan("drift", file, "--format", "json"))["isolation"] == []
        assert [way["way"] for way in iad["ways"] if way["state"] == "open"] == ["claim", "ephemeral volume"]
        unread = [way["way"] for way in iad["ways"] if way["reason"] == "not read from the systems"]
        assert unread == ["clone", "S3 key", "identity policy"]
        of_pods = lab.live("iad/admission_binding/vastplan-inline-volumes")
        assert of_pods is not None
        lab.delete_by_hand(of_pods)
        shown = vastplan("drift", file, "--isolation").out.splitlines()
        assert [line for line in shown if line.startswith("  open: ")] == [
            "  open: claim, ephemeral volume: no admission policy or resource quota closes the class (iad/storage_class/b): from every project"
            " to every other (write isolation: admission_policy on the site, and the class in storage_classes of its project; where it is so already: vastplan apply)",
            "  open: inline CSI, inline CSI of others, nfs, flexVolume, hostPath: no admission policy refuses it in pods: from every project"
            " to every other (write isolation: admission_policy on the site with a class in storage_classes, and no inline_volumes there;"
            " where it is so already: vastplan apply)",
        ]


def test_what_cannot_be_read_is_not_proven(tmp_path: Path, vastplan: Run) -> None:
    from vastplan.sim.faults import Effect, Fault

    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(teams())
        file = tmp_path / "lab.yaml"
        faults = lab.world.sites["iad"].servers["kubernetes"].faults
        faults.arm(Fault(Effect.STATUS, path="/persistentvolumes", times=500, status=403))
        ran = vastplan("drift", file, "--isolation")
        assert ran.code == 6 and "? nothing is proven: persistent_volume: " in ran.out, ran
        shown = json.loads(vastplan("drift", file, "--isolation", "--format", "json").out)
        assert shown["isolation"][0]["unknown"] and shown["isolation"][0]["meetings"] == []


@pytest.mark.slow
def test_what_is_seen_and_not_enforced_keeps_nobody_apart(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(teams())
        file = tmp_path / "lab.yaml"
        whole = yaml.safe_load(file.read_text())
        whole["sites"]["iad"]["isolation"] = "audit"
        file.write_text(yaml.safe_dump(whole))
        ran = vastplan("plan", file, "--isolation")
        assert ran.code == 3 and "meet in storage class b: all projects" in ran.out, ran
        assert "  class b is open to everybody: seen, not enforced; meant for runai-b" in ran.out.splitlines()
        assert vastplan("apply", file, "--auto-approve", "--max-changes", "99").code == 0
        (live,) = fits("drift", vastplan("drift", file, "--isolation", "--format", "json"))["isolation"]
        assert live["seen"] == {"a": ["runai-a"], "b": ["runai-b"]}
        assert (live["shared"], live["classes"]) == (["a", "b"], {})
        binding = lab.live("iad/admission_binding/vastplan-b")
        assert binding is not None
        lab.delete_by_hand(binding)
        (gone,) = json.loads(vastplan("drift", file, "--format", "json").out)["drift"]
        assert (gone["address"], gone["opens"]) == ("iad/admission_binding/vastplan-b", False), (
            "nobody was refused by it"
        )


def test_everybody_meets_in_a_shared_class(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(teams(shared=True))
        ran = vastplan("plan", tmp_path / "lab.yaml", "--isolation")
        assert ran.code == 3 and "meet in storage class b: all projects" in ran.out, ran
        assert "warning ISO-01: iad: all projects meet in" in ran.out, ran
