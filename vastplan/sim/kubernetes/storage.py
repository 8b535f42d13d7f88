"""How the simulated cluster's CSI side-cars call a driver; what the driver does on a storage system is not part of the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class VolumeWanted:
    """The request of a CreateVolume: `size` in bytes, `name` for people, and at most one source, by its handle."""

    volume_id: str
    name: str
    size: int
    parameters: Mapping[str, str]
    mount_options: tuple[str, ...] = ()
    snapshot_id: str = ""
    source_volume_id: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotMade:
    """A snapshot's handle, and the minimum size in bytes of a volume created from it; 0 for no minimum."""

    handle: str
    size: int = 0


class Storage(Protocol):
    """A CSI driver's controller. Every refusal is a `ValueError` with the text that an Event shows."""

    def with_secret(self, values: Mapping[str, str]) -> Storage:
        """The driver with the credentials of a Secret."""

    def create_volume(self, wanted: VolumeWanted) -> dict[str, str]:
        """Create a volume, or find the existing one; returns its volumeAttributes."""

    def expand_volume(self, volume_id: str, size: int, *, block: bool = False) -> None:
        """Grow a volume, a `block` device or a directory, to `size` bytes."""

    def delete_volume(self, volume_id: str, *, block: bool = False) -> None:
        """Delete a volume with its data, if it still exists."""

    def publish_volume(self, volume_id: str, attributes: Mapping[str, str]) -> None:
        """Make a volume ready to be mounted."""

    def create_snapshot(self, volume_id: str, name: str) -> SnapshotMade:
        """Create a snapshot of a volume, or find the existing one."""

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Delete a snapshot, if it still exists."""
