"""The snapshot controller and its side-car: VolumeSnapshots, their contents, and the snapshots on the storage system."""

from __future__ import annotations

from typing import Any

from vastplan.sim.kubernetes import driver
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import (
    CLAIMS,
    SNAPSHOT_CLASSES,
    SNAPSHOT_CONTENTS,
    SNAPSHOTS,
    VOLUMES,
    Resource,
)
from vastplan.sim.kubernetes.storage import SnapshotMade

_GROUP = "snapshot.storage.kubernetes.io"
PROTECTIONS = tuple(f"{_GROUP}/volumesnapshot-{purpose}-protection" for purpose in ("as-source", "bound"))
_CONTENT_PROTECTION = f"{_GROUP}/volumesnapshotcontent-bound-protection"
_DEFAULT = f"{_GROUP}/is-default-class"
_NAME_FORMAT = "csi:{namespace}:{name}:{id}"
COMPONENT = "snapshot-controller"


def snapshot_step(cluster: KubernetesCluster, resource: Resource, snapshot: Object) -> bool:
    """One controller step for a VolumeSnapshot: create or delete its snapshot. Returns whether nothing is left to do."""
    if snapshot["metadata"].get("deletionTimestamp"):
        return release_snapshot(cluster, snapshot)
    if snapshot.get("status", {}).get("readyToUse"):
        return True
    try:
        snapshot = _protected(cluster, snapshot)
        content = _content(cluster, snapshot)
    except ValueError as error:
        cluster.warn(SNAPSHOTS, snapshot, "SnapshotCreationFailed", str(error), COMPONENT)
        failure = {"readyToUse": False, "error": {"message": str(error), "time": cluster.now()}}
        if snapshot.get("status", {}).get("error", {}).get("message") != str(error):
            cluster.controller_write(SNAPSHOTS, snapshot, {**snapshot, "status": failure})
        return False
    status: Object = {"boundVolumeSnapshotContentName": content["metadata"]["name"], "readyToUse": True}
    status |= {"creationTime": cluster.now(), "restoreSize": str(content["status"].get("restoreSize", 0))}
    cluster.controller_write(SNAPSHOTS, snapshot, {**snapshot, "status": status})
    return True


def _protected(cluster: KubernetesCluster, snapshot: Object) -> Object:
    finalizers = list(dict.fromkeys([*snapshot["metadata"].get("finalizers", ()), *PROTECTIONS]))
    metadata = {**snapshot["metadata"], "finalizers": finalizers}
    return cluster.controller_write(SNAPSHOTS, snapshot, {**snapshot, "metadata": metadata}, "")


def _content(cluster: KubernetesCluster, snapshot: Object) -> Object:
    """The content that a snapshot is bound to, created if the snapshot names none; raises `ValueError`."""
    given = snapshot["spec"]["source"].get("volumeSnapshotContentName")
    if given:
        return _taken_over(cluster, snapshot, given)
    volume = _volume(cluster, snapshot)
    used = _class(cluster, snapshot, volume["spec"]["csi"]["driver"])
    made = _made(cluster, snapshot, used, volume)
    spec = {
        "deletionPolicy": used["deletionPolicy"], "driver": used["driver"],
        "source": {"volumeHandle": volume["spec"]["csi"]["volumeHandle"]},
        "sourceVolumeMode": volume["spec"]["volumeMode"], "volumeSnapshotClassName": used["metadata"]["name"],
        "volumeSnapshotRef": _reference(snapshot),
    }  # fmt: skip
    metadata = {"name": f"snapcontent-{snapshot['metadata']['uid']}", "finalizers": [_CONTENT_PROTECTION]}
    return cluster.make(SNAPSHOT_CONTENTS, {"metadata": metadata, "spec": spec, "status": _status(cluster, made)})


def _status(cluster: KubernetesCluster, made: SnapshotMade) -> dict[str, Any]:
    return {
        "snapshotHandle": made.handle, "readyToUse": True, "restoreSize": made.size,
        "creationTime": int(cluster.clock()) * 10**9,
    }  # fmt: skip


def _volume(cluster: KubernetesCluster, snapshot: Object) -> Object:
    name = snapshot["spec"]["source"]["persistentVolumeClaimName"]
    claim = cluster.get(CLAIMS, snapshot["metadata"]["namespace"], name)
    if claim is None:
        raise ValueError(f'Failed to get PVC {name} from the lister: persistentvolumeclaim "{name}" not found')
    volume = cluster.get(VOLUMES, "", claim["spec"].get("volumeName", ""))
    if claim["status"].get("phase") != "Bound" or volume is None:
        raise ValueError(f"the PVC {name} is not yet bound to a PV, will not attempt to take a snapshot")
    if not driver.drives(volume):
        raise ValueError(f"the volume of PVC {name} is of no driver that takes snapshots")
    return volume


