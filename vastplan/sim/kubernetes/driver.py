"""VAST's CSI provisioner and driver: from a StorageClass and a claim to a volume and its PersistentVolume."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from math import ceil

from vastplan.sim.kubernetes import content_source, quantity
from vastplan.sim.kubernetes.cluster import CONTROLLER, KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import SECRETS, VOLUMES
from vastplan.sim.kubernetes.rules.volumes import claim_size
from vastplan.sim.kubernetes.storage import Storage, VolumeWanted

FILE, BLOCK = "csi.vastdata.com", "block.csi.vastdata.com"
DRIVERS = (FILE, BLOCK)
_PREFIX = "csi.storage.k8s.io/"
_REFERENCES = {
    "controller-publish-secret": "controllerPublishSecretRef",
    "node-stage-secret": "nodeStageSecretRef",
    "node-publish-secret": "nodePublishSecretRef",
    "controller-expand-secret": "controllerExpandSecretRef",
    "node-expand-secret": "nodeExpandSecretRef",
}
_DELETION = "volume.kubernetes.io/provisioner-deletion-secret-"
_NAME_FORMAT = "csi:{namespace}:{name}:{id}"
_MAX_NAME = 64


def requested_bytes(claim: Object) -> int:
    """The bytes that a claim requests."""
    return ceil(quantity.parse_quantity(claim_size(claim)))


def _secret(parameters: dict[str, str], purpose: str, claim: Object, volume: str) -> dict[str, str] | None:
    """Name and namespace of a secret that the class refers to, with its templates filled in."""
    name, namespace = (parameters.get(f"{_PREFIX}{purpose}-{part}") for part in ("name", "namespace"))
    if not name or not namespace:
        return None
    values = {"pv.name": volume, "pvc.namespace": claim["metadata"]["namespace"], "pvc.name": claim["metadata"]["name"]}
    reference = {"name": name, "namespace": namespace}
    for template, value in values.items():
        reference = {part: text.replace(f"${{{template}}}", value) for part, text in reference.items()}
    return reference


def provision_volume(cluster: KubernetesCluster, claim: Object, storage_class: Object) -> Object:
    """Create the volume and the PersistentVolume of a claim; raises `ValueError` in the provisioner's words."""
    try:
        return _provisioned(cluster, claim, storage_class)
    except ValueError as error:
        name = storage_class["metadata"]["name"]
        raise ValueError(f'failed to provision volume with StorageClass "{name}": {error}') from None


def _provisioned(cluster: KubernetesCluster, claim: Object, storage_class: Object) -> Object:
    metadata, spec, driver = claim["metadata"], claim["spec"], storage_class["provisioner"]
    volume = f"pvc-{metadata['uid']}"
    parameters: dict[str, str] = storage_class.get("parameters", {})
    if driver == FILE and spec["volumeMode"] == "Block":
        raise ValueError("rpc error: code = InvalidArgument desc = block volumes are not supported by this driver")
    provisioner = _secret(parameters, "provisioner-secret", claim, volume)
    if provisioner:
        check_secret(cluster, provisioner["namespace"], provisioner["name"])
    own = {key: value for key, value in parameters.items() if not key.startswith(_PREFIX)}
    wanted = VolumeWanted(
        volume, volume_name(own, claim, volume), requested_bytes(claim), own, tuple(storage_class.get("mountOptions", ())),
        read_only=set(spec["accessModes"]) == {"ReadOnlyMany"}, **content_source.source_handle(cluster, claim, driver),
    )  # fmt: skip
    attributes = create_volume(cluster, driver, wanted, provisioner)
    attributes["storage.kubernetes.io/csiProvisionerIdentity"] = f"{int(cluster.clock() * 1000)}-1-{driver}"
    handle = f"{volume}@{own['cluster_name']}" if own.get("cluster_name") else volume
    source: Object = {"driver": driver, "volumeHandle": handle, "volumeAttributes": attributes}
    for purpose, field in _REFERENCES.items():
        reference = _secret(parameters, purpose, claim, volume)
        source |= {field: reference} if reference else {}
    if own.get("fsType"):
        source["fsType"] = own["fsType"]
    annotations = {"pv.kubernetes.io/provisioned-by": driver}
    annotations |= {f"{_DELETION}{part}": (provisioner or {}).get(part, "") for part in ("name", "namespace")}
    body = {
        "accessModes": spec["accessModes"], "capacity": {"storage": claim_size(claim)}, "csi": source,
        "claimRef": reference_to(claim), "persistentVolumeReclaimPolicy": storage_class["reclaimPolicy"],
        "storageClassName": storage_class["metadata"]["name"], "volumeMode": spec["volumeMode"],
    }  # fmt: skip
    if storage_class.get("mountOptions"):
        body["mountOptions"] = storage_class["mountOptions"]
    head = {"name": volume, "annotations": annotations, "finalizers": ["kubernetes.io/pv-protection"]}
    return cluster.make(VOLUMES, {"metadata": head, "spec": body, "status": {"phase": "Bound"}})


