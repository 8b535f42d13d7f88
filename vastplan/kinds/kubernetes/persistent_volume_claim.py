"""PersistentVolumeClaim: what a workload mounts. It grows, never shrinks, and only when its class lets it."""

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds.kubernetes._common import (
    FILESYSTEM,
    QUANTITY,
    RUNAI_MADE,
    InNamespace,
    Labelled,
    ObjectName,
    manifest,
)
from vastplan.kinds.kubernetes.persistent_volume import AccessMode, VolumeMode
from vastplan.model import units
from vastplan.model.plan import Stage
from vastplan.schema.codec import at
from vastplan.schema.compile import kind
from vastplan.schema.kind import Keyed, Measure, Metric, Row, UsedBy, Values
from vastplan.schema.markers import (
    CREATE_ONLY,
    EXPLICIT_NULL,
    GROW_ONLY,
    IMMUTABLE,
    MADE_WITH,
    SET,
    Clears,
    Opens,
    Refers,
    Wire,
)
from vastplan.schema.types import MISSING, Bytes, ReferenceName

_LEGACY = "volume.beta.kubernetes.io/storage-class"
_SOURCE = ("spec", "dataSource")
_CLAIM = "PersistentVolumeClaim"
_SIZE = ("spec", "resources", "requests", "storage")


class PersistentVolumeClaim(Labelled):
    """A claim, provisioned by its class, or with `storage_class: null` bound to a volume that is already there.

    One without a class cannot grow: Kubernetes expands what a class provisioned. Its `nominal_size` is asked for once
    and not compared; what it may hold is the quota of its directory.
    """

    name: ObjectName = MISSING
    namespace: InNamespace
    storage_class: Annotated[
        ReferenceName | None,
        Refers("storage_class.name", blocks_delete=False),
        Wire("spec", "storageClassName"),
        EXPLICIT_NULL,
        Clears(""),
        IMMUTABLE,
    ]
    size: Annotated[Bytes | MISSING, Wire(*_SIZE), QUANTITY, GROW_ONLY] = MISSING
    nominal_size: Annotated[Bytes | MISSING, Wire(*_SIZE), QUANTITY, CREATE_ONLY] = MISSING
    access_modes: Annotated[list[AccessMode], Wire("spec", "accessModes"), SET, IMMUTABLE, Opens(made=False)]
    volume_mode: Annotated[VolumeMode | MISSING, Wire("spec", "volumeMode"), IMMUTABLE, FILESYSTEM] = MISSING
    volume: Annotated[
        ReferenceName | MISSING,
        Refers("persistent_volume.name"),  # a volume that is deleted is there until its claim is gone (pv-protection)
        Wire("spec", "volumeName"),
        IMMUTABLE,
        Opens(),
    ] = MISSING

    from_claim: Annotated[
        ReferenceName | MISSING,
        Refers("persistent_volume_claim.name", blocks_delete=False),
        Wire(*_SOURCE, "name"),
        IMMUTABLE,
        MADE_WITH,
    ] = MISSING
    """A claim of the same namespace, with whose data the driver makes this one."""

    @model_validator(mode="after")
    def _one_way_to_its_data(self) -> "PersistentVolumeClaim":
        if self.storage_class is None and self.volume is MISSING:
            raise ValueError("a claim without a storage_class names its volume")
        if (self.size is MISSING) == (self.nominal_size is MISSING):
            raise ValueError("give size, or nominal_size for a claim without a storage_class")
        if self.nominal_size is not MISSING and self.storage_class is not None:
            raise ValueError("nominal_size is for a claim without a storage_class")
        return self


def _read(values: Values, row: Row) -> Values:
    """The class that the cluster goes by: the old annotation wins over the spec (component-helpers `storage/volume`)."""
    annotated = at(row, ("metadata", "annotations", _LEGACY))
    if "from_claim" in values and at(row, (*_SOURCE, "kind")) != _CLAIM:  # a snapshot, or what another controller fills
        values = {name: value for name, value in values.items() if name != "from_claim"}
    return {**values, "storage_class": annotated} if annotated else values


def _with_kind(body: Row, _values: Values) -> Row:
    """The data source says what it is."""
    source = at(body, _SOURCE)
    if isinstance(source, dict):
        source["kind"] = _CLAIM
    return body


KIND = kind(
    PersistentVolumeClaim,
    name="persistent_volume_claim",
    system="kubernetes",
    stage=Stage.VOLUME,
    measures=(
        Measure("size", ("size",), units.BYTES),
        Measure("size", ("nominal_size",), units.BYTES),
    ),
    endpoint=manifest("v1", "PersistentVolumeClaim", "persistentvolumeclaims", namespaced=True, vanishes_later=True),
    keyed=Keyed(within="namespace"),
    data_bearing=True,
    metrics=(Metric("bound", ("status", "phase"), ones=frozenset({"Bound"}), zeros=frozenset({"Pending", "Lost"})),),
    in_use=("bound",),
    used_by=(UsedBy("pod", "pods", "name", "claims", "namespace", same_room=True),),
    controller_owned=RUNAI_MADE,
    finish_encode=_with_kind,
    finish_decode=_read,
)
