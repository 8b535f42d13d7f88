"""The volume controllers: binding, provisioning, growth and release of claims, and the life cycle of volumes."""

from __future__ import annotations

from vastplan.sim.kubernetes import driver, quantity, settle
from vastplan.sim.kubernetes.admission import quota
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import CLAIMS, CLASSES, PODS, VOLUMES, Resource
from vastplan.sim.kubernetes.rules.volumes import claim_size

_CLAIM_PROTECTION = "kubernetes.io/pvc-protection"
_VOLUME_PROTECTION = "kubernetes.io/pv-protection"


def claim_pods(cluster: KubernetesCluster, claim: Object) -> list[str]:
    """The names of the pods that use a claim; finished pods do not count."""
    name, namespace = claim["metadata"]["name"], claim["metadata"]["namespace"]
    return [
        pod["metadata"]["name"]
        for pod in cluster.objects(PODS, namespace)
        if pod["status"].get("phase") not in ("Succeeded", "Failed")
        and any(
            item.get("persistentVolumeClaim", {}).get("claimName") == name for item in pod["spec"].get("volumes", [])
        )
    ]


def claim_step(cluster: KubernetesCluster, resource: Resource, claim: Object) -> bool:
    """One controller step for a claim: delete, bind or grow it. Returns whether nothing is left to do."""
    if claim["metadata"].get("deletionTimestamp"):
        return not claim_pods(cluster, claim) and release_claim(cluster, claim)
    try:
        if claim["status"].get("phase") != "Bound":
            return _bind(cluster, claim)
        return _grow(cluster, claim)
    except ValueError as error:
        growing = claim["status"].get("phase") == "Bound"
        cluster.warn(CLAIMS, claim, "VolumeResizeFailed" if growing else "ProvisioningFailed", str(error))
        return False


def _bind(cluster: KubernetesCluster, claim: Object) -> bool:
    spec = claim["spec"]
    volume = _static(cluster, claim)
    if volume is None and not spec.get("volumeName"):
        storage_class = (
            cluster.get(CLASSES, "", spec.get("storageClassName", "")) if spec.get("storageClassName") else None
        )
        if storage_class is None or storage_class["provisioner"] not in driver.DRIVERS:
            return False
        if storage_class["volumeBindingMode"] == "WaitForFirstConsumer" and not claim_pods(cluster, claim):
            return False
        volume = driver.provision_volume(cluster, claim, storage_class)
    if volume is None:
        return False
    bound = {**volume, "spec": {**volume["spec"], "claimRef": driver.reference_to(claim)}}
    volume = cluster.controller_write(VOLUMES, volume, {**bound, "status": {**volume["status"], "phase": "Bound"}}, "")
    annotations = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
    provisioner = volume["metadata"].get("annotations", {}).get("pv.kubernetes.io/provisioned-by")
    if provisioner:
        annotations |= {f"volume.{part}kubernetes.io/storage-provisioner": provisioner for part in ("", "beta.")}
    metadata = {**claim["metadata"], "annotations": {**claim["metadata"].get("annotations", {}), **annotations}}
    new = {**claim, "metadata": metadata, "spec": {**spec, "volumeName": volume["metadata"]["name"]}}
    new = cluster.controller_write(CLAIMS, claim, new, "")
    capacity, modes = volume["spec"]["capacity"], volume["spec"]["accessModes"]
    cluster.controller_write(
        CLAIMS, new, {**new, "status": {"phase": "Bound", "accessModes": modes, "capacity": capacity}}
    )
    return True


def _static(cluster: KubernetesCluster, claim: Object) -> Object | None:
    """The existing volume that fits: the one the claim names, else the one reserved for it, else the smallest free one."""
    fits = [volume for volume in cluster.objects(VOLUMES) if _fits(volume, claim)]
    named = claim["spec"].get("volumeName")
    if named:
        fits = [volume for volume in fits if volume["metadata"]["name"] == named]
    fits.sort(key=lambda volume: quantity.parse_quantity(volume["spec"]["capacity"]["storage"]))
    fits.sort(key=lambda volume: "claimRef" not in volume["spec"])
    return fits[0] if fits else None