def create_volume(
    cluster: KubernetesCluster, driver: str, wanted: VolumeWanted, secret: Mapping[str, str] | None
) -> dict[str, str]:
    """Create a volume with the credentials of a Secret. Returns its volumeAttributes, without a storage system those of the class."""
    storage = logged_in(cluster, secret)
    if storage is None:
        return {**wanted.parameters, "volume_name": wanted.name}
    _check(driver, wanted.parameters)
    return storage.create_volume(wanted)


def logged_in(cluster: KubernetesCluster, reference: Mapping[str, str] | None) -> Storage | None:
    """The storage system, logged in with the referenced Secret; without one, as the driver itself."""
    if cluster.storage is None or not reference:
        return cluster.storage
    secret = cluster.get(SECRETS, reference["namespace"], reference["name"])
    data = {} if secret is None else secret.get("data") or {}
    return cluster.storage.with_secret({key: base64.b64decode(value).decode() for key, value in data.items()})


def check_secret(cluster: KubernetesCluster, namespace: str, name: str) -> None:
    """Raise `ValueError` if a secret that a side-car needs does not exist."""
    if cluster.get(SECRETS, namespace, name) is None:
        raise ValueError(f'error getting secret {name} in namespace {namespace}: secrets "{name}" not found')


def _check(provisioner: str, parameters: Mapping[str, str]) -> None:
    for needed in ("subsystem",) if provisioner == BLOCK else ("root_export", "view_policy"):
        if not parameters.get(needed):
            raise ValueError(f"rpc error: code = InvalidArgument desc = parameter {needed} is required")
    pools = [key for key in ("vip_pool_name", "vip_pool_fqdn") if parameters.get(key)]
    if len(pools) != 1:
        raise ValueError(
            "rpc error: code = InvalidArgument desc = exactly one of vip_pool_name and vip_pool_fqdn is required"
        )


def volume_name(parameters: dict[str, str], claim: Object, volume: str) -> str:
    """The name of the volume's quota on the storage system, by the class's `volume_name_fmt`."""
    metadata = claim["metadata"]
    text = parameters.get("volume_name_fmt", _NAME_FORMAT)
    for field, value in {"namespace": metadata["namespace"], "name": metadata["name"], "id": volume}.items():
        text = text.replace(f"{{{field}}}", value)
    return text[:_MAX_NAME]


def reference_to(claim: Object) -> Object:
    """A volume's `claimRef` to a claim."""
    metadata = claim["metadata"]
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": metadata["name"],
            "namespace": metadata["namespace"], "uid": metadata["uid"]}  # fmt: skip


def volume_id(volume: Object) -> str:
    """A volume's name on the storage system."""
    return str(volume["spec"]["csi"]["volumeHandle"]).partition("@")[0]  # without the cluster's name


def drives(volume: Object) -> bool:
    """Whether the volume belongs to one of VAST's drivers."""
    return volume["spec"].get("csi", {}).get("driver") in DRIVERS


def expand_volume(cluster: KubernetesCluster, volume: Object, claim: Object) -> None:
    """Grow a volume to the size its claim requests; raises `ValueError`."""
    storage = logged_in(cluster, volume["spec"].get("csi", {}).get("controllerExpandSecretRef"))
    if storage is not None and drives(volume):
        try:
            storage.expand_volume(volume_id(volume), requested_bytes(claim), block=component(volume) == BLOCK)
        except ValueError as error:
            name = volume["metadata"]["name"]
            raise ValueError(f'resize volume "{name}" by resizer "{component(volume)}" failed: {error}') from None


def delete_volume(cluster: KubernetesCluster, volume: Object) -> None:
    """Delete the data of a volume; raises `ValueError` if its deletion secret does not exist or the storage system refuses."""
    annotations = volume["metadata"].get("annotations", {})
    name, namespace = annotations.get(f"{_DELETION}name"), annotations.get(f"{_DELETION}namespace")
    reference = {"name": name, "namespace": namespace} if name and namespace else None
    if reference:
        check_secret(cluster, namespace, name)
    storage = logged_in(cluster, reference)
    if storage is not None and drives(volume):
        storage.delete_volume(volume_id(volume), block=component(volume) == BLOCK)


def component(volume: Object) -> str:
    """The component that reports Events about a volume: its driver, or the controller manager."""
    return str(volume["spec"].get("csi", {}).get("driver", CONTROLLER))
