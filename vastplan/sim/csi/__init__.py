"""VAST's CSI driver, controller side: how volumes and snapshots of a cluster are created on the simulated VMS.

It calls and answers as the driver's versions 2.4 to 2.7 do (https://github.com/vast-data/vast-csi: plugins, builders,
session), through the VMS API only. Every refusal is a `ValueError` in the words in which the side-cars report it.
"""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.sim.csi import blocks, files
from vastplan.sim.csi.vms import VmsClient, rpc
from vastplan.sim.kubernetes.storage import SnapshotMade, VolumeWanted
from vastplan.sim.wire import Plane


class VastStorage:
    """The file and the block driver of one VAST cluster, with a token of a cluster administrator.

    With a Secret whose username is a manager of VMS they log in as that manager. Any other Secret is made up, and stands
    for one of the administrator.
    """

    def __init__(self, vast: Plane, token: str, login: Mapping[str, str] | None = None) -> None:
        self._vast, self._token = vast, token
        self._vms = VmsClient(vast, token, login)

    def with_secret(self, values: Mapping[str, str]) -> VastStorage:
        """The drivers with the credentials of a Secret."""
        named = values.get("username", "")
        has_manager = bool(named) and bool(VmsClient(self._vast, self._token).rows("managers", username=named))
        return VastStorage(self._vast, self._token, values) if has_manager else self

    def prepare(self) -> None:
        """Enable the trash folder, which the driver's manual requires: without it no volume can be deleted."""
        if not all(row.get("enable_trash") for row in self._vms.rows("clusters")):
            self._vms.call("PATCH", "/clusters/1/", {"enable_trash": True})

    def create_volume(self, wanted: VolumeWanted) -> dict[str, str]:
        """Create a volume, or complete an existing one; returns its volumeAttributes."""
        with rpc("CreateVolume"):
            create = blocks.create if "subsystem" in wanted.parameters else files.create
            return create(self._vms, wanted)

    def expand_volume(self, volume_id: str, size: int, *, block: bool = False) -> None:
        """Grow a volume to `size` bytes; a smaller size changes nothing."""
        with rpc("ControllerExpandVolume"):
            (blocks if block else files).expand(self._vms, volume_id, size)

    def delete_volume(self, volume_id: str, *, block: bool = False) -> None:
        """Delete a volume with its data, if it exists. Each driver looks for its own volumes only."""
        with rpc("DeleteVolume"):
            (blocks if block else files).delete(self._vms, volume_id)

    def publish_volume(self, volume_id: str, attributes: Mapping[str, str]) -> None:
        """Check what a node needs to mount a volume: an address to mount it from."""
        with rpc("ControllerPublishVolume"):
            self._vms.address(attributes)

    def create_snapshot(self, volume_id: str, name: str) -> SnapshotMade:
        """Create a snapshot of a file volume; an existing one of the name is used."""
        with rpc("CreateSnapshot"):
            return files.create_snapshot(self._vms, volume_id, name)

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Delete a snapshot, if it exists, and its directory if that was all that was left of a volume."""
        with rpc("DeleteSnapshot"):
            files.delete_snapshot(self._vms, snapshot_id)