def _class(cluster: KubernetesCluster, snapshot: Object, wanted: str) -> Object:
    name = snapshot["spec"].get("volumeSnapshotClassName")
    if name:
        snapshot_class = cluster.get(SNAPSHOT_CLASSES, "", name)
        if snapshot_class is None:
            raise ValueError(f'Failed to get snapshot class with error volumesnapshotclass "{name}" not found')
        return snapshot_class
    defaults = [
        body
        for body in cluster.objects(SNAPSHOT_CLASSES)
        if body["driver"] == wanted and body["metadata"].get("annotations", {}).get(_DEFAULT) == "true"
    ]
    if not defaults:
        raise ValueError("Failed to set default snapshot class with error cannot find default snapshot class")
    if len(defaults) > 1:
        raise ValueError(
            f"Failed to set default snapshot class with error {len(defaults)} default snapshot classes were found"
        )
    return defaults[0]


def _made(cluster: KubernetesCluster, snapshot: Object, used: Object, volume: Object) -> SnapshotMade:
    metadata = snapshot["metadata"]
    name = used.get("parameters", {}).get("snapshot_name_fmt", _NAME_FORMAT)
    parts = {"namespace": metadata["namespace"], "name": metadata["name"], "id": f"snapshot-{metadata['uid']}"}
    for field, value in parts.items():
        name = name.replace(f"{{{field}}}", value)
    if cluster.storage is None:
        return SnapshotMade(str(cluster.store.next(f"{cluster.name}/snapshot")))
    try:
        return cluster.storage.create_snapshot(driver.volume_id(volume), name)
    except ValueError as error:
        content = f"snapcontent-{metadata['uid']}"
        raise ValueError(
            f"Failed to create snapshot: failed to take snapshot of the volume {content}: {error}"
        ) from None


def _taken_over(cluster: KubernetesCluster, snapshot: Object, name: str) -> Object:
    """Bind a content that was created for an existing snapshot of the storage system; raises `ValueError`."""
    content = cluster.get(SNAPSHOT_CONTENTS, "", name)
    if content is None:
        raise ValueError(f"VolumeSnapshotContent {name} is missing")
    reference = content["spec"]["volumeSnapshotRef"]
    metadata = snapshot["metadata"]
    if (reference.get("namespace"), reference.get("name")) != (metadata["namespace"], metadata["name"]):
        raise ValueError(f"VolumeSnapshotContent {name} is bound to another VolumeSnapshot")
    handle = content["spec"]["source"].get("snapshotHandle")
    if not handle:
        raise ValueError(f"VolumeSnapshotContent {name} names no snapshot")
    bound = {**content, "spec": {**content["spec"], "volumeSnapshotRef": _reference(snapshot)}}
    content = cluster.controller_write(SNAPSHOT_CONTENTS, content, bound, "")
    status = content.get("status") or _status(cluster, SnapshotMade(handle))
    return cluster.controller_write(SNAPSHOT_CONTENTS, content, {**content, "status": status})


def _reference(snapshot: Object) -> Object:
    metadata = snapshot["metadata"]
    return {"apiVersion": SNAPSHOTS.api_version, "kind": SNAPSHOTS.kind, "name": metadata["name"],
            "namespace": metadata["namespace"], "uid": metadata["uid"]}  # fmt: skip


def release_snapshot(cluster: KubernetesCluster, snapshot: Object) -> bool:
    """Delete a VolumeSnapshot, and its content if its policy says so. Returns whether it is gone."""
    name = snapshot.get("status", {}).get("boundVolumeSnapshotContentName", "")
    content = cluster.get(SNAPSHOT_CONTENTS, "", name)
    if content is not None and content["spec"]["deletionPolicy"] == "Delete":
        try:
            if cluster.storage is not None:
                cluster.storage.delete_snapshot(content["status"]["snapshotHandle"])
        except ValueError as error:
            cluster.warn(SNAPSHOT_CONTENTS, content, "SnapshotDeleteError", "Failed to delete snapshot", COMPONENT)
            failure = {"message": f"Failed to check and update snapshot content: {error}", "time": cluster.now()}
            if content["status"].get("error", {}).get("message") != failure["message"]:
                status = {**content["status"], "error": failure}
                cluster.controller_write(SNAPSHOT_CONTENTS, content, {**content, "status": status})
            return False
        cluster.drop(SNAPSHOT_CONTENTS, content)
    finalizers = [finalizer for finalizer in snapshot["metadata"].get("finalizers", ()) if finalizer not in PROTECTIONS]
    if finalizers:
        metadata = {**snapshot["metadata"], "finalizers": finalizers}
        cluster.controller_write(SNAPSHOTS, snapshot, {**snapshot, "metadata": metadata}, "")
        return False
    cluster.drop(SNAPSHOTS, snapshot)
    return True
