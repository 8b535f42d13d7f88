"""Protected path: a directory under a protection policy; the copy of a replicated one is a DESTINATION over there."""

from typing import Annotated, Literal

from pydantic import model_validator

from vastplan.kinds.vast._common import INTERNAL, NOTHING, Directory, collection
from vastplan.kinds.vast.snapshot import below
from vastplan.model import units
from vastplan.schema.compile import kind
from vastplan.schema.kind import Metric, Precedes, Ready
from vastplan.schema.markers import (
    AFTER_CREATE,
    IDENTITY,
    IMMUTABLE,
    WITNESS,
    Clears,
    Codec,
    Opens,
    Refers,
    ServerDefault,
    Wire,
)
from vastplan.schema.types import MISSING, Name, ReferenceName, Span, Spec

_TEXT = Codec(str, str)  # the schema has this id as text; numbers are taken too, and either may be answered

# The first synchronisation may take days; the path is in order while it lasts.
_USABLE = frozenset(
    {
        "Active", "Local", "LOCAL_ACTIVE", "Suspended", "LOCAL_SUSPENDED", "Syncing", "Initial Scan", "Initial Sync",
        "Initial Sync Suspended", "INITIAL_SCAN", "INITIAL_SYNC", "INITIAL_SYNC_SUSPENDED", "INCREMENTAL_SYNC",
        "INCREMENTAL_SYNC_SUSPENDED", "PENDING_SYNC", "Finalizing", "Writable", "Degraded",
    }
)  # fmt: skip
_BROKEN = frozenset(
    {
        "Failed", "Error", "ERROR_DEPRECATED", "Sync Failed", "INVALID", "DELETED_ON_PEER", "DELETE_PENDING",
        "DELETE_READY", "PENDING_CLEANUP",
    }
)  # fmt: skip


class ProtectedPath(Spec):
    """A directory that a protection policy snapshots, and with `remote_tenant` replicates to that tenant elsewhere.

    Making one anew sends everything again.
    """

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    tenant: Annotated[ReferenceName, Refers("tenant"), Wire("tenant_id"), IMMUTABLE]
    source_dir: Annotated[Directory, IMMUTABLE]
    target_exported_dir: Annotated[Directory, IMMUTABLE]
    """Where it goes on the other cluster, which makes the directory; of a local path the source itself."""
    protection_policy: Annotated[
        ReferenceName, Refers("protection_policy"), Wire("protection_policy_id"), IMMUTABLE, _TEXT
    ]
    capabilities: Annotated[
        Literal["ASYNC_REPLICATION", "REPLICATION_AND_GN"], IMMUTABLE, Opens("REPLICATION_AND_GN")
    ] = "ASYNC_REPLICATION"
    remote_tenant: Annotated[
        ReferenceName | MISSING, Refers("tenant.guid"), Wire("remote_tenant_guid"), IMMUTABLE, Opens()
    ] = MISSING
    enabled: Annotated[bool | MISSING, AFTER_CREATE, ServerDefault(True, WITNESS)] = MISSING
    lease_expiry_time: Annotated[Span | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    """How long the other cluster may serve what it has cached (global access)."""

    @model_validator(mode="after")
    def _local_or_remote(self) -> "ProtectedPath":
        if self.remote_tenant is MISSING and self.target_exported_dir != self.source_dir:
            raise ValueError("without remote_tenant the path is local, and its target is the source_dir")
        if self.remote_tenant is MISSING and self.capabilities != "ASYNC_REPLICATION":
            raise ValueError("REPLICATION_AND_GN needs a remote_tenant")
        return self


KIND = kind(
    ProtectedPath,
    name="protected_path",
    system="vast",
    endpoint=collection("protectedpaths", vanishes_later=True),
    data_bearing=True,
    metrics=(Metric("logical size", ("logical_size",), units.BYTES),),
    in_use=("logical size",),
    dependents=(below("source_dir"),),
    # The other cluster makes the directory, so a view of it comes after.
    precedes=(Precedes("view", same=(("remote_tenant", "tenant"), ("target_exported_dir", "path"))),),
    system_owned=(*INTERNAL, (("role",), "DESTINATION")),
    mirrored=True,
    ready=Ready(("state",), _USABLE, _BROKEN, ("failure_reason",)),
)
