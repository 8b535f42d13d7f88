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
    """The snapshot of another namespace, for a VolumeSnapshot of this one.

    `of_snapshot` names the original; else it is the newest one of the claim `newest_of`, made `until` then. Which one it was is in the ledger.
    """

    name: ObjectName = MISSING
    namespace: Annotated[ReferenceName, NAMESPACE, Wire("spec", "volumeSnapshotRef", "namespace"), IMMUTABLE, Opens()]
    snapshot: Annotated[KubernetesName, Wire("spec", "volumeSnapshotRef", "name"), IMMUTABLE]
    deletion_policy: Annotated[Literal["Retain"], Wire("spec", "deletionPolicy"), IMMUTABLE]
    of_namespace: Annotated[
        ReferenceName,
        Refers("namespace.name", "project.namespace", blocks_delete=False),
        Wire(*NAMESPACE_OF),
        IMMUTABLE,
    ]
    of_snapshot: Annotated[KubernetesName | MISSING, Wire(*NAMED), IMMUTABLE] = MISSING
    of_claim: Annotated[KubernetesName | MISSING, Wire(*WHOSE), CREATE_ONLY] = MISSING
    """The claim that it has to be of."""
    newest_of: Annotated[KubernetesName | MISSING, Wire(*NEWEST_OF), IMMUTABLE] = MISSING
    until: Annotated[Moment | MISSING, Wire(*UNTIL), IMMUTABLE] = MISSING


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
    once=Once("a copy of another snapshot is for another volume, of a name of its own", ("made_of", "handle")),
)
