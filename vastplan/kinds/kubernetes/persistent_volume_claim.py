"""PersistentVolumeClaim: the storage that a workload mounts. It never shrinks, and grows only if its class allows it."""

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds._moments import Moment
from vastplan.kinds.kubernetes._common import (
    FILESYSTEM,
    LEGACY_CLASS,
    QUANTITY,
    RUNAI_CREATED,
    InNamespace,
    Labelled,
    ObjectName,
    manifest,
)
from vastplan.kinds.kubernetes._snapshots import (
    GROUP_VERSION,
    IN_NAMESPACE,
    NEWEST_OF,
    SNAPSHOT,
    UNTIL,
    WHOSE,
    original,
)
from vastplan.kinds.kubernetes.persistent_volume import AccessModes, VolumeMode
from vastplan.model import units
from vastplan.model.plan import Stage
from vastplan.schema.codec import at
from vastplan.schema.dependents import DataPlace, Dependents, HeldData, Linked, UsedBy
from vastplan.schema.endpoint import OfSnapshots
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Measure, Metric, States
from vastplan.schema.markers import (
    CREATE_ONLY,
    CREATED_WITH,
    EXPLICIT_NULL,
    GROW_ONLY,
    IMMUTABLE,
    SET,
    Clears,
    Grows,
    Opens,
    Refers,
    Wire,
)
from vastplan.schema.types import MISSING, KubernetesName, ReferenceName, Size

_SOURCE = ("spec", "dataSource")
_KINDS = {"from_claim": "PersistentVolumeClaim", "from_snapshot": SNAPSHOT}
_SIZE = ("spec", "resources", "requests", "storage")


class PersistentVolumeClaim(Labelled):
    """A claim, whose volume its class creates, or which with `storage_class: null` binds an existing volume.

    A claim without a class cannot grow: Kubernetes expands only what a class provisioned. Its `nominal_size` is
    requested once and not compared; the quota of its directory limits what it holds.
    """

    name: ObjectName = MISSING
    """Name of the PersistentVolumeClaim in Kubernetes."""
    namespace: InNamespace
    """Namespace that holds the claim; the name of a project means its namespace."""
    storage_class: Annotated[
        ReferenceName | None,
        Refers("storage_class.name", blocks_delete=False),
        Wire("spec", "storageClassName"),
        EXPLICIT_NULL,
        Clears(""),
        IMMUTABLE,
    ]
    """Storage class that creates the volume; null for a claim that binds the existing `volume`."""
    size: Annotated[
        Size | MISSING,
        Wire(*_SIZE),
        QUANTITY,
        GROW_ONLY,
        Grows(where="storage_class", switch="allow_volume_expansion", fact="bound"),
    ] = MISSING
    """Size in bytes that the claim requests from its class. It can grow only while the class allows volume
    expansion."""
    nominal_size: Annotated[Size | MISSING, Wire(*_SIZE), QUANTITY, CREATE_ONLY] = MISSING
    """Size in bytes that a claim without a class requests once; the quota of its directory limits what it holds."""
    access_modes: Annotated[AccessModes, Wire("spec", "accessModes"), SET, IMMUTABLE, Opens(at_create=False)]
    """Access modes that the claim requests: how many nodes may mount the volume, and whether they write."""
    volume_mode: Annotated[VolumeMode | MISSING, Wire("spec", "volumeMode"), IMMUTABLE, FILESYSTEM] = MISSING
    """Whether pods get the volume as a file system or as a raw block device. The file driver refuses `Block`."""
    volume: Annotated[
        ReferenceName | MISSING,
        Refers("persistent_volume.name"),  # a deleted volume exists until its claim is gone (pv-protection)
        Wire("spec", "volumeName"),
        IMMUTABLE,
        Opens(existing_only=True),
    ] = MISSING
    """PersistentVolume that the claim binds; a claim without a class needs it."""

    from_claim: Annotated[
        ReferenceName | MISSING,
        Refers("persistent_volume_claim.name", blocks_delete=False),
        Wire(*_SOURCE, "name"),
        IMMUTABLE,
        CREATED_WITH,
    ] = MISSING
    """Claim of the same namespace from which the new volume gets its first data. Excludes `from_snapshot` and
    `newest_of`."""
    from_snapshot: Annotated[KubernetesName | MISSING, Wire(*_SOURCE, "name"), IMMUTABLE, CREATED_WITH] = MISSING
    """Name of the VolumeSnapshot from which the new volume gets its first data. Excludes `from_claim` and
    `newest_of`."""
    of_claim: Annotated[
        ReferenceName | MISSING,
        Refers("persistent_volume_claim.name", blocks_delete=False),
        Wire(*WHOSE),
        CREATE_ONLY,
    ] = MISSING
    """Claim that the VolumeSnapshot `from_snapshot` must be of when this claim is created."""
    newest_of: Annotated[
        ReferenceName | MISSING,
        Refers("persistent_volume_claim.name", blocks_delete=False),
        Wire(*NEWEST_OF),
        IMMUTABLE,
        CREATED_WITH,
    ] = MISSING
    """Claim whose newest ready VolumeSnapshot gives the new volume its first data. Excludes `from_claim` and
    `from_snapshot`."""
    until: Annotated[Moment | MISSING, Wire(*UNTIL), IMMUTABLE, CREATED_WITH] = MISSING
    """Time, in UTC where no zone is written, after which a VolumeSnapshot of `newest_of` is too new to be used."""

    @model_validator(mode="after")
    def _one_way_to_its_data(self) -> "PersistentVolumeClaim":
        if self.storage_class is None and self.volume is MISSING:
            raise ValueError("a claim without storage_class needs volume")
        if (self.size is MISSING) == (self.nominal_size is MISSING):
            raise ValueError("give size, or nominal_size for a claim without storage_class")
        if self.nominal_size is not MISSING and self.storage_class is not None:
            raise ValueError("nominal_size is for a claim without storage_class; write size")
        if (
            len([source for source in (self.from_claim, self.from_snapshot, self.newest_of) if source is not MISSING])
            > 1
        ):
            raise ValueError("give only one of from_claim, from_snapshot and newest_of")
        if self.until is not MISSING and self.newest_of is MISSING:
            raise ValueError("until needs newest_of")
        if self.of_claim is not MISSING and self.from_snapshot is MISSING:
            raise ValueError("of_claim needs from_snapshot")
        return self


