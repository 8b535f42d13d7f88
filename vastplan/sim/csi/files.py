"""File volumes: a directory with a view and a quota each, snapshots of it, and clones through streams."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from vastplan.sim.csi.vms import Abort, Row, VmsClient, VmsRefusal
from vastplan.sim.kubernetes.storage import SnapshotMade, VolumeWanted

_NFS4 = re.compile(r"(nfs)?vers=4.*")
_LONGEST_QUOTA_NAME, _LONGEST_SNAPSHOT_NAME = 64, 128
_CLONED_WITHIN = timedelta(minutes=5)  # how long the snapshot behind a clone is kept
_ENDED = ("finished", "completed")


def protocol(mount_options: Sequence[str]) -> str:
    """The protocol of a volume's view: NFS 4 if the mount options ask for it, else NFS, which is version 3."""
    options = [option.strip("[] ") for text in mount_options for option in text.split(",")]
    return "NFS4" if any(_NFS4.fullmatch(option) for option in options) else "NFS"


def create(vms: VmsClient, wanted: VolumeWanted) -> dict[str, str]:
    """Create directory, view and quota; the VIP pool is looked up only when the volume is mounted."""
    parameters = wanted.parameters
    root = "/" + parameters["root_export"].strip("/")
    attributes = {
        "root_export": root,
        "mount_options": ",".join(wanted.mount_options),
        "view_policy": parameters["view_policy"],
        "protocol": protocol(wanted.mount_options),
    }
    if parameters.get("vip_pool_name"):
        attributes["vip_pool_name"] = parameters["vip_pool_name"]
    else:
        attributes["vip_pool_fqdn"] = parameters["vip_pool_fqdn"]
        if parameters.get("vip_pool_fqdn_random_prefix", "true") == "true":
            attributes["vip_pool_fqdn_random_prefix"] = "true"
    path = f"{root.rstrip('/')}/{wanted.volume_id}"
    snapshot = _source(vms, wanted)
    if snapshot is not None and wanted.read_only:  # mounted in place, without a view or a quota
        above, _, directory = snapshot["path"].rstrip("/").rpartition("/")
        return attributes | {
            "root_export": above or "/", "snapshot_base_path": f"{directory}/.snapshot/{snapshot['name']}",
        }  # fmt: skip
    if snapshot is not None:  # before the view: a stream creates its directory itself
        attributes["snapshot_stream_name"] = _cloned(vms, snapshot, wanted.volume_id, path)
    view = _view(vms, path, attributes, wanted)
    quota = _quota(vms, path, view, wanted)
    tenant = (view if snapshot is None else snapshot)["tenant_id"]
    return attributes | {
        "volume_name": wanted.name, "quota_id": str(quota["id"]), "view_id": str(view["id"]), "tenant_id": str(tenant),
    }  # fmt: skip


def _view(vms: VmsClient, path: str, attributes: dict[str, str], wanted: VolumeWanted) -> Row:
    view = vms.row("views", path=path, policy__name=attributes["view_policy"])
    if view is not None:
        return view
    policy = vms.need("viewpolicies", name=attributes["view_policy"])
    body: Row = {"path": path, "policy_id": policy["id"], "create_dir": True, "protocols": [attributes["protocol"]]}
    if wanted.parameters.get("qos_policy"):
        body["qos_policy_id"] = vms.need("qospolicies", name=wanted.parameters["qos_policy"])["id"]
    elif wanted.parameters.get("qos_policy_id"):
        body["qos_policy_id"] = int(wanted.parameters["qos_policy_id"])
    if policy["tenant_id"] is not None:
        body["tenant_id"] = policy["tenant_id"]
    created: Row = vms.call("POST", "/views/", body)
    return created


def _quota(vms: VmsClient, path: str, view: Row, wanted: VolumeWanted) -> Row:
    quota = vms.row("quotas", path=path, tenant_id=view["tenant_id"])
    if quota is None:
        body: Row = {"name": wanted.name[:_LONGEST_QUOTA_NAME], "path": path, "tenant_id": view["tenant_id"]}
        made: Row = vms.call("POST", "/quotas/", {**body, "hard_limit": wanted.size, "create_dir": True})
        return made
    if quota["hard_limit"] != wanted.size:
        raise Abort("AlreadyExists", f"Volume already exists with different capacity than requested ({path})")
    return quota


def _source(vms: VmsClient, wanted: VolumeWanted) -> Row | None:
    """The snapshot that the volume starts from."""
    if wanted.snapshot_id:
        snapshot = _snapshot(vms, wanted.snapshot_id)
        if snapshot is None:
            raise Abort("NotFound", f"Unknown snapshot: {wanted.snapshot_id}")
        return snapshot
    if not wanted.source_volume_id:
        return None
    quota = _of_volume(vms, wanted.source_volume_id)
    if quota is None:
        raise Abort("NotFound", f"Unknown volume: {wanted.source_volume_id}")
    until = (datetime.now(UTC) + _CLONED_WITHIN).isoformat()
    return _ensured_snapshot(vms, f"snp-{wanted.volume_id}", quota, expiration_time=until)


def _cloned(vms: VmsClient, snapshot: Row, volume_id: str, path: str) -> str:
    name = f"strm-{volume_id}"
    if not _streams(vms, name):
        body = {"name": name, "loanee_root_path": path, "loanee_tenant_id": snapshot["tenant_id"], "enabled": True}
        vms.call("POST", f"/snapshots/{snapshot['id']}/clone/", body)
    return name


