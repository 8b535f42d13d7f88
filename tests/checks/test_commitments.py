"""What a site promises before and after: strangers counted, what the driver made not twice, what goes not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.lab import Lab
from tests.test_schemas import fits
from vastplan.sim.faults import Effect, Fault
from vastplan.sim.runai import RunaiPlane

TIB = 2**40


def document(size: str = "2 TiB", **more: Any) -> dict[str, Any]:
    team = {
        "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.0.1.1"]},
        "view_policy": {"flavor": "NFS"},
        "storage_class": {"driver": "file", "secret": "s", "storage_path": "/k8s"},
        "project": {"department": "d", "gpus": {"default": 4}},
        "volumes": {"claim": {"storage_class": "a", "size": size}},
        "quotas": {"q": {"path": "/q", "hard_limit": "3 TiB"}},
        **more,
    }
    data = {"endpoint": "vms", "username": "u", "password": {"file": "word"}}
    return {
        "namespaces": {"csi": {}},
        "secrets": {"s": {"namespace": "csi", "data": data}},
        "departments": {"d": {"gpus": {"default": 4}}},
        "tenants": {"a": team},
    }


def rows(vastplan: Run, file: Path) -> dict[str, tuple[Any, Any, Any]]:
    shown = fits("plan", vastplan("plan", file, "--format", "json"))["commitments"]
    return {row["what"]: (row["before"], row["after"], row["limit"]) for row in shown}


@pytest.mark.slow
def test_before_and_after(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "word").write_text("secret-word")
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(document())
        file = tmp_path / "lab.yaml"
        has = 10**15
        assert rows(vastplan, file) == {"hard limits": (0, 5 * TIB, has), "GPUs of node pool default": (0, 4, None)}
        ran = vastplan("apply", file, "--auto-approve", "--max-changes", "99")
        assert ran.code == 0, ran
        (tenant,) = (row["id"] for row in lab.rows("iad", "tenant") if row["name"] == "a")
        before = sum(row["hard_limit"] for row in lab.rows("iad", "quota"))
        assert rows(vastplan, file)["hard limits"] == (before, before, has)
        lab.write(document("2560 GiB"))
        assert rows(vastplan, file)["hard limits"] == (before, before + TIB // 2, has)
        stranger = {"name": "x", "path": "/x", "tenant_id": tenant, "hard_limit": TIB, "create_dir": True}
        lab.by_hand("iad", "vast", "POST", "/api/v5/quotas/", stranger)
        inner = {**stranger, "name": "y", "path": "/q/inner"}
        lab.by_hand("iad", "vast", "POST", "/api/v5/quotas/", inner)
        lab.write(document())
        assert rows(vastplan, file)["hard limits"] == (before + TIB, before + TIB, has)
        lab.write(
            document(quotas=None)
            | {"sites": {"iad": {"sim": {}, "capability": {"usable_capacity": "1 TiB", "gpus": {"default": 3}}}}}
        )
        changed = rows(vastplan, file)
        assert changed["hard limits"][:2] == (before + TIB, before - TIB)  # /q goes, and /q/inner is part of it no more
        assert changed["GPUs of node pool default"] == (4, 4, 3)
        ran = vastplan("plan", file, "--commitments")
        lines = [line.split() for line in ran.out.splitlines() if line.startswith("  GPUs of")]
        assert lines == [
            ["GPUs", "of", "node", "pool", "default", "4", "GPUs", "4", "GPUs", "3", "GPUs", "133", "%"]
        ], ran
        assert "warning CAP-01" in ran.out and "warning RAI-04" in ran.out


def test_a_document_by_itself_promises_what_it_says(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "word").write_text("secret-word")
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(document("7 TiB"))
        shown = fits("validate", vastplan("validate", tmp_path / "lab.yaml", "--format", "json"))["commitments"]
        hard = next(row for row in shown if row["what"] == "hard limits")
        assert (hard["before"], hard["after"], hard["limit"]) == (None, 10 * TIB, None)
        ran = vastplan("validate", tmp_path / "lab.yaml", "--commitments")
        assert "Promised on iad" in ran.out and "not known" in ran.out


def test_pools_are_counted_by_their_nodes(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["runai"]}) as lab:
        projects = {"p": {"department": "d", "gpus": {"default": 480}}}
        lab.write({"departments": {"d": {"gpus": {"default": 480}}}, "projects": projects})
        file = tmp_path / "lab.yaml"
        what = "GPUs of node pool default"
        assert rows(vastplan, file)[what] == (0, 480, None)  # no node is seen
        plane = lab.world.sites["iad"].planes["runai"]
        assert isinstance(plane, RunaiPlane)
        for number in range(59):  # more than one page of them
            plane.join("iad", f"gpu-{number}")
        plane.join("iad", "cpu-0", gpus=0)
        plane.join("iad", "old-0", gpus=4, node_pool="v100")
        assert rows(vastplan, file)[what] == (0, 480, 472)
        message = "is one of the projects that are promised 480 GPUs of node pool default, which has 472"
        assert message in vastplan("plan", file).out and message in vastplan("drift", file).out
        assert message not in vastplan("validate", file).out
        lab.world.sites["iad"].servers["runai"].faults.arm(Fault(Effect.STATUS, path="/nodes", times=99, status=403))
        assert rows(vastplan, file)[what] == (0, 480, None)
        assert "RAI-04: this could not be checked against iad: node: " in vastplan("plan", file).out
