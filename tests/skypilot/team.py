"""A team with a bucket, a bucket for checkpoints, a claim and a key, on two simulated sites: what tests of an export begin with."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

_TREE: dict[str, Any] = {
    "version": 1,
    "name": "team",
    "sites": {site: {"sim": {}, "capability": {"writes_bw_mbps": "1 GB/s"}} for site in ("iad", "pdx")},
    "namespaces": {"vast-csi": {}},
    "secrets": {
        "vast-mgmt": {
            "namespace": "vast-csi",
            "data": {"endpoint": "vms.example.com", "username": "csi", "password": {"file": "csi-password"}},
        }
    },
    "local_providers": {"team-a": {}},
    "tenants": {
        "team-a": {
            "local_provider": "team-a",
            "users": {"alice": {"uid": 31001}},
            "vip_pool": {
                "subnet_cidr": 24,
                "per_site": {
                    "iad": {"ip_ranges": ["10.20.1.10"], "s3_endpoint": "https://s3.iad.example.com"},
                    "pdx": {"ip_ranges": ["10.30.1.10"], "s3_endpoint": "https://s3.pdx.example.com"},
                },
            },
            "view_policy": {"flavor": "MIXED_LAST_WINS"},
            "storage_class": {"driver": "file", "storage_path": "/k8s", "secret": "vast-mgmt"},
            "project": {"gpus": {"default": 8}},
            "views": {"data": {"path": "/data", "protocols": ["S3"], "bucket": "a-data", "bucket_owner": "alice"}},
            "volumes": {
                "checkpoints": {
                    "path": "/checkpoints",
                    "size": "1 TiB",
                    "mount": "/checkpoints",
                    "protocols": ["NFS", "S3"],
                    "bucket": "a-checkpoints",
                    "bucket_owner": "alice",
                    "checkpoint": {"size": "100 GB", "interval": "10m"},
                },
                "scratch": {"storage_class": "team-a", "size": "1 TiB", "mount": "/scratch"},
            },
            "s3_keys": {"trainer": {"user": "alice", "deliver": {"secret": "runai-team-a/s3"}}},
        }
    },
}


class Team:
    """The document as a tree: `team` is its tenant."""

    def __init__(self, folder: Path) -> None:
        self.tree = deepcopy(_TREE)
        self.team: dict[str, Any] = self.tree["tenants"]["team-a"]
        self.path = folder / "team.yaml"
        self.out = folder / "sky"
        (folder / "csi-password").write_text("the-password-of-the-driver")

    def written(self) -> Path:
        """Its file, as the tree is now."""
        self.path.write_text(yaml.safe_dump(self.tree, sort_keys=False))
        return self.path

    def files(self) -> dict[str, str]:
        """What an export wrote, by name, but for what it notes for itself."""
        return {
            str(file.relative_to(self.out)): file.read_text()
            for file in sorted(self.out.rglob("*"))
            if file.is_file() and file.name != ".vastplan-export.json"
        }
