"""VolumeSnapshotContent that exists before its VolumeSnapshot, so that a snapshot of one namespace can be used in another.

It has the handle of the content to which the original is bound, and is always retained: after its delete, the snapshot on the storage
system stays with the original. https://kubernetes.io/docs/concepts/storage/volume-snapshots/#static
"""

from typing import Annotated, Literal

from vastplan.kinds._moments import Moment
from vastplan.kinds.kubernetes._common import NAMESPACE, Labelled, ObjectName, manifest
from vastplan.kinds.kubernetes._snapshots import (
    GROUP_VERSION,
    IN_NAMESPACE,
    MADE_OF,
    NAMED,
    NAMESPACE_OF,
    NEWEST_OF,
    ROOT,
    SINCE,
    UNTIL,
    WHOSE,
    original,
)
from vastplan.schema.creation import Once
from vastplan.schema.endpoint import OfSnapshots
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import CREATE_ONLY, IMMUTABLE, Opens, Refers, Wire
from vastplan.schema.types import MISSING, KubernetesName, ReferenceName


class SnapshotContent(Labelled):
    """A VolumeSnapshotContent that makes a snapshot of another namespace known to a VolumeSnapshot of this one.

    `of_snapshot` names the original; otherwise it is the newest one of the claim `newest_of`, not newer than
    `until`. The ledger notes which one it was.
    """

    name: ObjectName = MISSING
    """Name of the VolumeSnapshotContent in Kubernetes."""
    namespace: Annotated[ReferenceName, NAMESPACE, Wire("spec", "volumeSnapshotRef", "namespace"), IMMUTABLE, Opens()]
    """Namespace of the VolumeSnapshot that the content is for; the name of a project means its namespace."""
    snapshot: Annotated[KubernetesName, Wire("spec", "volumeSnapshotRef", "name"), IMMUTABLE]
    """Name of the VolumeSnapshot that the content is for, which is created after it."""
    deletion_policy: Annotated[Literal["Retain"], Wire("spec", "deletionPolicy"), IMMUTABLE]
    """`Retain`: a delete of the content keeps the snapshot on VAST, which belongs to the original."""
    of_namespace: Annotated[
        ReferenceName,
        Refers("namespace.name", "project.namespace", blocks_delete=False),
        Wire(*NAMESPACE_OF),
        IMMUTABLE,
    ]
    """Namespace of the original VolumeSnapshot; the name of a project means its namespace."""
    of_snapshot: Annotated[KubernetesName | MISSING, Wire(*NAMED), IMMUTABLE] = MISSING
    """Name of the original VolumeSnapshot; when left out, the newest of the claim `newest_of`."""
    of_claim: Annotated[KubernetesName | MISSING, Wire(*WHOSE), CREATE_ONLY] = MISSING
    """Name of the claim that the original VolumeSnapshot must be of when the content is created."""
    newest_of: Annotated[KubernetesName | MISSING, Wire(*NEWEST_OF), IMMUTABLE] = MISSING
    """Name of the claim whose newest ready VolumeSnapshot is the original."""
    until: Annotated[Moment | MISSING, Wire(*UNTIL), IMMUTABLE] = MISSING
    """Time, in UTC where no zone is written, after which a VolumeSnapshot of `newest_of` is too new to be used."""


KIND = Kind(
    SnapshotContent,
    name="snapshot_content",
    system="kubernetes",
    endpoint=manifest(
        GROUP_VERSION,
        "VolumeSnapshotContent",
        "volumesnapshotcontents",
        vanishes_later=True,
        shape=OfSnapshots(
            IN_NAMESPACE,
            within=NAMESPACE_OF,
            named=NAMED,
            newest_of=NEWEST_OF,
            until=UNTIL,
            whose=WHOSE,
            contents=f"{ROOT}/volumesnapshotcontents",
            made_of=MADE_OF,
        ),
    ),
    attributes=(Attribute("made_of", MADE_OF), Attribute("handle", ("spec", "source", "snapshotHandle"))),
    versions=(SINCE,),
    as_evidence=True,
    created_from=original("of_namespace", "of_snapshot"),
    once=Once(
        "for a copy of another snapshot, write another volume with its own name", ("made_of", "handle"), means=True
    ),
)
