"""VolumeSnapshotClass: how snapshots of claims are created. All its fields can be updated."""

from typing import Annotated, Any, Literal

from pydantic import model_validator

from vastplan.kinds.kubernetes._common import (
    BOOL_TEXT,
    DRIVER,
    Labelled,
    ObjectName,
    in_full,
    manifest,
    secret_of_parameters,
    secret_parameters,
)
from vastplan.schema.kind import Kind
from vastplan.schema.markers import WITNESS, Clears, Codec, Opens, Refers, ServerDefault, Wire
from vastplan.schema.types import MISSING, ReferenceName, Text

DEFAULT = "snapshot.storage.kubernetes.io/is-default-class"
_PURPOSES = ("snapshotter",)


def _write(path: str) -> dict[str, Any]:
    return secret_parameters(path, _PURPOSES)


def _read(parameters: dict[str, Any]) -> str | None:
    return secret_of_parameters(parameters, _PURPOSES)


class SnapshotClass(Labelled):
    """A VolumeSnapshotClass: how a CSI driver creates VolumeSnapshots. Existing ones keep what they were created
    with."""

    name: ObjectName = MISSING
    """Name of the VolumeSnapshotClass in Kubernetes, where it is not the entry's key."""
    driver: Annotated[Literal["file", "block"], DRIVER]
    """VAST CSI driver whose volumes the class is for: the file driver (NFS) or the block driver (NVMe)."""
    deletion_policy: Annotated[Literal["Delete", "Retain"], Wire("deletionPolicy")]
    """Whether the snapshot on VAST is deleted (`Delete`) or stays (`Retain`) when its VolumeSnapshot is deleted."""
    secret: Annotated[
        ReferenceName | None | MISSING,
        Refers("secret.path", blocks_delete=False, needs=True),
        Wire("parameters"),
        Codec(_write, _read),
        Clears(secret_parameters(None, _PURPOSES)),
        Opens(at_create=False),
    ] = MISSING
    """Secret with which the driver logs in to VAST, or `{existing: NAMESPACE/NAME}`; null for none."""
    snapshot_name_format: Annotated[Text | None | MISSING, Wire("parameters", "snapshot_name_fmt")] = MISSING
    """Template of the snapshot's name on VAST, with {namespace}, {name} and {id}; null for the driver's own."""
    default: Annotated[
        bool | MISSING, Wire("metadata", "annotations", DEFAULT), BOOL_TEXT, ServerDefault(False, WITNESS)
    ] = MISSING
    """Whether VolumeSnapshots that name no class get this one. With two defaults for a driver, such VolumeSnapshots
    fail."""

    @model_validator(mode="after")
    def _secret_in_full(self) -> "SnapshotClass":
        in_full(self.secret)
        return self


KIND = Kind(
    SnapshotClass,
    name="snapshot_class",
    system="kubernetes",
    section="snapshot_classes",
    endpoint=manifest("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass", "volumesnapshotclasses"),
)
