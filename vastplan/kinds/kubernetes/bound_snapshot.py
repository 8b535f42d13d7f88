"""VolumeSnapshot of an existing VolumeSnapshotContent: a snapshot of another namespace from which claims of this one are created."""

from typing import Annotated

from vastplan.kinds.kubernetes._common import InNamespace, Labelled, ObjectName, manifest
from vastplan.kinds.kubernetes._snapshots import GROUP_VERSION, SINCE, SNAPSHOT, STATES
from vastplan.schema.creation import Once
from vastplan.schema.dependents import Dependents
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IMMUTABLE, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName

_CONTENT = ("spec", "source", "volumeSnapshotContentName")


class BoundSnapshot(Labelled):
    """A VolumeSnapshot of an existing content. A delete keeps the content and the snapshot on VAST."""

    name: ObjectName = MISSING
    """Name of the VolumeSnapshot in Kubernetes."""
    namespace: InNamespace
    """Namespace that holds the VolumeSnapshot; the name of a project means its namespace."""
    content: Annotated[ReferenceName, Refers("snapshot_content.name", blocks_delete=False), Wire(*_CONTENT), IMMUTABLE]
    """VolumeSnapshotContent that the VolumeSnapshot is bound to."""


KIND = Kind(
    BoundSnapshot,
    name="bound_snapshot",
    system="kubernetes",
    endpoint=manifest(
        GROUP_VERSION, SNAPSHOT, "volumesnapshots", namespaced=True, vanishes_later=True, having=_CONTENT
    ),
    dependents=(
        Dependents(
            "persistent_volume_claim",
            "claims that wait for it",
            (("namespace", "namespace"), ("name", "from_snapshot")),
            counted="pending",
        ),
    ),
    versions=(SINCE,),
    as_evidence=True,
    once=Once("for a copy of another snapshot, write another volume with its own name", means=True),
    states=STATES,
)