def _fits(volume: Object, claim: Object) -> bool:
    spec, wanted = volume["spec"], claim["spec"]
    reference = spec.get("claimRef")
    if volume["metadata"].get("deletionTimestamp"):
        return False
    if reference is not None:
        claimed_by = (reference.get("namespace"), reference.get("name"))
        if claimed_by != (claim["metadata"]["namespace"], claim["metadata"]["name"]):
            return False
        if reference.get("uid", claim["metadata"]["uid"]) != claim["metadata"]["uid"]:
            return False  # reserved for an earlier claim of this name: the volume is released, not free
    labels = volume["metadata"].get("labels", {})
    selector = wanted.get("selector", {}).get("matchLabels", {})
    return (
        spec.get("storageClassName", "") == wanted.get("storageClassName", "")
        and quantity.parse_quantity(spec["capacity"]["storage"]) >= quantity.parse_quantity(claim_size(claim))
        and set(wanted["accessModes"]) <= set(spec["accessModes"])
        and spec["volumeMode"] == wanted["volumeMode"]
        and all(labels.get(key) == value for key, value in selector.items())
    )


def _grow(cluster: KubernetesCluster, claim: Object) -> bool:
    wanted = claim_size(claim)
    volume = cluster.get(VOLUMES, "", claim["spec"].get("volumeName", ""))
    capacity = claim["status"].get("capacity", {}).get("storage", "0")
    if volume is None or quantity.parse_quantity(wanted) <= quantity.parse_quantity(capacity):
        return True
    driver.expand_volume(cluster, volume, claim)
    cluster.controller_write(
        VOLUMES, volume, {**volume, "spec": {**volume["spec"], "capacity": {"storage": wanted}}}, ""
    )
    cluster.controller_write(CLAIMS, claim, {**claim, "status": {**claim["status"], "capacity": {"storage": wanted}}})
    return True


def _unprotected(cluster: KubernetesCluster, resource: Resource, body: Object, finalizer: str) -> bool:
    """Remove a protection finalizer; whether that removed the object."""
    finalizers = [name for name in body["metadata"].get("finalizers", []) if name != finalizer]
    if finalizers:
        metadata = {**body["metadata"], "finalizers": finalizers}
        cluster.controller_write(resource, body, {**body, "metadata": metadata}, "")
        return False
    cluster.drop(resource, body)
    return True


def release_claim(cluster: KubernetesCluster, claim: Object) -> bool:
    """Remove a claim's protection and, when the claim is gone, treat its volume by its reclaim policy."""
    if not _unprotected(cluster, CLAIMS, claim, _CLAIM_PROTECTION):
        return True
    release_volume(cluster, claim)
    return True


def release_volume(cluster: KubernetesCluster, claim: Object) -> None:
    """What follows when a claim is gone: its volume is released."""
    quota.refresh_quotas(cluster, claim["metadata"]["namespace"])
    volume = cluster.get(VOLUMES, "", claim["spec"].get("volumeName", ""))
    if volume is None or volume["spec"].get("claimRef", {}).get("uid") != claim["metadata"]["uid"]:
        return
    volume = cluster.controller_write(VOLUMES, volume, {**volume, "status": {"phase": "Released"}})
    if not volume_step(cluster, VOLUMES, volume):
        settle.queue_step(cluster, VOLUMES, volume, volume_step)


def _reclaimed(cluster: KubernetesCluster, volume: Object) -> bool:
    """Delete the data of a released volume and then the volume; if that fails it stays Released, and an Event says why."""
    try:
        driver.delete_volume(cluster, volume)
    except ValueError as error:
        cluster.warn(VOLUMES, volume, "VolumeFailedDelete", str(error), driver.component(volume))
        return False
    _unprotected(cluster, VOLUMES, volume, _VOLUME_PROTECTION)
    return True


def volume_step(cluster: KubernetesCluster, resource: Resource, volume: Object) -> bool:
    """One controller step for a volume: make it Available, reclaim it or delete it. Returns whether nothing is left to do."""
    reference = volume["spec"].get("claimRef", {})
    claim = cluster.get(CLAIMS, reference.get("namespace", ""), reference.get("name", "")) if reference else None
    held = claim is not None and claim["spec"].get("volumeName") == volume["metadata"]["name"]
    released = volume.get("status", {}).get("phase") == "Released"
    if released and not held and "uid" in reference and volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete":
        return _reclaimed(cluster, volume)
    if volume["metadata"].get("deletionTimestamp"):
        return not held and (_unprotected(cluster, VOLUMES, volume, _VOLUME_PROTECTION) or True)
    if not held and "uid" not in reference:
        cluster.controller_write(VOLUMES, volume, {**volume, "status": {"phase": "Available"}})
    return True
