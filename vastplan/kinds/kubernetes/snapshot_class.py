"""VolumeSnapshotClass: how snapshots of claims are made. Everything in it can be changed in place."""

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
from vastplan.schema.compile import kind
from vastplan.schema.markers import WITNESS, Clears, Codec, Opens, Refers, ServerDefault, Wire
from vastplan.schema.types import MISSING, ReferenceName, Text

DEFAULT = "snapshot.storage.kubernetes.io/is-default-class"
_PURPOSES = ("snapshotter",)


def _write(path: str) -> dict[str, Any]:
    return secret_parameters(path, _PURPOSES)


def _read(parameters: dict[str, Any]) -> str | None:
    return secret_of_parameters(parameters, _PURPOSES)


class SnapshotClass(Labelled):
    """A class of volume snapshots. Snapshots that exist keep what they were made with."""

    name: ObjectName = MISSING
    driver: Annotated[Literal["file", "block"], DRIVER]
    deletion_policy: Annotated[Literal["Delete", "Retain"], Wire("deletionPolicy")]
    secret: Annotated[
        ReferenceName | None | MISSING,
        Refers("secret.path", blocks_delete=False, needs=True),
        Wire("parameters"),
        Codec(_write, _read),
        Clears(secret_parameters(None, _PURPOSES)),
        Opens(made=False),
    ] = MISSING
    snapshot_name_format: Annotated[Text | None | MISSING, Wire("parameters", "snapshot_name_fmt")] = MISSING
    default: Annotated[
        bool | MISSING, Wire("metadata", "annotations", DEFAULT), BOOL_TEXT, ServerDefault(False, WITNESS)
    ] = MISSING

    @model_validator(mode="after")
    def _secret_in_full(self) -> "SnapshotClass":
        in_full(self.secret)
        return self


KIND = kind(
    SnapshotClass,
    name="snapshot_class",
    system="kubernetes",
    section="snapshot_classes",
    endpoint=manifest("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass", "volumesnapshotclasses"),
)
