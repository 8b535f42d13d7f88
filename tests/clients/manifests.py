"""One object of every Kubernetes kind, and one change of it, for the clients that speak in manifests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NAMESPACE = "team"
_CSI = {"driver": "csi.vastdata.com", "volumeHandle": "/v"}
# With the default that the server would fill in: a list is compared whole by `kubectl apply`.
_RULE = {
    "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["persistentvolumeclaims"],
    "scope": "*",
}  # fmt: skip
_META = {"labels": {"a": "b"}}


@dataclass(frozen=True)
class Manifest:
    """An object of a kind of vastplan's, and a merge patch that changes it."""

    kind: str
    resource: str  # as kubectl takes it
    body: dict[str, Any]
    change: dict[str, Any]
    namespaced: bool = False

    def __str__(self) -> str:
        return self.kind

    @property
    def name(self) -> str:
        """The object's name."""
        return str(self.body["metadata"]["name"])


def _of(version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "one"}, **fields}


MANIFESTS = [
    Manifest("namespace", "namespace", _of("v1", "Namespace"), {"metadata": _META}),
    Manifest("secret", "secret", _of("v1", "Secret", data={"k": "djE="}), {"data": {"k": "djI="}}, True),
    Manifest(
        "storage_class",
        "storageclass",
        _of("storage.k8s.io/v1", "StorageClass", provisioner="csi.vastdata.com", parameters={"view_policy": "p"}),
        {"mountOptions": ["vers=4.1"]},
    ),
    Manifest(
        "snapshot_class",
        "volumesnapshotclass",
        _of("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass", driver="csi.vastdata.com", deletionPolicy="Delete"),
        {"deletionPolicy": "Retain"},
    ),
    Manifest(
        "claim_snapshot",
        "volumesnapshot",
        _of("snapshot.storage.k8s.io/v1", "VolumeSnapshot", spec={"source": {"persistentVolumeClaimName": "nothing"}}),
        {"metadata": _META},
        True,
    ),
    Manifest(
        "bound_snapshot",
        "volumesnapshot",
        _of("snapshot.storage.k8s.io/v1", "VolumeSnapshot", spec={"source": {"volumeSnapshotContentName": "nothing"}}),
        {"metadata": _META},
        True,
    ),
    Manifest(
        "snapshot_content",
        "volumesnapshotcontent",
        _of(
            "snapshot.storage.k8s.io/v1",
            "VolumeSnapshotContent",
            spec={
                "deletionPolicy": "Retain",
                "driver": "csi.vastdata.com",
                "source": {"snapshotHandle": "7"},
                "volumeSnapshotRef": {"name": "one", "namespace": "default"},
            },
        ),
        {"metadata": _META},
    ),
    Manifest(
        "persistent_volume",
        "persistentvolume",
        _of(
            "v1",
            "PersistentVolume",
            spec={
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteMany"],
                "csi": _CSI,
                "storageClassName": "x",
            },
        ),
        {"spec": {"persistentVolumeReclaimPolicy": "Delete"}},
    ),
    Manifest(
        "persistent_volume_claim",
        "persistentvolumeclaim",
        _of(
            "v1",
            "PersistentVolumeClaim",
            spec={
                "accessModes": ["ReadWriteMany"],
                "resources": {"requests": {"storage": "1Gi"}},
                "storageClassName": "none",
            },
        ),
        {"metadata": _META},
        True,
    ),
    Manifest(
        "resource_quota",
        "resourcequota",
        _of("v1", "ResourceQuota", spec={"hard": {"requests.storage": "1Gi"}}),
        {"spec": {"hard": {"requests.storage": "2Gi"}}},
        True,
    ),
    Manifest(
        "admission_policy",
        "validatingadmissionpolicy",
        _of(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
            spec={"matchConstraints": {"resourceRules": [_RULE]}, "validations": [{"expression": "true"}]},
        ),
        {"spec": {"failurePolicy": "Ignore"}},
    ),
    Manifest(
        "admission_binding",
        "validatingadmissionpolicybinding",
        _of(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicyBinding",
            spec={"policyName": "one", "validationActions": ["Deny"]},
        ),
        {"spec": {"validationActions": ["Audit"]}},
    ),
]


def merged(body: Any, change: Any) -> Any:
    """A body with a merge patch over it."""
    if isinstance(body, dict) and isinstance(change, dict):
        return {**body, **{name: merged(body.get(name), value) for name, value in change.items()}}
    return change


def holds(found: Any, wanted: Any) -> bool:
    """Whether all that is wanted is found."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(name in found and holds(found[name], wanted[name]) for name in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(holds, found, wanted))
    return bool(found == wanted)
