"""Scheduler, attacher and kubelet, only for a pod's volumes: a pod runs when they can be mounted; otherwise an Event says why not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from vastplan.sim.kubernetes import binder, driver, quantity, settle
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import CLAIMS, PODS, SECRETS, VOLUMES, Resource
from vastplan.sim.kubernetes.storage import VolumeWanted

NODE = "node-1"
_NAME_FORMAT = "csi:{namespace}:{name}:{id}"
_SCHEDULER, _ATTACHER, _KUBELET = "default-scheduler", "attachdetach-controller", "kubelet"


class _Waits(Exception):
    """The pod cannot proceed; an Event reports the reason."""

    def __init__(self, reason: str, message: str, component: str) -> None:
        super().__init__(message)
        self.reason, self.message, self.component = reason, message, component


def pod_step(cluster: KubernetesCluster, resource: Resource, pod: Object) -> bool:
    """One controller step for a pod: schedule it, attach and mount its volumes, run it. Returns whether nothing is left to do."""
    if pod["status"].get("phase") != "Pending" or pod["metadata"].get("deletionTimestamp"):
        return True
    try:
        volumes = list(_claimed(cluster, pod))
        pod = _scheduled(cluster, pod)
        for volume in volumes:
            _attach(cluster, volume)
        for entry, wanted in inline(pod):
            _mount(cluster, pod, entry, wanted)
    except _Waits as waiting:
        cluster.warn(PODS, pod, waiting.reason, waiting.message, waiting.component)
        return False
    _set_status(cluster, pod, running=True)
    return True


def _claimed(cluster: KubernetesCluster, pod: Object) -> Iterator[Object]:
    """The volumes of a pod's claims; an unbound claim gets a step of its controller first."""
    namespace = pod["metadata"]["namespace"]
    for entry in pod["spec"].get("volumes", ()):
        if "persistentVolumeClaim" not in entry:
            continue
        name = entry["persistentVolumeClaim"]["claimName"]
        claim = cluster.get(CLAIMS, namespace, name)
        if claim is not None and claim["status"].get("phase") != "Bound":
            settle.run_step(cluster, CLAIMS, claim, binder.claim_step)
            claim = cluster.get(CLAIMS, namespace, name)
        nodes = "0/1 nodes are available"
        if claim is None:
            raise _Waits("FailedScheduling", f'{nodes}: persistentvolumeclaim "{name}" not found.', _SCHEDULER)
        if claim["metadata"].get("deletionTimestamp"):
            raise _Waits("FailedScheduling", f'{nodes}: persistentvolumeclaim "{name}" is being deleted.', _SCHEDULER)
        volume = cluster.get(VOLUMES, "", claim["spec"].get("volumeName", ""))
        if claim["status"].get("phase") != "Bound" or volume is None:
            raise _Waits("FailedScheduling", f"{nodes}: pod has unbound immediate PersistentVolumeClaims.", _SCHEDULER)
        yield volume


def _scheduled(cluster: KubernetesCluster, pod: Object) -> Object:
    if pod["spec"].get("nodeName"):
        return pod
    pod = cluster.controller_write(PODS, pod, {**pod, "spec": {**pod["spec"], "nodeName": NODE}}, "")
    return _set_status(cluster, pod, running=False)


def _set_status(cluster: KubernetesCluster, pod: Object, *, running: bool) -> Object:
    """Write the kubelet's status of a pod that waits for its volumes, or runs."""
    now = cluster.now()
    state = {"running": {"startedAt": now}} if running else {"waiting": {"reason": "ContainerCreating"}}
    conditions = [
        {"type": kind, "status": "True" if running or at_once else "False", "lastTransitionTime": now}
        for kind, at_once in (
            ("PodScheduled", True),
            ("Initialized", True),
            ("ContainersReady", False),
            ("Ready", False),
        )
    ]
    containers = [
        {"name": container["name"], "image": container["image"], "imageID": "", "ready": running, "restartCount": 0,
         "started": running, "state": state}
        for container in pod["spec"]["containers"]
    ]  # fmt: skip
    status = {**pod["status"], "phase": "Running" if running else "Pending", "startTime": now}
    status |= {"conditions": conditions, "containerStatuses": containers}
    return cluster.controller_write(PODS, pod, {**pod, "status": status})


def _attach(cluster: KubernetesCluster, volume: Object) -> None:
    if not driver.drives(volume):
        return
    source = volume["spec"]["csi"]
    storage = driver.logged_in(cluster, source.get("controllerPublishSecretRef"))
    if storage is None:
        return
    try:
        storage.publish_volume(driver.volume_id(volume), source.get("volumeAttributes", {}))
    except ValueError as error:
        head = f'AttachVolume.Attach failed for volume "{volume["metadata"]["name"]}"'
        raise _Waits("FailedAttachVolume", f"{head} : {error}", _ATTACHER) from None


def inline(pod: Object) -> Iterator[tuple[Object, VolumeWanted]]:
    """The pod's inline volumes of VAST's drivers: the pod's entry, and what the driver is asked for."""
    metadata = pod["metadata"]
    for entry in pod["spec"].get("volumes", ()):
        source = entry.get("csi", {})
        if source.get("driver") not in driver.DRIVERS:
            continue
        attributes = source.get("volumeAttributes", {})
        handle = "csi-" + hashlib.sha256(f"{metadata['uid']}{entry['name']}".encode()).hexdigest()
        name = attributes.get("eph_volume_name_fmt", _NAME_FORMAT)
        for field, value in (("namespace", metadata["namespace"]), ("name", metadata["name"]), ("id", metadata["uid"])):
            name = name.replace(f"{{{field}}}", value)
        size = int(quantity.parse_quantity(attributes.get("size", "0")))
        options = tuple(option for option in attributes.get("mount_options", "").split(",") if option)
        yield entry, VolumeWanted(handle, name, size, attributes, options)


def _mount(cluster: KubernetesCluster, pod: Object, entry: Object, wanted: VolumeWanted) -> None:
    try:
        reference = entry["csi"].get("nodePublishSecretRef")
        if reference:
            reference = {"name": reference["name"], "namespace": pod["metadata"]["namespace"]}
            _secret(cluster, reference["namespace"], reference["name"])
        attributes = driver.create_volume(cluster, entry["csi"]["driver"], wanted, reference)
        storage = driver.logged_in(cluster, reference)
        if storage is not None:
            storage.publish_volume(wanted.volume_id, attributes)
    except ValueError as error:
        head = f'MountVolume.SetUp failed for volume "{entry["name"]}"'
        raise _Waits("FailedMount", f"{head} : {error}", _KUBELET) from None


def _secret(cluster: KubernetesCluster, namespace: str, name: str) -> None:
    if cluster.get(SECRETS, namespace, name) is None:
        head = f"fetching NodePublishSecretRef {namespace}/{name} failed: kubernetes.io/csi: failed to find the secret"
        raise ValueError(f'{head} {name} in the namespace {namespace} with error: secrets "{name}" not found')


def pod_gone(cluster: KubernetesCluster, pod: Object) -> None:
    """Unmount a pod's inline volumes, which deletes them with their data; a volume that cannot be deleted stays."""
    if cluster.storage is None:
        return
    for _, wanted in inline(pod):
        try:
            cluster.storage.delete_volume(wanted.volume_id, block="subsystem" in wanted.parameters)
        except ValueError as error:
            cluster.warn(PODS, pod, "FailedUnmount", f"{wanted.volume_id}: {error}", _KUBELET)
