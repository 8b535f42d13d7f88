"""One volume on two sites: made on both by one entry, and kept through a change of roles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.model.errors import Invalid
from vastplan.model.plan import Plan

BOTH = ("iad", "pdx")
BASE: dict[str, Any] = {
    "vip_pools": {
        "replication": {
            "role": "REPLICATION",
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.9.1.10"]}, "pdx": {"ip_ranges": ["10.9.2.10"]}},
        }
    },
    "replication_peers": {"iad-pdx": {"between": {one: {"vip_pool": "replication"} for one in BOTH}}},
    "snapshot_schedules": {
        "protected": {"replicate_to": "iad-pdx", "frames": [{"every": "15m", "keep_local": "1d", "keep_remote": "7d"}]},
    },
    "namespaces": {"vast-csi": {}},
    "secrets": {"vast-mgmt": {"namespace": "vast-csi", "data": {"endpoint": "x", "username": "u", "password": {"file": "pw"}}}},
    "departments": {"research": {"gpus": {"default": 16}}},
    "tenants": {
        "a": {
            "vip_pool": {
                "subnet_cidr": 24,
                "per_site": {"iad": {"ip_ranges": ["10.20.1.10"]}, "pdx": {"ip_ranges": ["10.30.1.10"]}},
            },
            "view_policy": {"flavor": "NFS"},
            "project": {"department": "research", "gpus": {"default": 8}},
        }
    },
}
VOLUME: dict[str, Any] = {
    "tenant": "a", "sites": ["iad", "pdx"], "active": "iad", "path": "/a/v", "size": "10 TiB", "mount": "/v",
    "replicate": "protected", "secret": "vast-mgmt", "qos": {"static_limits": {"max_reads_bw_mbps": 1000}},
}  # fmt: skip


def document(**changes: Any) -> dict[str, Any]:
    """The base with the volume, changed; what is `None` is left out."""
    volume = {name: value for name, value in {**VOLUME, **changes}.items() if value is not None}
    return {**BASE, "volumes": {"v": volume}}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {one: ["vast", "kubernetes", "runai"] for one in BOTH}) as one:
        (tmp_path / "pw").write_text("pw", encoding="utf-8")
        (tmp_path / "pw").chmod(0o600)
        yield one


def of_volume(lab: Lab) -> set[str]:
    """The addresses of what the document makes of the volume and of its schedule."""
    kinds = ("volume", "protection_policy")
    return {
        str(entry.address)
        for entry in lab.workspace().entries()[0]
        if "/volume/" in entry.origin or entry.address.kind in kinds
    }


def refused(lab: Lab, sections: dict[str, Any]) -> str:
    lab.write(sections)
    with pytest.raises(Invalid) as raised:
        lab.workspace().entries()
    return str(raised.value)


def blocks(plan: Plan) -> dict[str, set[str]]:
    """What is blocked, each with by which guards."""
    return {str(action.address): {one.guard for one in action.blocked} for action in plan.actions if action.blocked}


def roles(lab: Lab) -> list[str]:
    return [row["role"] for site in BOTH for row in lab.rows(site, "protected_path")]


def lead(lab: Lab, site: str, **how: Any) -> None:
    """Somebody makes a site the source by hand."""
    (row,) = lab.rows(site, "protected_path")
    body = {"failover": True, "graceful": True, **how}
    lab.by_hand(site, "vast", "PATCH", f"/api/v5/protectedpaths/{row['id']}/", body)


def made(lab: Lab) -> None:
    """The volume stands on both sites, its first copy complete, and the system has its policy on both."""
    lab.write(document())
    lab.converge()
    lab.world.pass_time(90)
    assert lab.plan().actions == ()
    lab.clear_calls()


def test_one_entry_makes_everything_on_both(lab: Lab) -> None:
    made(lab)
    both = {"view/v", "quota/v", "qos_policy/v", "persistent_volume/a-v", "persistent_volume_claim/v"}
    active = {"protected_path/v", "data_source/v", "protection_policy/protected"}
    assert of_volume(lab) == {f"{site}/{one}" for site in BOTH for one in both} | {f"iad/{one}" for one in active}
    assert roles(lab) == ["SOURCE", "DESTINATION"]
    assert [lab.rows(site, "persistent_volume")[0]["spec"]["csi"]["volumeHandle"] for site in BOTH] == ["/a/v"] * 2
    assert [len(lab.rows(site, "data_source")) for site in BOTH] == [1, 0]
