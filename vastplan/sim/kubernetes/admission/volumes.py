"""DefaultStorageClass, StorageObjectInUseProtection and PersistentVolumeClaimResize."""

from __future__ import annotations

from vastplan.sim.kubernetes import quantity
from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import CLAIMS, CLASSES, VOLUMES
from vastplan.sim.kubernetes.rules.volumes import claim_size

PROTECTION = {CLAIMS: "kubernetes.io/pvc-protection", VOLUMES: "kubernetes.io/pv-protection"}
_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")

_FIXED_SIZE = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)


def is_default(body: Object) -> bool:
    """Whether a StorageClass is marked as a default."""
    annotations = body["metadata"].get("annotations", {})
    return any(annotations.get(name) == "true" for name in _DEFAULT)


def default_class(cluster: KubernetesCluster) -> str | None:
    """The name of the default StorageClass: the newest, among equally new ones the first by name."""
    marked = [body["metadata"] for body in cluster.objects(CLASSES) if is_default(body)]
    marked.sort(key=lambda metadata: metadata["name"])
    marked.sort(key=lambda metadata: metadata["creationTimestamp"], reverse=True)
    return marked[0]["name"] if marked else None


def mutate(attempt: AdmissionRequest, body: Object) -> Object:
    """Add the default class and the protection finalizer to a new claim or volume."""
    if attempt.operation != "CREATE" or attempt.resource not in PROTECTION:
        return body
    finalizer = PROTECTION[attempt.resource]
    finalizers = body["metadata"].get("finalizers", [])
    if finalizer not in finalizers:
        body = {**body, "metadata": {**body["metadata"], "finalizers": [*finalizers, finalizer]}}
    if attempt.resource is CLAIMS and "storageClassName" not in body["spec"]:
        name = default_class(attempt.cluster)
        if name is not None:
            body = {**body, "spec": {**body["spec"], "storageClassName": name}}
    return body


def validate(attempt: AdmissionRequest) -> None:
    """Refuse growth that the claim's phase or its class does not allow."""
    if attempt.resource is not CLAIMS or attempt.operation != "UPDATE" or attempt.subresource:
        return
    assert attempt.new is not None and attempt.old is not None
    if quantity.parse_quantity(claim_size(attempt.new)) <= quantity.parse_quantity(claim_size(attempt.old)):
        return
    if attempt.old["status"].get("phase") != "Bound":
        raise CLAIMS.forbidden(attempt.name, "Only bound persistent volume claims can be expanded")
    name = attempt.new["spec"].get("storageClassName", "")
    storage_class = attempt.cluster.get(CLASSES, "", name) if name else None
    if storage_class is None or not storage_class.get("allowVolumeExpansion"):
        raise CLAIMS.forbidden(attempt.name, _FIXED_SIZE)