def _streams(vms: VmsClient, name: str = "") -> list[Row]:
    """The clone streams, only those of a name if given; a cluster too old for streams has none."""
    try:
        return vms.rows("globalsnapstreams", **({"name": name} if name else {}))
    except VmsRefusal as refusal:
        if refusal.status in (404, 501):
            return []
        raise


def _end_stream(vms: VmsClient, name: str) -> None:
    for stream in _streams(vms, name):
        if str((stream.get("status") or {}).get("state")).lower() not in _ENDED:
            vms.call("PATCH", f"/globalsnapstreams/{stream['id']}/stop/")
        try:
            vms.call("DELETE", f"/globalsnapstreams/{stream['id']}/", {"remove_dir": True})
        except VmsRefusal as refusal:
            if refusal.status != 404:  # it was removed by itself
                raise


def _of_volume(vms: VmsClient, volume_id: str) -> Row | None:
    return vms.row("quotas", path__endswith=volume_id)


def expand(vms: VmsClient, volume_id: str, size: int) -> None:
    """Raise a volume's quota; raises `Abort` if the volume does not exist."""
    quota = _of_volume(vms, volume_id)
    if quota is None:
        raise Abort("NotFound", f"Not found quota with id: {volume_id}")
    if quota["hard_limit"] < size:
        try:
            vms.call("PATCH", f"/quotas/{quota['id']}/", {"hard_limit": size})
        except VmsRefusal as refusal:
            raise Abort("OutOfRange", f"Failed updating quota {quota['id']}: {refusal}") from None


def delete(vms: VmsClient, volume_id: str) -> None:
    """Delete clone stream, directory, view and quota, in this order; only the stream while the directory has snapshots."""
    _end_stream(vms, f"strm-{volume_id}")
    quota = _of_volume(vms, volume_id)
    if quota is None:
        return
    snapshots = ", ".join(str(row["id"]) for row in _snapshots(vms, quota["path"], quota["tenant_id"]))
    if snapshots:
        raise ValueError(f"Unable to delete {volume_id} as it holds snapshots: [{snapshots}]")
    _delete_directory(vms, quota["path"], quota["tenant_id"])
    view = vms.row("views", path=quota["path"], tenant_id=quota["tenant_id"])
    if view is not None:
        vms.call("DELETE", f"/views/{view['id']}/")
    vms.call("DELETE", f"/quotas/{quota['id']}/")


def _delete_directory(vms: VmsClient, path: str, tenant: int) -> None:
    try:
        vms.call("DELETE", "/folders/delete_folder/", {"path": path.rstrip("/"), "tenant_id": tenant})
    except VmsRefusal as refusal:
        if "trash folder disabled" in str(refusal):  # then the driver mounts the parent, if a pool is configured
            asked = "Ensure that deletionVipPool is properly configured in your Helm configuration"
            raise ValueError(f"{asked} to perform local volume deletion.") from None
        if "no such directory" not in str(refusal):
            raise


def _slashed(path: str) -> str:
    return path.rstrip("/") + "/"


def _snapshot(vms: VmsClient, snapshot_id: str) -> Row | None:
    try:
        row: Row = vms.call("GET", f"/snapshots/{snapshot_id}/")
    except VmsRefusal as refusal:
        if refusal.status == 404:
            return None
        raise
    return row


def _snapshots(vms: VmsClient, path: str, tenant: int) -> list[Row]:
    return vms.rows("snapshots", path=_slashed(path), tenant_id=tenant)


def _ensured_snapshot(vms: VmsClient, name: str, quota: Row, **more: Any) -> Row:
    path, tenant = _slashed(quota["path"]), quota["tenant_id"]
    for snapshot in vms.rows("snapshots", name=name):
        if (_slashed(snapshot["path"]), snapshot["tenant_id"]) != (path, tenant):
            raise Abort("AlreadyExists", f"Snapshot name '{name}' is already taken")
        return snapshot
    made: Row = vms.call("POST", "/snapshots/", {"name": name, "path": path, "tenant_id": tenant, **more})
    return made


def create_snapshot(vms: VmsClient, volume_id: str, name: str) -> SnapshotMade:
    """Create a snapshot of a volume's directory; it is ready at once."""
    quota = _of_volume(vms, volume_id)
    if quota is None:
        raise Abort("NotFound", f"Unknown volume: {volume_id}")
    name = name.replace(":", "-").replace("/", "-")[:_LONGEST_SNAPSHOT_NAME]
    snapshot = _ensured_snapshot(vms, name, quota)
    return SnapshotMade(str(snapshot["id"]))


def delete_snapshot(vms: VmsClient, snapshot_id: str) -> None:
    """Delete a snapshot, which VMS refuses while it is being cloned; the last one of a deleted volume takes the directory with it."""
    snapshot = _snapshot(vms, snapshot_id)
    if snapshot is None:
        return
    _streams(vms)  # the driver looks for copies from it here; streams that are ending continue
    vms.call("DELETE", f"/snapshots/{snapshot_id}/")
    path, tenant = snapshot["path"].rstrip("/"), snapshot["tenant_id"]
    if vms.row("quotas", path=path, tenant_id=tenant) is None and not _snapshots(vms, path, tenant):
        _delete_directory(vms, path, tenant)
