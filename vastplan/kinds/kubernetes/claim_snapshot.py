"""VolumeSnapshot of a claim: the contents of its volume at one moment, created once by the driver according to a snapshot class.

Kubernetes has no expiry for a VolumeSnapshot. When it is deleted, the deletion policy of its class decides whether the snapshot on
the storage system is deleted, too.
"""

from typing import Annotated

from vastplan.kinds.kubernetes._common import InNamespace, Labelled, ObjectName, manifest
from vastplan.kinds.kubernetes._snapshots import CREATED, GROUP_VERSION, SINCE, SNAPSHOT, STATES
from vastplan.schema.creation import Once
from vastplan.schema.dependents import Dependents, HeldData
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import CREATE_ONLY, IMMUTABLE, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName

_CLAIM = ("spec", "source", "persistentVolumeClaimName")


class ClaimSnapshot(Labelled):
    """A VolumeSnapshot of a claim in its namespace. Its class has an effect only when it is created."""

    name: ObjectName = MISSING
    """Name of the VolumeSnapshot in Kubernetes."""
    namespace: InNamespace
    """Namespace that holds the VolumeSnapshot and its claim; the name of a project means its namespace."""
    claim: Annotated[
        ReferenceName, Refers("persistent_volume_claim.name", blocks_delete=False), Wire(*_CLAIM), IMMUTABLE
    ]
    """Claim of the same namespace whose volume the driver takes a snapshot of."""
    snapshot_class: Annotated[
        ReferenceName | MISSING,
        Refers("snapshot_class.name", blocks_delete=False),
        Wire("spec", "volumeSnapshotClassName"),
        CREATE_ONLY,
    ] = MISSING
    """Snapshot class of the VolumeSnapshot; when left out, the cluster's default for the driver."""


KIND = Kind(
    ClaimSnapshot,
    name="claim_snapshot",
    system="kubernetes",
    endpoint=manifest(GROUP_VERSION, SNAPSHOT, "volumesnapshots", namespaced=True, vanishes_later=True, having=_CLAIM),
    attributes=(CREATED, Attribute("content", ("status", "boundVolumeSnapshotContentName"))),
    data_bearing=True,
    held=HeldData(part="Kubernetes does not report the size of a snapshot"),
    dependents=(
        # Kubernetes does not show whether the driver still copies: the claim is bound before it has finished
        Dependents(
            "persistent_volume_claim", "claims created from it", (("namespace", "namespace"), ("name", "from_snapshot"))
        ),
        Dependents("snapshot_content", "copies of it for other projects", (("path", "made_of"),)),
    ),
    versions=(SINCE,),
    as_evidence=True,
    once=Once("for a snapshot of another moment or volume, write another entry", ("created", "content")),
    states=STATES,
)
