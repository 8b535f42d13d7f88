"""VAST's CSI driver, controller side: what volumes and snapshots of a cluster become on the VMS that the simulator stands for.

It asks and answers as the driver's versions 2.4 to 2.7 do (https://github.com/vast-data/vast-csi: plugins, builders,
session), through the VMS API only. Every refusal is a `ValueError` in the words in which the side-cars report it.
"""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.sim.csi import blocks, files
from vastplan.sim.csi.vms import Vms, rpc
from vastplan.sim.kubernetes.storage import SnapshotMade, VolumeWanted
from vastplan.sim.wire import Plane


class VastStorage:
    """The file and the block driver of one VAST cluster, with a token of a cluster administrator.

    With a Secret whose user name VMS has a manager of they log in as that one. Where VMS has none the Secret is made up, and stands
    for one of the administrator.
    """

    def __init__(self, vast: Plane, token: str, login: Mapping[str, str] | None = None) -> None:
        self._vast, self._token = vast, token
        self._vms = Vms(vast, token, login)

    def with_secret(self, values: Mapping[str, str]) -> VastStorage:
        """The drivers with the log-in of a Secret."""
        named = values.get("username", "")
        known = bool(named) and bool(Vms(self._vast, self._token).rows("managers", username=named))
        return VastStorage(self._vast, self._token, values) if known else self

    def prepare(self) -> None:
        """Switch the trash folder on, which the driver's manual asks for: without it no volume can be deleted."""
        if not all(row.get("enable_trash") for row in self._vms.rows("clusters")):
            self._vms.call("PATCH", "/clusters/1/", {"enable_trash": True})

    def create_volume(self, wanted: VolumeWanted) -> dict[str, str]:
        """Make a volume, or find it half made; answers its volumeAttributes."""
        with rpc("CreateVolume"):
            create = blocks.create if "subsystem" in wanted.parameters else files.create
            return create(self._vms, wanted)

    def expand_volume(self, volume_id: str, size: int, *, block: bool = False) -> None:
        """Let a volume be `size` bytes large; a smaller size changes nothing."""
        with rpc("ControllerExpandVolume"):
            (blocks if block else files).expand(self._vms, volume_id, size)

    def delete_volume(self, volume_id: str, *, block: bool = False) -> None:
        """Delete a volume with its data; it is fine when there is none. Each driver asks for its own only."""
        with rpc("DeleteVolume"):
            (blocks if block else files).delete(self._vms, volume_id)

    def publish_volume(self, volume_id: str, attributes: Mapping[str, str]) -> None:
        """What must hold before a node can mount a volume: an address to mount it from."""
        with rpc("ControllerPublishVolume"):
            self._vms.address(attributes)

    def create_snapshot(self, volume_id: str, name: str) -> SnapshotMade:
        """A snapshot of a file volume; one of the name is taken for it."""
        with rpc("CreateSnapshot"):
            return files.create_snapshot(self._vms, volume_id, name)

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Delete a snapshot, and its directory when it was all that was left of a volume; it is fine when there is none."""
        with rpc("DeleteSnapshot"):
            files.delete_snapshot(self._vms, snapshot_id)
