"""What somebody made with other clients, in ways of their own: the document can say it, and taking it over changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.test_isolation_rule import send
from tests.lab import Lab
from vastplan.engine.live.consent import Consent
from vastplan.model.errors import Invalid
from vastplan.model.plan import Action, Verb

ADOPT = Consent(adopt=True)
PREFIX = "csi.storage.k8s.io/"


def secret(lab: Lab, *names: str) -> None:
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", {"metadata": {"name": "vast-csi"}})
    for name in names:
        body = {"metadata": {"name": name}, "stringData": {"endpoint": "vms.example.com", "token": "t"}}
        lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/vast-csi/secrets", body)


def pair(purpose: str, name: str) -> dict[str, str]:
    return {f"{PREFIX}{purpose}-secret-name": name, f"{PREFIX}{purpose}-secret-namespace": "vast-csi"}


def named(name: str) -> dict[str, str]:
    return {"existing": f"vast-csi/{name}"}


def actions(lab: Lab, kind: str = "") -> list[Action]:
    return [one for one in lab.plan(ADOPT).actions if not kind or one.address.kind == kind]


def test_a_class_whose_purposes_have_secrets_of_their_own(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as lab:
        secret(lab, "make", "mount")
        parameters = {"root_export": "/gold", "view_policy": "p", "vip_pool_fqdn": "nfs.example.com",
                      **pair("provisioner", "make"), **pair("node-publish", "mount")}  # fmt: skip
        body = {"metadata": {"name": "gold"}, "provisioner": "csi.vastdata.com", "parameters": parameters}
        lab.by_hand("iad", "kubernetes", "POST", "/apis/storage.k8s.io/v1/storageclasses", body)
        gold: dict[str, Any] = {
            "driver": "file", "storage_path": "/gold", "view_policy": {"existing": "p"}, "shared": True,
            "vip_pool_fqdn": "nfs.example.com",
        }  # fmt: skip
        lab.write({"storage_classes": {"gold": {**gold, "secret": named("make")}}})
        (replaced,) = actions(lab, "storage_class")
        assert [(one.path, one.replaces) for one in replaced.changes] == [("secret", True)]
        purposes = {"provisioner": named("make"), "controller_publish": None, "node_publish": named("mount"),
                    "controller_expand": None}  # fmt: skip
        lab.write({"storage_classes": {"gold": {**gold, "secrets": purposes}}})
        (taken,) = actions(lab, "storage_class")
        assert (taken.verb, taken.changes, taken.blocked) == (Verb.ADOPT, (), ())
        lab.clear_calls()
        lab.converge(ADOPT)
        assert not [call for call in lab.calls() if "storageclasses" in call.path]
        assert lab.plan(Consent()).actions == ()
        # a purpose that gets a log-in is seen, and is a replace like any other parameter
        lab.write({"storage_classes": {"gold": {**gold, "secrets": {**purposes, "controller_expand": named("make")}}}})
        (changed,) = actions(lab)
        assert (changed.verb, [one.path for one in changed.changes]) == (Verb.REPLACE, ["secrets.controller_expand"])


def test_a_secret_of_a_purpose_is_in_use(tmp_path: Path) -> None:
    """A live class names it for all purposes: it is counted once."""
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as lab:
        lab.write({"namespaces": {"vast-csi": {}}, "secrets": {"one": {"namespace": "vast-csi"}}})
        lab.converge()
        every = [pair(purpose, "one") for purpose in ("provisioner", "controller-publish", "node-publish")]
        parameters = {"root_export": "/gold", **{key: value for one in every for key, value in one.items()}}
        body = {"metadata": {"name": "gold"}, "provisioner": "csi.vastdata.com", "parameters": parameters}
        lab.by_hand("iad", "kubernetes", "POST", "/apis/storage.k8s.io/v1/storageclasses", body)
        lab.write({"namespaces": {"vast-csi": {}}})
        (gone,) = actions(lab)
        assert [(one.guard, one.message) for one in gone.blocked if one.guard == "in-use"] == [
            ("in-use", "1 object still refers to it: storage_class gold (not in the ledger)")
        ]


# A volume whose every object is called otherwise than by rule
TEAM: dict[str, Any] = {
    "tenants": {"t": {}}, "view_policies": {"t": {"tenant": "t", "flavor": "NFS"}},
    "vip_pools": {"t": {"tenant": "t", "subnet_cidr": 24, "ip_ranges": ["10.0.0.1 - 10.0.0.9"]}},
    "snapshot_schedules": {"daily": {"prefix": "daily", "frames": [{"every": "1d", "keep_local": "7d"}]}},
    "projects": {"p": {"tenant": "t"}},
}  # fmt: skip
GIB = 2**30
VOLUME: dict[str, Any] = {
    "project": "p", "name": "training-data", "path": "/t/data", "size": "1 TiB", "mount": "/data", "snapshots": "daily",
    "qos": {"static_limits": {"max_reads_iops": 500}},
    "secrets": {"controller_publish": named("make"), "node_publish": named("mount")},
    "names": {"persistent_volume": "data-2023", "data_source": "Training data", "quota": "home of t",
              "protected_path": "t-daily", "qos_policy": "t-slow"},
}  # fmt: skip


def by_hand(lab: Lab) -> None:
    """Views with vastpy, volumes with kubectl, a data source in the user interface."""
    ids = {kind: lab.live(f"iad/{kind}/{name}") for kind, name in
           (("tenant", "t"), ("view_policy", "t"), ("protection_policy", "daily"), ("project", "p"))}  # fmt: skip
    tenant, policy, schedule, project = (live.id for live in ids.values() if live is not None)

    def vast(path: str, body: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = lab.by_hand("iad", "vast", "POST", f"/api/v5/{path}/", body)
        return made

    slow = vast("qospolicies", {"name": "t-slow", "tenant_id": int(tenant), "policy_type": "VIEW", "mode": "STATIC",
                                "static_limits": {"max_reads_iops": 500}})  # fmt: skip
    vast("views", {"path": "/t/data", "tenant_id": int(tenant), "policy_id": int(policy), "protocols": ["NFS"],
                   "create_dir": True, "qos_policy_id": slow["id"]})  # fmt: skip
    vast("quotas", {"name": "home of t", "path": "/t/data", "tenant_id": int(tenant), "hard_limit": 1024 * GIB})
    vast("protectedpaths", {"name": "t-daily", "source_dir": "/t/data", "target_exported_dir": "/t/data",
                            "tenant_id": int(tenant), "protection_policy_id": schedule,
                            "capabilities": "ASYNC_REPLICATION"})  # fmt: skip
    source = {
        "driver": "csi.vastdata.com", "volumeHandle": "/t/data",
        "volumeAttributes": {"vip_pool_name": "t", "static_pv_create_views": "no", "static_pv_create_quotas": "no"},
        "controllerPublishSecretRef": {"name": "make", "namespace": "vast-csi"},
        "nodePublishSecretRef": {"name": "mount", "namespace": "vast-csi"},
    }  # fmt: skip
    room, size = {"accessModes": ["ReadWriteMany"]}, {"storage": "1Ti"}
    spec = {**room, "capacity": size, "csi": source, "persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem",
            "claimRef": {"namespace": "runai-p", "name": "training-data"}}  # fmt: skip
    assert send(lab, "POST", "/api/v1/persistentvolumes", {"metadata": {"name": "data-2023"}, "spec": spec}).ok
    claim = {**room, "storageClassName": "", "volumeName": "data-2023", "resources": {"requests": size}}
    body = {"metadata": {"name": "training-data"}, "spec": claim}
    assert send(lab, "POST", "/api/v1/namespaces/runai-p/persistentvolumeclaims", body).ok
    meta = {"name": "Training data", "scope": "project", "projectId": int(project)}
    shown = {"path": "/data", "existingPvc": True, "claimName": "training-data"}
    lab.by_hand("iad", "runai", "POST", "/api/v1/asset/datasource/pvc", {"meta": meta, "spec": shown})


@pytest.mark.slow
def test_a_volume_whose_objects_have_names_of_their_own(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        secret(lab, "make", "mount")
        lab.write(TEAM)
        lab.converge()
        by_hand(lab)
        # by rule some would be given another name, and some would be made anew
        plain = {key: value for key, value in VOLUME.items() if key != "names"}
        lab.write({**TEAM, "volumes": {"t-data": plain}})
        by_rule = {one.address.kind: (one.verb, [change.after for change in one.changes]) for one in actions(lab)}
        assert by_rule["quota"] == (Verb.ADOPT, ["t-data"])
        assert {kind for kind, (verb, _) in by_rule.items() if verb is Verb.CREATE} == {
            "qos_policy", "protected_path", "persistent_volume", "data_source",
        }  # fmt: skip
        lab.write({**TEAM, "volumes": {"t-data": VOLUME}})
        taken = {one.address.kind: (one.verb, one.changes, [block.message for block in one.blocked])
                 for one in actions(lab)}  # fmt: skip
        kinds = (
            "qos_policy",
            "view",
            "quota",
            "protected_path",
            "persistent_volume",
            "persistent_volume_claim",
            "data_source",
        )
        assert taken == dict.fromkeys(kinds, (Verb.ADOPT, (), []))
        lab.clear_calls()
        lab.converge(ADOPT)
        assert lab.calls() == []
        assert lab.plan(Consent()).actions == ()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"snapshots": None}, "names.protected_path is for volumes with snapshots"),
        ({"mount": None}, "names.data_source is for volumes with mount"),
        ({"qos": None}, "names.qos_policy is for volumes with qos"),
        ({"secret": named("make")}, r"give either secret \(for all purposes\) or secrets"),
        ({"names": {"claim": "x"}}, "claim"),
    ],
)
def test_a_name_of_what_a_volume_does_not_have_is_refused(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        volume = {key: value for key, value in {**VOLUME, **change}.items() if value is not None}
        lab.write({**TEAM, "volumes": {"t-data": volume}})
        with pytest.raises(Invalid, match=says):
            lab.workspace()


def test_a_provisioned_volume_has_only_its_data_source_to_name(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["kubernetes", "runai"]}) as lab:
        of_a_class = {"project": "p", "size": "1 TiB", "storage_class": {"existing": "gold"}, "mount": "/data"}
        lab.write({"projects": {"p": {}}, "volumes": {"data": {**of_a_class, "names": {"data_source": "Data"}}}})
        names = {one.address.kind: one.called for one in lab.workspace().composed().entries}
        assert (names["data_source"], names["persistent_volume_claim"]) == ("Data", "data")
        lab.write({"projects": {"p": {}}, "volumes": {"data": {**of_a_class, "names": {"persistent_volume": "pv"}}}})
        with pytest.raises(Invalid, match=r"names.persistent_volume is for volumes with path"):
            lab.workspace()