def _read(values: Values, row: Row) -> Values:
    """The class that the cluster uses: the old annotation has priority over the spec (component-helpers
    `storage/volume`)."""
    annotated = at(row, ("metadata", "annotations", LEGACY_CLASS))
    # a data source of another kind, which another controller fills, is in none of these fields
    others = {field for field, of in _KINDS.items() if at(row, (*_SOURCE, "kind")) != of}
    if not others.isdisjoint(values):
        values = {name: value for name, value in values.items() if name not in others}
    return {**values, "storage_class": annotated} if annotated else values


def _with_kind(body: Row, values: Values) -> Row:
    """The body with the kind of the data source and, for a snapshot, its API group."""
    source = at(body, _SOURCE)
    if isinstance(source, dict):
        source["kind"] = _KINDS["from_snapshot" if "from_snapshot" in values else "from_claim"]
        if source["kind"] == SNAPSHOT:
            source["apiGroup"] = GROUP_VERSION.partition("/")[0]
    return body


KIND = Kind(
    PersistentVolumeClaim,
    name="persistent_volume_claim",
    system="kubernetes",
    stage=Stage.VOLUME,
    measures=(
        Measure("size", ("size",), units.BYTES),
        Measure("size", ("nominal_size",), units.BYTES),
    ),
    endpoint=manifest(
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        namespaced=True,
        vanishes_later=True,
        shape=OfSnapshots(
            IN_NAMESPACE,
            within=("metadata", "namespace"),
            named=(*_SOURCE, "name"),
            newest_of=NEWEST_OF,
            until=UNTIL,
            whose=WHOSE,
            size=_SIZE,
        ),
    ),
    keyed=Keyed(within="namespace"),
    data_bearing=True,
    data_place=DataPlace(("namespace",), stays=False, points_by="volume"),
    metrics=(
        Metric("bound", ("status", "phase"), ones=frozenset({"Bound"}), zeros=frozenset({"Pending", "Lost"})),
        Metric("pending", ("status", "phase"), ones=frozenset({"Pending"}), zeros=frozenset({"Bound", "Lost"})),
    ),
    in_use=("bound",),
    held=HeldData(links=(Linked("persistent_volume", (("volume", "name"),)),), nothing="pending", tied=("bound",)),
    users=(
        Linked("pod", (("namespace", "namespace"), ("name", "claims"))),
        *(
            Linked(kind, (("name", "claim"),), agree=(("namespace", "project.namespace"),))
            for kind in ("data_source", "data_volume")
        ),
    ),
    # a class may wait for the first pod before it creates the volume
    states=States(("status", "phase"), frozenset({"Bound"}), failed=frozenset({"Lost"}), awaited=False),
    dependents=(
        # Kubernetes does not show whether the driver still copies: the claim is bound before it has finished
        Dependents(
            "persistent_volume_claim", "claims created from it", (("namespace", "namespace"), ("name", "from_claim"))
        ),
        # the driver does not delete a volume with snapshots
        Dependents("claim_snapshot", "snapshots", (("namespace", "namespace"), ("name", "claim")), remain=True),
    ),
    used_by=(UsedBy("pod", "pods", "name", "claims", "namespace", same_room=True),),
    created_from=original("namespace", "from_snapshot"),
    controller_owned=RUNAI_CREATED,
    finish_encode=_with_kind,
    finish_decode=_read,
)
