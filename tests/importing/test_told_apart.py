"""Objects that look alike: each is named for what it is, and none is taken for another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.force import by_force
from tests.importing.round_trip import Desk, round_trip
from tests.importing.worlds import Yard

Ask = Callable[..., Any]


class Clicks:
    """Somebody with the systems' own APIs."""

    def __init__(self, yard: Yard) -> None:
        self._yard = yard
        self.cluster = self("iad", "runai", "GET", "/api/v1/clusters")[0]["uuid"]
        self._roles = {row["name"]: row["id"] for row in self("iad", "runai", "GET", "/api/v1/authorization/roles")}

    def __call__(self, site: str, system: str, method: str, path: str, body: Any = None) -> Any:
        response = self._yard.by_hand(site, system, method, path, body)
        assert response.status < 400, (path, body, response.body)
        return response.body

    def project(self, name: str, **fields: Any) -> str:
        """A project, by its id."""
        share = [{"nodePool": {"id": "100000"}, "gpu": {"deserved": 1, "limit": -1, "overQuotaWeight": 2}}]
        body = {"name": name, "clusterId": self.cluster, "resources": share, **fields}
        made = self("iad", "runai", "POST", "/api/v1/org-unit/projects", body)
        for _ in range(3):  # it has its namespace once it has been looked at
            self("iad", "runai", "GET", "/api/v1/org-unit/projects")
        return str(made["id"])

    def rule(self, subject: str, type_: str, role: str, project: str) -> None:
        """An access rule in a project."""
        body = {
            "subjectId": subject,
            "subjectType": type_,
            "roleId": self._roles[role],
            "scopeType": "project",
            "scopeId": project,
        }
        self("iad", "runai", "POST", "/api/v1/authorization/access-rules", {**body, "clusterId": self.cluster})

    def kube(self, site: str, path: str, kind: str, name: str, **fields: Any) -> None:
        """An object of the cluster."""
        group = path.split("/")[2:-1] if path.startswith("/apis") else ["v1"]
        version = "/".join(group) if path.startswith("/apis") else "v1"
        self(
            site,
            "kubernetes",
            "POST",
            path,
            {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **fields},
        )


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path / "yard", ("iad", "pdx"))


def document(desk: Desk) -> dict[str, Any]:
    """All that was written, as one mapping."""
    whole: dict[str, Any] = {}
    for content in desk.written().values():
        for section, entries in yaml.safe_load(content).items():
            whole.setdefault(section, {}).update(entries)
    return whole


