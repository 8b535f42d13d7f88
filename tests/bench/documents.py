"""The documents that are measured, made to size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.bench.seam import DOCUMENT, SITE

TEAMS = 10
FIXED = 2 * TEAMS  # a tenant and a view policy each; the rest are views with a quota each


def views(folder: Path, objects: int, *, changed: bool = False) -> Path:
    """A document of so many objects: views with a quota each, in ten tenants, a file for each tenant.

    `changed` asks for another value of each view and each quota.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "head.yaml", {"version": 1, "name": DOCUMENT, "sites": {SITE: {"sim": {"systems": ["vast"]}}}})
    for team in range(TEAMS):
        tenant = {
            "capacity_rules": {"hard_limit": "500 PiB"},
            "client_ip_ranges": [f"10.0.{team}.1 - 10.0.{team}.9"],
            "view_policy": {"flavor": "NFS", "nfs_no_squash": [f"10.0.{team}.0/24"]},
            "views": {view_name(team, index): _view(team, index, changed) for index in range(views_a_team(objects))},
        }
        _write(folder / f"team-{team}.yaml", {"tenants": {f"team-{team}": tenant}})
    return folder


def views_a_team(objects: int) -> int:
    """How many views each tenant has in a document of so many objects."""
    return max(0, objects - FIXED) // (2 * TEAMS)


def view_name(team: int, index: int) -> str:
    """A view's name, which is its quota's, too."""
    return f"team-{team}-v{index}"


def view_path(team: int, index: int) -> str:
    """A view's path."""
    return f"/team-{team}/v{index}"


def _view(team: int, index: int, changed: bool) -> dict[str, Any]:
    return {
        "path": view_path(team, index),
        "protocols": ["NFS", "NFS4"] if changed else ["NFS"],
        "quota": {"hard_limit": "11 TiB" if changed else "10 TiB", "soft_limit": "9 TiB"},
    }


def teams(folder: Path, objects: int) -> Path:
    """A document of about so many objects in teams that each have everything, down to volumes and projects."""
    a_team, per_volume = 10, 4
    checkpoint = {"size": "200 GB", "interval": "30m", "reliability": {"mtbf": "2d"}, "targets": {"rpo": "1h"}}
    count = max(1, objects // (a_team + 10 * per_volume))
    tenants = {
        f"team-{team}": {
            "capacity_rules": {"hard_limit": "50 TiB"},
            "client_ip_ranges": [f"10.{team // 250}.{team % 250}.1 - 10.{team // 250}.{team % 250}.9"],
            "vip_pool": {
                "subnet_cidr": 24,
                "ip_ranges": [f"10.{100 + team // 250}.{team % 250}.1 - 10.{100 + team // 250}.{team % 250}.9"],
            },
            "view_policy": {"flavor": "NFS"},
            "qos_policy": {"static_limits": {"max_reads_bw_mbps": "2 GB/s", "max_writes_bw_mbps": "1 GB/s"}},
            "storage_class": {"driver": "file", "storage_path": f"/team-{team}/k8s", "secret": {"existing": "csi/vms"}},
            "project": {"gpus": {"default": 4}},
            "volumes": {
                f"team-{team}-v{index}": {
                    "path": f"/team-{team}/v{index}",
                    "size": "1 TiB",
                    "qos_policy": f"team-{team}",
                    **({"checkpoint": checkpoint} if index == 0 else {}),
                }
                for index in range(10)
            },
        }
        for team in range(count)
    }
    path = folder / "teams.yaml"
    _write(path, {"version": 1, "name": DOCUMENT, "sites": {SITE: {"sim": {}}}, "tenants": tenants})
    return path


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False), encoding="utf-8")
