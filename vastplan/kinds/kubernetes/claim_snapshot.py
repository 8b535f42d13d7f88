"""VolumeSnapshot of a claim: what was in its volume at one moment, made once, by the driver, as a snapshot class says.

Kubernetes has no expiry for one. When it goes its class' deletion policy decides whether the snapshot of the storage system does.
"""

from typing import Annotated

from vastplan.kinds.kubernetes._common import InNamespace, Labelled, ObjectName, manifest
from vastplan.kinds.kubernetes._snapshots import CREATED, GROUP_VERSION, READY, SINCE, SNAPSHOT
from vastplan.schema.compile import kind
from vastplan.schema.kind import Attribute, Dependents, Once
from vastplan.schema.markers import CREATE_ONLY, IMMUTABLE, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName

_CLAIM = ("spec", "source", "persistentVolumeClaimName")


class ClaimSnapshot(Labelled):
    """A snapshot of a claim of its namespace. Its class counts when it is made, and not after."""

    name: ObjectName = MISSING
    namespace: InNamespace
    claim: Annotated[
        ReferenceName, Refers("persistent_volume_claim.name", blocks_delete=False), Wire(*_CLAIM), IMMUTABLE
    ]
    snapshot_class: Annotated[
        ReferenceName | MISSING,
        Refers("snapshot_class.name", blocks_delete=False),
        Wire("spec", "volumeSnapshotClassName"),
        CREATE_ONLY,
    ] = MISSING
    """Left out, it is the cluster's default class of the driver."""


KIND = kind(
    ClaimSnapshot,
    name="claim_snapshot",
    system="kubernetes",
    endpoint=manifest(GROUP_VERSION, SNAPSHOT, "volumesnapshots", namespaced=True, vanishes_later=True, having=_CLAIM),
    attributes=(CREATED, Attribute("content", ("status", "boundVolumeSnapshotContentName"))),
    data_bearing=True,
    dependents=(
        # Kubernetes does not tell whether the driver still copies: a claim is bound before
        Dependents(
            "persistent_volume_claim", "claims made from it", (("namespace", "namespace"), ("name", "from_snapshot"))
        ),
        Dependents("snapshot_content", "copies of it for other projects", (("path", "made_of"),)),
    ),
    versions=(SINCE,),
    as_evidence=True,
    once=Once("a snapshot of another moment or volume is another entry", ("created", "content")),
    ready=READY,
)