def test_rules_of_one_subject_in_two_projects_are_two(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    for name in ("nlp", "cv"):
        clicks.rule("ana@example.com", "user", "ML engineer", clicks.project(name))
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        round_trip(desk)
        projects = document(desk)["projects"]
    assert [projects[name]["access"] for name in ("nlp", "cv")] == [{"ML engineer": ["ana@example.com"]}] * 2


def test_a_claim_is_that_of_the_projects_namespace(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    project = clicks.project("nlp")
    clicks.kube("iad", "/apis/storage.k8s.io/v1/storageclasses", "StorageClass", "ebs", provisioner="ebs.csi.aws.com")
    for space in ("apps", "zoo"):
        clicks.kube("iad", "/api/v1/namespaces", "Namespace", space)
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "ebs", "resources": {"requests": {"storage": "1Gi"}}}
    for space in ("apps", "runai-nlp", "zoo"):
        clicks.kube(
            "iad", f"/api/v1/namespaces/{space}/persistentvolumeclaims", "PersistentVolumeClaim", "web", spec=spec
        )
    clicks.kube(
        "iad", "/api/v1/namespaces/zoo/persistentvolumeclaims", "PersistentVolumeClaim", "only-there", spec=spec
    )
    for name, claim in (("source", "web"), ("dangling", "only-there")):
        meta = {"name": name, "scope": "project", "projectId": int(project), "clusterId": clicks.cluster}
        body = {"meta": meta, "spec": {"claimName": claim, "existingPvc": True, "path": f"/{name}"}}
        clicks("iad", "runai", "POST", "/api/v1/asset/datasource/pvc", body)
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        told = round_trip(desk)
        found = document(desk)
    assert found["volumes"]["runai-nlp-web"]["names"] == {"data_source": "source"}
    assert "data_sources" not in found
    assert [one["name"] for one in told["left"] if one["kind"] == "data_source"] == ["dangling"]


def test_a_secret_of_another_site_is_not_meant(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    secret = "csi.storage.k8s.io/provisioner-secret"
    parameters = {"root_export": "/k8s", "view_policy": "default", "vip_pool_fqdn": "vip.example.com"}
    parameters |= {f"{secret}-name": "vast-mgmt", f"{secret}-namespace": "vast-csi"}
    for site in ("iad", "pdx"):
        path = "/apis/storage.k8s.io/v1/storageclasses"
        clicks.kube(site, path, "StorageClass", "fast", provisioner="csi.vastdata.com", parameters=parameters)
    clicks.kube("iad", "/api/v1/namespaces", "Namespace", "vast-csi")
    clicks.kube("iad", "/api/v1/namespaces/vast-csi/secrets", "Secret", "vast-mgmt")
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        told = round_trip(desk)
        class_ = document(desk)["storage_classes"]["fast"]
    assert class_["per_site"].keys() == {"iad"}
    assert {(one["site"], one["field"]) for one in told["left"] if one["kind"] == "storage_class"} <= {
        ("pdx", "secret"), ("pdx", "secrets"), ("iad", "secret"),
    }  # fmt: skip


def test_a_block_class_that_names_no_tenant_stands_in_none(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    tenant = clicks("iad", "vast", "POST", "/api/v5/tenants/", {"name": "nlp"})["id"]
    policy = clicks(
        "iad", "vast", "POST", "/api/v5/viewpolicies/", {"name": "nlp", "flavor": "NFS", "tenant_id": tenant}
    )["id"]
    body = {
        "path": "/block",
        "policy_id": policy,
        "protocols": ["BLOCK"],
        "name": "disks",
        "create_dir": True,
        "tenant_id": tenant,
    }
    clicks("iad", "vast", "POST", "/api/v5/views/", body)
    body = {"name": "nlp", "subnet_cidr": 24, "ip_ranges": [["10.1.1.1", "10.1.1.9"]], "tenant_id": tenant}
    clicks("iad", "vast", "POST", "/api/v5/vippools/", body)
    parameters = {"subsystem": "disks", "fsType": "ext4", "vip_pool_name": "nlp"}
    path = "/apis/storage.k8s.io/v1/storageclasses"
    clicks.kube("iad", path, "StorageClass", "disks", provisioner="block.csi.vastdata.com", parameters=parameters)
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        told = round_trip(desk)
        found = document(desk)
    assert "disks" in found["storage_classes"]
    assert [one for one in told["left"] if one["kind"] == "storage_class"] == []


def test_a_project_that_waits_for_its_namespace_is_adopted_as_it_is(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    project = clicks.project("nlp", requestedNamespace="not-yet")
    clicks.rule("ana@example.com", "user", "ML engineer", project)
    with yard.running():
        told = round_trip(Desk.of(yard, tmp_path / "lab"))
    assert told["adopts"] == 2


def test_what_mounts_a_claim_in_another_way_leaves_the_claim_a_volume(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    project = clicks.project("nlp")
    clicks.kube("iad", "/apis/storage.k8s.io/v1/storageclasses", "StorageClass", "ebs", provisioner="ebs.csi.aws.com")
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "ebs", "resources": {"requests": {"storage": "1Gi"}}}
    claims = "/api/v1/namespaces/runai-nlp/persistentvolumeclaims"
    clicks.kube("iad", claims, "PersistentVolumeClaim", "models", spec=spec)
    meta = {"name": "models", "scope": "project", "projectId": int(project), "clusterId": clicks.cluster}
    mounted = {"claimName": "models", "existingPvc": True, "path": "/models", "readOnly": True}
    clicks("iad", "runai", "POST", "/api/v1/asset/datasource/pvc", {"meta": meta, "spec": mounted})
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        round_trip(desk)  # a second import takes nothing that the first one left
        found = document(desk)
    assert found["data_sources"]["models"]["read_only"] is True
    assert "mount" not in found["volumes"]["models"]


def test_a_claim_that_runai_makes_is_its_data_sources(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    project = clicks.project("nlp")
    clicks.kube("iad", "/apis/storage.k8s.io/v1/storageclasses", "StorageClass", "ebs", provisioner="ebs.csi.aws.com")
    meta = {"name": "scratch", "scope": "project", "projectId": int(project), "clusterId": clicks.cluster}
    made = {
        "claimName": "space",
        "existingPvc": False,
        "path": "/s",
        "claimInfo": {"size": "1Gi", "storageClass": "ebs"},
    }
    clicks("iad", "runai", "POST", "/api/v1/asset/datasource/pvc", {"meta": meta, "spec": made})
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        told = round_trip(desk)
        found = document(desk)
    assert "volumes" not in found
    assert found["data_sources"]["scratch"]["claim_name"] == "space"
    assert [one["code"] for one in told["left"] if one["name"].rpartition("/")[2] in ("space", "scratch")] == ["MADE"]


def test_whom_a_share_is_open_to_is_said_of_each(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    made = clicks("iad", "vast", "POST", "/api/v5/viewpolicies/", {"name": "smb", "flavor": "SMB", "tenant_id": 1})
    grants: list[dict[str, Any]] = [
        {"grantee": "groups", "uid_or_gid": 1000, "perm": "FULL"},
        {"grantee": "users", "name": "ana", "perm": "READ"},
    ]
    view = {
        "path": "/home",
        "policy_id": made["id"],
        "tenant_id": 1,
        "protocols": ["SMB"],
        "share": "home",
        "create_dir": True,
    }
    clicks("iad", "vast", "POST", "/api/v5/views/", {**view, "share_acl": {"enabled": True, "acl": grants}})
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        round_trip(desk)
        acl = document(desk)["views"]["home"]["share_acl"]
    assert acl == {"enabled": True, "acl": [grants[0], {**grants[1], "fqdn": "All"}]}


@pytest.mark.parametrize(
    ("shown", "written"),
    by_force(
        [
            (
                {"nfs_read_write": [], "nfs_read_only": ["10.0.0.1"]},
                {"nfs_read_write": [], "nfs_read_only": ["10.0.0.1"], "nfs_no_squash": []},
            ),
            # To whom more could be added unseen, where one list is somebody's choice, is said; else it would say nothing.
            (
                {"nfs_read_write": ["10.0.0.1"]},
                {"nfs_read_write": ["10.0.0.1"], "nfs_read_only": [], "nfs_no_squash": []},
            ),
            ({"nfs_no_squash": ["10.0.0.1"]}, {"nfs_read_write": ["*"], "nfs_no_squash": ["10.0.0.1"]}),
            ({"read_write": ["10.0.0.1"]}, {"read_write": ["10.0.0.1"], "read_only": [], "trash_access": []}),
            ({}, {}),
        ],
        several=True,
    ),
)
def test_an_empty_list_of_hosts_is_said_where_it_says_who_may_come(
    shown: dict[str, Any], written: dict[str, Any], yard: Yard, tmp_path: Path
) -> None:
    clicks = Clicks(yard)
    clicks("iad", "vast", "POST", "/api/v5/viewpolicies/", {"name": "hosts", "flavor": "NFS", "tenant_id": 1, **shown})
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        desk.imports()
        said = document(desk)["view_policies"]["hosts"]
    squashed = {"nfs_root_squash": ["*"]} if any(name.startswith("nfs") for name in shown) else {}
    lists = {name: value for name, value in said.items() if isinstance(value, list) and name != "sites"}
    assert lists == written | squashed


def test_a_host_that_is_added_to_an_empty_list_shows_as_drift(yard: Yard, tmp_path: Path) -> None:
    clicks = Clicks(yard)
    body = {"name": "hosts", "flavor": "NFS", "tenant_id": 1, "nfs_read_write": ["10.0.0.1"]}
    made = clicks("iad", "vast", "POST", "/api/v5/viewpolicies/", body)
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        round_trip(desk)
        clicks("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{made['id']}/", {"nfs_read_only": ["*"]})
        drift = desk.types("drift", "--format", "json").json()
    assert [field["path"] for one in drift["drift"] for field in one["fields"]] == ["nfs_read_only"]
