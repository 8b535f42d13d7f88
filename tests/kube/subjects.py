"""What the random sequences are about: a good object of each resource, and what can be changed or got wrong in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Subject:
    """One resource; `variations` are dotted paths with values, good and bad."""

    path: str
    version: str
    kind: str
    body: dict[str, Any]
    variations: tuple[tuple[str, Any], ...]


_ADMISSION = "admissionregistration.k8s.io/v1"
_RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
_SOURCE = {"driver": "csi.vastdata.com", "volumeHandle": "/a"}

SUBJECTS: dict[str, Subject] = {
    "namespaces": Subject(
        "/api/v1/namespaces", "v1", "Namespace", {},
        (
            ("metadata.labels.cost-centre", "42"), ("metadata.annotations.owner", "b"), ("spec.finalizers", []),
            ("spec.finalizers", ["example.com/a"]), ("spec", {"x": 1}), ("status.phase", "Terminating"), ("spec", None),
            ("metadata.name", "a.b"), ("metadata.name", "kube-system"), ("metadata.labels", {"kubernetes.io/metadata.name": "x"}),
        ),
    ),
    "secrets": Subject(
        "/api/v1/namespaces/team/secrets", "v1", "Secret", {"data": {"a": "YQ=="}, "type": "Opaque"},
        (
            ("data.a", "Yg=="), ("data.a", "not base64"), ("data.a", None), ("data", None), ("stringData", {"b": "plain"}),
            ("type", "example.com/vast"), ("type", ""), ("type", "kubernetes.io/tls"), ("type", "kubernetes.io/basic-auth"),
            ("immutable", True), ("immutable", False), ("immutable", None), ("immutable", "x"), ("data.a/b", "YQ=="), ("data", []),
            ("data.a", ""), ("data.c", 1), ("type", "kubernetes.io/service-account-token"),
            ("type", "kubernetes.io/dockerconfigjson"),
        ),
    ),
    "storageclasses": Subject(
        "/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1", "StorageClass",
        {"provisioner": "csi.vastdata.com", "parameters": {"root_export": "/k8s"}},
        (
            ("parameters.root_export", "/other"), ("parameters", None), ("parameters.n", 1), ("parameters", {}),
            ("provisioner", "other.example.com"), ("provisioner", None), ("provisioner", "Not/A/Name"), ("provisioner", ""),
            ("reclaimPolicy", "Retain"), ("reclaimPolicy", "Keep"), ("reclaimPolicy", None), ("reclaimPolicy", "Recycle"),
            ("volumeBindingMode", "WaitForFirstConsumer"), ("volumeBindingMode", "Never"), ("allowVolumeExpansion", True),
            ("allowVolumeExpansion", False), ("allowVolumeExpansion", "yes"), ("mountOptions", ["vers=3"]), ("mountOptions", []),
            ("mountOptions", None), ("mountOptions", "vers=3"), ("mountOptions", [1]), ("parameters", {"": "x"}),
            ("allowedTopologies", [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}]),
            ("allowedTopologies", [{"matchLabelExpressions": [{"key": "zone", "values": []}]}]),
            ("metadata.annotations", {"storageclass.kubernetes.io/is-default-class": "true"}),
        ),
    ),
    "volumesnapshotclasses": Subject(
        "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses", "snapshot.storage.k8s.io/v1", "VolumeSnapshotClass",
        {"driver": "csi.vastdata.com", "deletionPolicy": "Delete"},
        (
            ("driver", "block.csi.vastdata.com"), ("driver", None), ("driver", 1), ("deletionPolicy", "Retain"),
            ("deletionPolicy", "Keep"), ("deletionPolicy", None), ("parameters", {"a": "b"}), ("parameters", {"a": 1}),
            ("parameters", None), ("parameters.a", "c"), ("parameters.a", None), ("spec", {}), ("driver", ""),
        ),
    ),
    "persistentvolumes": Subject(
        "/api/v1/persistentvolumes", "v1", "PersistentVolume",
        {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "csi": _SOURCE}},
        (
            ("spec.capacity.storage", "2Gi"), ("spec.capacity.storage", "1024Mi"), ("spec.capacity.storage", "0"),
            ("spec.capacity.storage", "-1"), ("spec.capacity.storage", "much"), ("spec.capacity", None), ("spec.capacity.cpu", "1"),
            ("spec.accessModes", ["ReadOnlyMany", "ReadWriteMany"]), ("spec.accessModes", []), ("spec.accessModes", ["All"]),
            ("spec.accessModes", ["ReadWriteOncePod", "ReadWriteMany"]), ("spec.csi.volumeHandle", "/b"),
            ("spec.csi.volumeHandle", None), ("spec.csi.driver", None), ("spec.csi.driver", "x_y"), ("spec.csi.readOnly", True),
            ("spec.csi.readOnly", False), ("spec.csi.fsType", "xfs"), ("spec.csi", None), ("spec.nfs", {"server": "a", "path": "/"}),
            ("spec.csi.volumeAttributes", {"a": "b"}), ("spec.csi.nodeStageSecretRef", {"name": "a", "namespace": "b"}),
            ("spec.csi.nodeStageSecretRef", {"name": "a"}), ("spec.csi.controllerExpandSecretRef", {"name": "a", "namespace": "b"}),
            ("spec.persistentVolumeReclaimPolicy", "Delete"), ("spec.persistentVolumeReclaimPolicy", "Keep"),
            ("spec.persistentVolumeReclaimPolicy", "Recycle"), ("spec.storageClassName", "fast"), ("spec.storageClassName", "Fast"),
            ("spec.storageClassName", None), ("spec.volumeMode", "Block"), ("spec.volumeMode", "Raw"), ("spec.mountOptions", ["vers=3"]),
            ("spec.claimRef", {"namespace": "team", "name": "data"}), ("spec.claimRef", None),
            ("spec.claimRef", {"namespace": "team", "name": "data", "kind": "PersistentVolumeClaim", "apiVersion": "v1"}),
        ),
    ),
    "persistentvolumeclaims": Subject(
        "/api/v1/namespaces/team/persistentvolumeclaims", "v1", "PersistentVolumeClaim",
        {"spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "fast"}},
        (
            ("spec.resources.requests.storage", "2Gi"), ("spec.resources.requests.storage", "1024Mi"),
            ("spec.resources.requests.storage", "0"), ("spec.resources.requests.storage", "lots"),
            ("spec.resources.requests.storage", 1), ("spec.resources.requests.storage", None), ("spec.resources", None),
            ("spec.resources.limits", {"storage": "5Gi"}), ("spec.accessModes", ["ReadOnlyMany"]), ("spec.accessModes", []),
            ("spec.accessModes", ["All"]), ("spec.accessModes", "ReadWriteMany"), ("spec.volumeMode", "Block"),
            ("spec.volumeMode", "Raw"), ("spec.volumeName", "pv"), ("spec.storageClassName", ""), ("spec.storageClassName", "slow"),
            ("spec.storageClassName", None), ("spec.storageClassName", "No_Class"), ("spec.selector", {"matchLabels": {"a": "b"}}),
            ("spec.dataSource", {"kind": "PersistentVolumeClaim", "name": "x"}), ("spec.dataSource", {"kind": "Pod"}),
            ("spec.dataSource", {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "x"}),
            ("metadata.annotations", {"volume.beta.kubernetes.io/storage-class": "slow"}), ("status", {"phase": "Bound"}),
        ),
    ),
    "resourcequotas": Subject(
        "/api/v1/namespaces/team/resourcequotas", "v1", "ResourceQuota", {"spec": {"hard": {"requests.storage": "1Ti"}}},
        (
            ("spec.hard", {"gold.storageclass.storage.k8s.io/requests.storage": "0"}), ("spec.hard", {"pods": "1k"}),
            ("spec.hard", {"pods": "1.5"}), ("spec.hard", {"pods": "-1"}), ("spec.hard", {"nothing": "1"}),
            ("spec.hard", {"requests.cpu": "1500m"}), ("spec.hard", {"requests.cpu": "1.5"}), ("spec.hard", {"pods": "many"}),
            ("spec.hard", {"persistentvolumeclaims": "3", "count/secrets": "5"}), ("spec.hard", {"pods": 3}), ("spec.hard", {}),
            ("spec.hard", {"gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1.5"}), ("spec", {}), ("spec.hard", None),
            ("spec.scopes", ["BestEffort"]), ("spec.scopes", ["x"]), ("spec.hard", {"a/b/c": "1"}), ("status", {"hard": {"pods": "1"}}),
        ),
    ),
    "validatingadmissionpolicies": Subject(
        f"/apis/{_ADMISSION}/validatingadmissionpolicies", _ADMISSION, "ValidatingAdmissionPolicy",
        {"spec": {"matchConstraints": {"resourceRules": [_RULE]}, "validations": [{"expression": "true"}]}},
        (
            ("spec.validations", [{"expression": "object.spec.x == 'y'", "message": "no"}]), ("spec.validations", []),
            ("spec.validations", [{"expression": "1"}]), ("spec.validations", [{"expression": "object."}]),
            ("spec.validations", [{"expression": ""}]), ("spec.validations", [{"expression": "nothing == 1"}]),
            ("spec.validations", [{"expression": "true", "reason": "Because"}]), ("spec.validations", [{"message": "no"}]),
            ("spec.validations", [{"expression": "true", "reason": "Forbidden", "messageExpression": "'a' + 'b'"}]),
            ("spec.validations", [{"expression": "true", "messageExpression": "1"}]), ("spec.failurePolicy", "Ignore"),
            ("spec.failurePolicy", "Never"), ("spec.variables", [{"name": "open", "expression": "true"}]),
            ("spec.variables", [{"name": "1x", "expression": "true"}]), ("spec.variables", [{"name": "x", "expression": "y"}]),
            ("spec.matchConditions", [{"name": "a", "expression": "request.namespace == 'x'"}]),
            ("spec.matchConditions", [{"name": "a", "expression": "true"}, {"name": "a", "expression": "true"}]),
            ("spec.matchConditions", [{"name": "", "expression": "true"}]), ("spec.matchConstraints", None),
            ("spec.matchConstraints.resourceRules", [{**_RULE, "operations": ["READ"]}]), ("spec.paramKind", None),
            ("spec.matchConstraints.resourceRules", [{**_RULE, "resources": []}]), ("spec.matchConstraints.resourceRules", []),
            ("spec.matchConstraints.resourceRules", [{**_RULE, "apiGroups": ["*", "a"]}]),
            ("spec.matchConstraints.resourceRules", [{**_RULE, "scope": "Everywhere"}]),
            ("spec.matchConstraints.namespaceSelector", {"matchLabels": {"a": "b"}}), ("spec.matchConstraints.matchPolicy", "Exact"),
            ("spec.matchConstraints.matchPolicy", "Nearly"), ("spec", None), ("spec.auditAnnotations", None),
        ),
    ),
    "validatingadmissionpolicybindings": Subject(
        f"/apis/{_ADMISSION}/validatingadmissionpolicybindings", _ADMISSION, "ValidatingAdmissionPolicyBinding",
        {"spec": {"policyName": "nothing", "validationActions": ["Deny"]}},
        (
            ("spec.policyName", "other"), ("spec.policyName", None), ("spec.policyName", "Not_A_Name"), ("spec.policyName", ""),
            ("spec.validationActions", ["Audit", "Deny"]), ("spec.validationActions", ["Deny", "Warn"]),
            ("spec.validationActions", []), ("spec.validationActions", ["Deny", "Deny"]), ("spec.validationActions", ["Log"]),
            ("spec.validationActions", None), ("spec.matchResources", {"namespaceSelector": {"matchLabels": {"a": "b"}}}),
            ("spec.matchResources", None), ("spec.matchResources", {}), ("spec", {}), ("spec", None),
            ("spec.matchResources", {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}),
            ("spec.matchResources", {"resourceRules": [_RULE]}),
        ),
    ),
    "leases": Subject(
        "/apis/coordination.k8s.io/v1/namespaces/team/leases", "coordination.k8s.io/v1", "Lease",
        {"spec": {"holderIdentity": "me", "leaseDurationSeconds": 15}},
        (
            ("spec.holderIdentity", "you"), ("spec.holderIdentity", ""), ("spec.holderIdentity", None), ("spec.holderIdentity", 1),
            ("spec.leaseDurationSeconds", 30), ("spec.leaseDurationSeconds", 0), ("spec.leaseDurationSeconds", "30"),
            ("spec.leaseTransitions", 1), ("spec.leaseTransitions", -1), ("spec.acquireTime", "2026-01-01T00:00:00.000000Z"),
            ("spec.acquireTime", "2026-01-01T00:00:00Z"), ("spec.renewTime", "yesterday"), ("spec", None), ("spec", {}),
            ("spec.renewTime", "2026-01-01T00:00:00.123456Z"), ("spec.preferredHolder", "x"), ("spec.strategy", "x"),
        ),
    ),
}  # fmt: skip
