"""What is imported is as short as what a person would have written: lines for objects, and every composite put together again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.importing.round_trip import Desk, round_trip
from tests.importing.test_inverse import EXAMPLES, applied
from tests.importing.worlds import Yard
from vastplan.app.workspace import open_workspace

TEAMS = ("nlp", "cv", "speech")
_TIB = 2**40


def lines(desk: Desk) -> int:
    """The lines of all that was written."""
    return sum(content.count(b"\n") for content in desk.written().values())


def entries(folder: Path) -> list[str]:
    """What stands in a document, by section and name."""
    return sorted(str(entry.address) for entry in open_workspace([folder]).document.entries)


class Office:
    """Three teams that were clicked together, each like the other."""

    def __init__(self, yard: Yard, **of_classes: Any) -> None:
        """`of_classes` is what each of their classes has beside where it puts its volumes."""
        self._yard, self._of_classes = yard, of_classes
        for space in ("vast-csi", "monitoring"):
            self._kube("/api/v1/namespaces", {"kind": "Namespace", "metadata": {"name": space}})
        secret = {"kind": "Secret", "metadata": {"name": "vast-mgmt"}, "stringData": {"password": "canary"}}
        self._kube("/api/v1/namespaces/vast-csi/secrets", secret)
        self._cluster = self._ask("runai", "GET", "/api/v1/clusters")[0]["uuid"]
        share = [{"nodePool": {"id": "100000"}, "gpu": {"deserved": 64, "limit": -1, "overQuotaWeight": 2}}]
        body = {"name": "research", "clusterId": self._cluster, "resources": share}
        self._department = self._ask("runai", "POST", "/api/v1/org-unit/departments", body)["id"]
        frames = [{"every": "1d", "start-at": "2026-11-22 00:00:00", "keep-local": "14d"}]
        body = {"name": "daily", "clone_type": "LOCAL", "prefix": "daily", "frames": frames}
        self._daily = self._ask("vast", "POST", "/api/v5/protectionpolicies/", body)["id"]
        for number, team in enumerate(TEAMS):
            self._team(team, number)

    def _ask(self, system: str, method: str, path: str, body: Any = None) -> Any:
        response = self._yard.by_hand("iad", system, method, path, body)
        assert response.status < 400, (path, body, response.body)
        return response.body

    def _kube(self, path: str, body: dict[str, Any]) -> Any:
        return self._ask("kubernetes", "POST", path, {"apiVersion": "v1", **body})

    def _team(self, team: str, number: int) -> None:
        tenant = self._ask(
            "vast", "POST", "/api/v5/tenants/", {"name": team, "capacity_rules": {"hard_limit": 500 * _TIB}}
        )["id"]
        of: dict[str, Any] = {"tenant_id": tenant}
        ranges = [[f"10.40.{number}.10", f"10.40.{number}.25"]]
        self._ask(
            "vast", "POST", "/api/v5/vippools/", {"name": f"{team}-pool", "subnet_cidr": 24, "ip_ranges": ranges, **of}
        )
        body = {"name": f"{team}-policy", "flavor": "NFS", "nfs_no_squash": [f"10.13.{number}.0/24"], **of}
        policy = self._ask("vast", "POST", "/api/v5/viewpolicies/", body)["id"]
        limits = {"max_reads_bw_mbps": 10000}
        body = {"name": f"{team}-qos", "policy_type": "VIEW", "limit_by": "BW", "static_limits": limits, **of}
        qos = self._ask("vast", "POST", "/api/v5/qospolicies/", body)["id"]
        for name in ("data", "home", "scratch"):
            path = f"/{team}/{name}"
            body = {
                "path": path,
                "policy_id": policy,
                "qos_policy_id": qos,
                "protocols": ["NFS"],
                "create_dir": True,
                **of,
            }
            self._ask("vast", "POST", "/api/v5/views/", body)
            self._ask(
                "vast",
                "POST",
                "/api/v5/quotas/",
                {"name": f"{team}-{name}", "path": path, "hard_limit": 50 * _TIB, **of},
            )
        body = {
            "name": f"{team}-home", "source_dir": f"/{team}/home", "target_exported_dir": f"/{team}/home", **of,
            "protection_policy_id": str(self._daily), "capabilities": "ASYNC_REPLICATION",
        }  # fmt: skip
        self._ask("vast", "POST", "/api/v5/protectedpaths/", body)
        secrets = {
            f"csi.storage.k8s.io/{purpose}-secret-{part}": value
            for purpose in ("provisioner", "controller-publish", "node-publish", "controller-expand")
            for part, value in (("name", "vast-mgmt"), ("namespace", "vast-csi"))
        }
        parameters = {
            "root_export": f"/{team}/k8s",
            "view_policy": f"{team}-policy",
            "vip_pool_name": f"{team}-pool",
            **secrets,
        }
        body = {
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": f"{team}-fast"},
            "provisioner": "csi.vastdata.com", "parameters": parameters, **self._of_classes,
        }  # fmt: skip
        self._ask("kubernetes", "POST", "/apis/storage.k8s.io/v1/storageclasses", body)
        share = [{"nodePool": {"id": "100000"}, "gpu": {"deserved": 16, "limit": -1, "overQuotaWeight": 2}}]
        body = {"name": team, "clusterId": self._cluster, "resources": share, "parentId": self._department}
        project = self._ask("runai", "POST", "/api/v1/org-unit/projects", body)["id"]
        for _ in range(3):  # it has its namespace once it has been looked at
            self._ask("runai", "GET", "/api/v1/org-unit/projects")
        roles = {row["name"]: row["id"] for row in self._ask("runai", "GET", "/api/v1/authorization/roles")}
        body = {
            "subjectId": f"grp-{team}", "subjectType": "group", "roleId": roles["ML engineer"], "scopeType": "project",
            "scopeId": str(project), "clusterId": self._cluster,
        }  # fmt: skip
        self._ask("runai", "POST", "/api/v1/authorization/access-rules", body)
        claims = f"/api/v1/namespaces/runai-{team}/persistentvolumeclaims"
        spec = {
            "accessModes": ["ReadWriteMany"], "storageClassName": f"{team}-fast", "resources": {"requests": {"storage": "1Ti"}},
        }  # fmt: skip
        self._kube(claims, {"kind": "PersistentVolumeClaim", "metadata": {"name": f"{team}-data"}, "spec": spec})
        for _ in range(2):
            self._ask("kubernetes", "GET", f"{claims}/{team}-data")
        meta = {"name": f"{team}-data", "scope": "project", "projectId": int(project), "clusterId": self._cluster}
        body = {"meta": meta, "spec": {"claimName": f"{team}-data", "existingPvc": True, "path": "/data"}}
        self._ask("runai", "POST", "/api/v1/asset/datasource/pvc", body)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of_classes", "most"),
    [
        ({}, 65),
        # With its secret and this a class is wider than a line: five lines more for each of three.
        ({"allowVolumeExpansion": True}, 80),
    ],
)
def test_a_brownfield_of_three_teams_is_as_short_as_by_hand(
    of_classes: dict[str, Any], most: int, tmp_path: Path
) -> None:
    yard = Yard(tmp_path / "yard", ("iad",))
    Office(yard, **of_classes)
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        told = round_trip(desk)
        assert told["adopts"] == 50
        assert lines(desk) <= most, desk.written()
        found = entries(desk.folder)
        # A volume is its claim and its data source, a view its quota and its path; nothing of them stands alone.
        assert {address.split("/")[1] for address in found}.isdisjoint(
            {"quota", "protected_path", "data_source", "access_rule"}
        )
        assert [address for address in found if "/volume/" in address] == [
            f"iad/volume/{team}-data" for team in sorted(TEAMS)
        ]


def test_the_reference_customer_comes_back_as_it_was_written(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", ("iad", "pdx"))
    folder = applied(EXAMPLES / "ai-factory", tmp_path / "example", yard)
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab", "ai-factory")
        told = desk.imports()
        asked_for = ("/secret/", "/namespace/")
        by_hand = [address for address in entries(folder) if not any(kind in address for kind in asked_for)]
        assert entries(desk.folder) == by_hand
        written = sum(file.read_text().count("\n") for file in folder.glob("*.yaml"))
        assert lines(desk) <= told["adopts"]
        assert lines(desk) <= 1.15 * written
