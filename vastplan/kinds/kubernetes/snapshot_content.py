"""VolumeSnapshotContent that was there before its VolumeSnapshot: by it a snapshot of one namespace is one of another, too.

The new one has the handle of the content that the original is bound to, and is always retained: when it goes, the snapshot of the
storage system stays with whose it was. https://kubernetes.io/docs/concepts/storage/volume-snapshots/#static
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
)
from vastplan.schema.compile import kind
from vastplan.schema.endpoint import OfSnapshots
from vastplan.schema.kind import Attribute, Once
from vastplan.schema.markers import CREATE_ONLY, IMMUTABLE, Opens, Refers, Wire
from vastplan.schema.types import MISSING, KubernetesName, ReferenceName


class SnapshotContent(Labelled):
    """A VolumeSnapshotContent that makes a snapshot of another namespace known to a VolumeSnapshot of this one.

    `of_snapshot` names the original; else it is the newest one of the claim `newest_of`, made `until` then. Which one
    it was is in the ledger.
    """

    name: ObjectName = MISSING
    """Name of the VolumeSnapshotContent in Kubernetes."""
    namespace: Annotated[ReferenceName, NAMESPACE, Wire("spec", "volumeSnapshotRef", "namespace"), IMMUTABLE, Opens()]
    """Namespace of the VolumeSnapshot that the content is for; the name of a project stands for its namespace."""
    snapshot: Annotated[KubernetesName, Wire("spec", "volumeSnapshotRef", "name"), IMMUTABLE]
    """Name of the VolumeSnapshot that the content is for, which is made after it."""
    deletion_policy: Annotated[Literal["Retain"], Wire("spec", "deletionPolicy"), IMMUTABLE]
    """`Retain`: the snapshot on VAST stays when the content goes, as it belongs to the original."""
    of_namespace: Annotated[
        ReferenceName,
        Refers("namespace.name", "project.namespace", blocks_delete=False),
        Wire(*NAMESPACE_OF),
        IMMUTABLE,
    ]
    """Namespace of the original VolumeSnapshot; the name of a project stands for its namespace."""
    of_snapshot: Annotated[KubernetesName | MISSING, Wire(*NAMED), IMMUTABLE] = MISSING
    """Name of the original VolumeSnapshot; without it the newest of the claim `newest_of` is taken."""
    of_claim: Annotated[KubernetesName | MISSING, Wire(*WHOSE), CREATE_ONLY] = MISSING
    """Name of the claim that the original VolumeSnapshot must be of when the content is made."""
    newest_of: Annotated[KubernetesName | MISSING, Wire(*NEWEST_OF), IMMUTABLE] = MISSING
    """Name of the claim whose newest ready VolumeSnapshot is the original."""
    until: Annotated[Moment | MISSING, Wire(*UNTIL), IMMUTABLE] = MISSING
    """Time, UTC without a zone, after which a VolumeSnapshot of `newest_of` is too new to be taken."""


KIND = kind(
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
    once=Once(
        "for a copy of another snapshot, write another volume with its own name", ("made_of", "handle"), means=True
    ),
)
