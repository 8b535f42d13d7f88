"""The content that a claim's volume starts with: a snapshot, or another claim's volume."""

from __future__ import annotations

from vastplan.sim.kubernetes import quantity
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import CLAIMS, SNAPSHOT_CONTENTS, SNAPSHOTS, VOLUMES
from vastplan.sim.kubernetes.rules.volumes import claim_size


def source_handle(cluster: KubernetesCluster, claim: Object, driver: str) -> dict[str, str]:
    """The source's handle as a field of `VolumeWanted`, empty for a claim without a source; raises `ValueError`."""
    source = claim["spec"].get("dataSource")
    if source is None:
        return {}
    kind, name = source["kind"], source["name"]
    try:
        if kind == "VolumeSnapshot":
            return {"snapshot_id": _snapshot(cluster, claim, name, driver)}
        return {"source_volume_id": _claim(cluster, claim, name, driver)}
    except ValueError as error:
        raise ValueError(f"error getting handle for DataSource Type {kind} by Name {name}: {error}") from None


def _snapshot(cluster: KubernetesCluster, claim: Object, name: str, driver: str) -> str:
    snapshot = cluster.get(SNAPSHOTS, claim["metadata"]["namespace"], name)
    if snapshot is None:
        raise ValueError(f'error getting snapshot {name} from api server: volumesnapshots "{name}" not found')
    status = snapshot.get("status", {})
    content = cluster.get(SNAPSHOT_CONTENTS, "", status.get("boundVolumeSnapshotContentName", ""))
    if content is None or not status.get("readyToUse"):
        raise ValueError(f"snapshot {name} is not Ready")
    if content["spec"]["driver"] != driver:
        raise ValueError(f"snapshot {name} is of the driver {content['spec']['driver']}, not of {driver}")
    least = quantity.parse_quantity(str(status.get("restoreSize", 0)))
    if quantity.parse_quantity(claim_size(claim)) < least:
        raise ValueError(
            f"requested volume size {claim_size(claim)} is less than the size {least} for the source snapshot {name}"
        )
    return str(content["status"]["snapshotHandle"])


def _claim(cluster: KubernetesCluster, claim: Object, name: str, driver: str) -> str:
    source = cluster.get(CLAIMS, claim["metadata"]["namespace"], name)
    if source is None:
        raise ValueError(f'error getting PVC {name} from api server: persistentvolumeclaims "{name}" not found')
    if source["metadata"].get("deletionTimestamp"):
        raise ValueError(f"the PVC DataSource {name} is currently being deleted")
    volume = cluster.get(VOLUMES, "", source["spec"].get("volumeName", ""))
    if source["status"].get("phase") != "Bound" or volume is None:
        raise ValueError(f"the PVC DataSource {name} must have a status of Bound. Got {source['status'].get('phase')}")
    if volume["spec"].get("csi", {}).get("driver") != driver:
        raise ValueError(f"the PVC DataSource {name} is not of the driver {driver}")
    if quantity.parse_quantity(claim_size(claim)) < quantity.parse_quantity(volume["spec"]["capacity"]["storage"]):
        raise ValueError("new PVC request must be greater than or equal in size to the specified PVC data source")
    return str(volume["spec"]["csi"]["volumeHandle"]).partition("@")[0]
