"""A view of a replica comes after the protected path that makes its directory on the other site, and never waits in a ring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lab import EVERYTHING, Lab
from vastplan.model.plan import Plan, Step, Verb
from vastplan.sim.faults import Effect, Fault

BASE: dict[str, Any] = {
    "tenants": {"t": {}},
    "vip_pools": {
        "r": {
            "role": "REPLICATION",
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.9.1.10"]}, "pdx": {"ip_ranges": ["10.9.2.10"]}},
        },
        "p": {
            "tenant": "t",
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.1.1.10"]}, "pdx": {"ip_ranges": ["10.1.2.10"]}},
        },
    },
    "replication_peers": {"link": {"between": {"iad": {"vip_pool": "r"}, "pdx": {"vip_pool": "r"}}}},
    "snapshot_schedules": {
        "far": {"frames": [{"every": "1h", "keep_local": "1d", "keep_remote": "7d"}], "replicate_to": "link"},
        "near": {"frames": [{"every": "1h", "keep_local": "1d"}]},
    },
    "view_policies": {"v": {"tenant": "t", "flavor": "NFS"}},
}
VIEW = {"tenant": "t", "path": "/data", "protocols": ["NFS"], "create_dir": True}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    systems = ["vast", "kubernetes", "runai"]
    with Lab(tmp_path, {"iad": systems, "pdx": systems}) as one:
        yield one


def views(**of: Mapping[str, Any]) -> dict[str, Any]:
    return {**BASE, "views": {name: {**VIEW, **said} for name, said in of.items()}}


def waits_for(plan: Plan, address: str) -> set[str]:
    """All that the write of an address waits for, directly or not."""
    where = {(str(one.address), one.step): number for number, one in enumerate(plan.operations)}
    found: set[int] = set()
    queue = [where[address, Step.WRITE]]
    while queue:
        for before in plan.operations[queue.pop()].after:
            if before not in found:
                found.add(before)
                queue.append(before)
    return {str(plan.operations[number].address) for number in found}


def test_a_view_of_a_replica_waits_for_what_makes_its_directory(lab: Lab) -> None:
    lab.write(views(data={"sites": ["iad"], "snapshots": "far"}, copy={"sites": ["pdx"]}))
    plan = lab.plan()
    assert {"iad/protected_path/data", "iad/view/data"} <= waits_for(plan, "pdx/view/copy")
    assert "pdx/view/copy" not in waits_for(plan, "iad/protected_path/data")
    lab.converge()
    assert lab.plan().actions == ()


def test_of_one_entry_on_both_sites_too(lab: Lab) -> None:
    lab.write(views(data={"snapshots": "far", "per_site": {"pdx": {"snapshots": "near"}}}))
    plan = lab.plan()
    assert "iad/protected_path/data" in waits_for(plan, "pdx/view/data")
    assert "pdx/view/data" in waits_for(plan, "pdx/protected_path/data")  # its own snapshots come after it as ever


def test_a_volume_on_both_sites(lab: Lab) -> None:
    volume = {
        "path": "/data", "size": "1 TiB", "secret": {"existing": "csi/mgmt"},
        "per_site": {"iad": {"snapshots": "far"}},
    }  # fmt: skip
    document = {
        **BASE,
        "departments": {"d": {"gpus": {"default": 8}}},
        "projects": {"t": {"department": "d", "tenant": "t", "gpus": {"default": 4}}},
        "volumes": {"data": {**volume, "tenant": "t", "project": "t"}},
    }
    lab.write(document)
    plan = lab.plan()
    assert "iad/protected_path/data" in waits_for(plan, "pdx/view/data")
    assert "pdx/view/data" in waits_for(plan, "pdx/persistent_volume/t-data")


@pytest.mark.parametrize(
    "copy", [{"path": "/other"}, {"tenant": "u", "view_policy": "w"}], ids=["another path", "another tenant"]
)
def test_another_view_waits_for_nothing(copy: dict[str, Any], lab: Lab) -> None:
    document = views(data={"sites": ["iad"], "snapshots": "far", "view_policy": "v"}, copy={"sites": ["pdx"], **copy})
    document["tenants"] = {"t": {}, "u": {}}
    document["view_policies"] = {**BASE["view_policies"], "w": {"tenant": "u", "flavor": "NFS"}}
    lab.write(document)
    assert "iad/protected_path/data" not in waits_for(lab.plan(), "pdx/view/copy")


def test_two_that_replicate_to_each_other_wait_for_neither(lab: Lab) -> None:
    lab.write(views(data={"snapshots": "far"}))
    plan = lab.plan()
    assert not [finding for finding in plan.findings if finding.code == "VP301"] and plan.operations
    assert "iad/protected_path/data" not in waits_for(plan, "pdx/view/data")
    assert "pdx/protected_path/data" not in waits_for(plan, "iad/view/data")


def test_a_replica_that_is_there_is_changed_while_its_source_is_down(lab: Lab) -> None:
    lab.write(views(data={"sites": ["iad"], "snapshots": "far"}, copy={"sites": ["pdx"]}))
    lab.converge()
    lab.write(views(data={"sites": ["iad"], "snapshots": "far"}, copy={"sites": ["pdx"], "protocols": ["NFS", "NFS4"]}))
    lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.STATUS, path="/api/", status=403, times=1000))
    plan = lab.plan(EVERYTHING)
    assert plan.unknown
    assert {str(action.address): action.verb for action in plan.actions}["pdx/view/copy"] is Verb.UPDATE
