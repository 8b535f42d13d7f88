"""Protected path: a directory under a protection policy. The copy of a replicated path, on the other cluster, has the role
DESTINATION.

Source of a path with a peer and no schedule: VAST knowledge base, configuring global access; S3 synchronous replication.
"""

from typing import Annotated, Literal

from pydantic import StringConstraints, model_validator

from vastplan.kinds.vast._common import INTERNAL, NOTHING, Directory, collection, views_below
from vastplan.kinds.vast.snapshot import below
from vastplan.model import units
from vastplan.schema.dependents import HeldData, Linked, Precedes
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute, Metric, States
from vastplan.schema.markers import (
    AFTER_CREATE,
    CREATE_ONLY,
    IDENTITY,
    IMMUTABLE,
    SMALLER,
    WITNESS,
    Clears,
    Codec,
    CreatedWith,
    InsteadOf,
    Opens,
    Refers,
    ServerDefault,
    Since,
    Wire,
)
from vastplan.schema.site_groups import Grouped, Lag, RemoteDirectory
from vastplan.schema.types import MISSING, ReferenceName, Says, Span, Spec, VendorName

# All API documents have it as text; every GUID seen so far has this form.
_Guid = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"),
    Says("a GUID, such as 01234567-89ab-cdef-0123-456789abcdef"),
]
SYNCHRONOUS = "SYNC_REPLICATION"
_BY_A_PEER = ("STARED_GLOBAL_NAMESPACE", SYNCHRONOUS)
_SHARED_BY = ("global_access", "synchronous_replication")  # the field of a volume, a view or a bucket for each
# A call changes the kind of a stream (modify_member), but no document says what happens to the data meanwhile.
_ANOTHER = (
    "leave it as it was; or change it in three steps: remove the replication (one site in sites, no active) and apply, have the directory "
    "removed on the other site, then write the other kind and apply"
)
_SHARED_FROM_THE_START = (
    "remove active and the field that shares it, and each site keeps a directory of its own; or share it from the start, which sends all data: "
    "write one site in sites and apply, have the directory removed on the other site, then write the entry as it is now"
)
_REFUSES = {
    "path on peer exists": "VAST replicates only to a directory that does not exist yet. If nothing in it is needed, have it removed on the other site and "
    "apply again; if it has the right data, write that site as active and remove the directory of this site; if both are needed, "
    "give the other site another path (per_site: {SITE: {path: PATH}}; target_exported_dir in protected_paths)"
}
_TEXT = Codec(str, str)  # the schema has this id as text; VMS accepts numbers, too, and may return either

# The first synchronisation may take days; the path is usable meanwhile.
_USABLE = frozenset(
    {
        "Active", "Local", "LOCAL_ACTIVE", "Suspended", "LOCAL_SUSPENDED", "Syncing", "Initial Scan", "Initial Sync",
        "Initial Sync Suspended", "INITIAL_SCAN", "INITIAL_SYNC", "INITIAL_SYNC_SUSPENDED", "INCREMENTAL_SYNC",
        "INCREMENTAL_SYNC_SUSPENDED", "PENDING_SYNC", "Finalizing", "Writable", "Degraded",
    }
)  # fmt: skip
_BROKEN = frozenset(
    {
        "Failed", "Error", "ERROR_DEPRECATED", "Sync Failed", "INVALID", "DELETED_ON_PEER",
    }
)  # fmt: skip
_LEAVING = frozenset({"DELETE_PENDING", "DELETE_READY", "PENDING_CLEANUP"})

# No data has arrived yet. The role is settled, so the volume can be worked on, but nobody can continue with the copy.
_STARTING = frozenset(
    {"Initializing", "Initial Scan", "Initial Sync", "Initial Sync Suspended", "INITIAL_SYNC_SUSPENDED"}
)
_FAILING = frozenset(
    {
        "Failed",
        "Error",
        "ERROR_DEPRECATED",
        "Sync Failed",
        "INVALID",
        "Blocked",
        "Suspended",
        "INCREMENTAL_SYNC_SUSPENDED",
    }
)

# Only a synchronous path is disconnected: Degraded is the source without its destination, Blocked the destination.
_DISCONNECTED = frozenset({"Degraded", "Blocked"})

# Further states in which a role is settled. Clients of VMS have seen `partially active` for groups of several streams.
_SETTLED = frozenset({"Initializing", "Blocked", "partially active"})


def _word(text: str) -> str:
    return text.upper().replace(" ", "_")


class ProtectedPath(Spec):
    """A protected directory: with snapshots by a schedule, and where it replicates, with a copy on another cluster.

    `snapshots` of a view creates one for its directory. Recreating one sends all data again.
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    """Name of the protected path in VMS; the entry's key when left out."""
    tenant: Annotated[ReferenceName, Refers("tenant"), Wire("tenant_id"), IMMUTABLE]
    """Tenant that the protected directory belongs to."""
    source_dir: Annotated[Directory, IMMUTABLE]
    """Directory that is protected, as an absolute path inside the tenant."""
    target_exported_dir: Annotated[Directory | MISSING, IMMUTABLE] = MISSING
    """Directory of the copy on the other cluster, which creates it; the path in source_dir when left out."""
    protection_policy: Annotated[
        ReferenceName | MISSING, Refers("protection_policy"), Wire("protection_policy_id"), _TEXT
    ] = MISSING
    """Snapshot schedule that protects the directory. It excludes peer."""
    peer: Annotated[
        ReferenceName | MISSING,
        Refers("replication_peer", composed=True),
        Wire("remote_target_id"),
        CREATE_ONLY,
        Opens(),
        Since("vms", "5.1"),
    ] = MISSING
    """Replication peer for global access alone or synchronous replication, which take no snapshots and exclude
    protection_policy: an entry of replication_peers, or an existing one. VMS never shows it."""
    capabilities: Annotated[
        Literal["ASYNC_REPLICATION", "REPLICATION_AND_GN", "STARED_GLOBAL_NAMESPACE", "SYNC_REPLICATION"],
        IMMUTABLE,
        CreatedWith(SYNCHRONOUS, another=_ANOTHER),
        Opens("REPLICATION_AND_GN", "STARED_GLOBAL_NAMESPACE"),
        Since("vms", "5.3", values=("REPLICATION_AND_GN", SYNCHRONOUS)),
    ] = "ASYNC_REPLICATION"
    """Kind of protection: snapshots and copies by schedule (ASYNC_REPLICATION), global access
    (STARED_GLOBAL_NAMESPACE), both (REPLICATION_AND_GN), or each write at once (SYNC_REPLICATION)."""
    remote_tenant: Annotated[
        ReferenceName | MISSING, Refers("tenant.guid", composed=True), Wire("remote_tenant_guid"), IMMUTABLE, Opens()
    ] = MISSING
    """Tenant of the copy on the other site; the tenant of the same name when left out."""
    remote_tenant_guid: Annotated[_Guid | MISSING, IMMUTABLE, Opens(), InsteadOf("remote_tenant")] = MISSING
    """GUID of the tenant of the copy, where the peer is not a site of this document. It excludes remote_tenant."""
    enabled: Annotated[bool | MISSING, AFTER_CREATE, ServerDefault(True, WITNESS), SMALLER] = MISSING
    """Whether the path is active; otherwise it is paused."""
    lease_expiry_time: Annotated[Span | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    """Time for which the other cluster may serve data that it has cached before it asks again (global access)."""
    sync_disconnect_time: Annotated[Span | MISSING, Since("vms", "5.3")] = MISSING
    """Time that a write waits for the other cluster before the two are disconnected. SYNC_REPLICATION needs it, the
    other capabilities exclude it."""

    @model_validator(mode="after")
    def _one_tenant(self) -> "ProtectedPath":
        if self.remote_tenant is not MISSING and self.remote_tenant_guid is not MISSING:
            raise ValueError("give either remote_tenant or remote_tenant_guid")
        if self.peer is MISSING and self.protection_policy is MISSING and self.capabilities in _BY_A_PEER:
            # an import reports this, too, for a path that exists: VMS never returns its peer
            word = _SHARED_BY[_BY_A_PEER.index(self.capabilities)]
            raise ValueError(
                f"{self.capabilities} needs a peer, which VMS does not show: write {word} and active in the entry of its directory "
                "(apply --adopt adopts what exists), or write peer"
            )
        if (self.peer is MISSING) == (self.protection_policy is MISSING):
            raise ValueError("give either protection_policy, or peer (global access alone, or synchronous replication)")
        if (self.peer is MISSING) == (self.capabilities in _BY_A_PEER):
            raise ValueError(f"peer and capabilities {' or '.join(_BY_A_PEER)} go together")
        if (self.sync_disconnect_time is MISSING) == (self.capabilities == SYNCHRONOUS):
            raise ValueError(f"{SYNCHRONOUS} and sync_disconnect_time go together")
        return self


VIEW_OF_IT = Linked("view", (("tenant", "tenant"), ("source_dir", "path")))
KIND = Kind(
    ProtectedPath,
    name="protected_path",
    system="vast",
    section="protected_paths",
    endpoint=collection("protectedpaths", vanishes_later=True, refuses=_REFUSES),
    data_bearing=True,
    metrics=(Metric("logical size", ("logical_size",), units.BYTES),),
    in_use=("logical size",),
    held=HeldData(("logical size",), (VIEW_OF_IT,), unprotected="source_dir"),
    users=(VIEW_OF_IT,),
    dependents=(below("source_dir"),),
    protects=(views_below("source_dir"),),
    # The other cluster creates the directory, so a view of the directory is created after the path.
    precedes=(Precedes("view", same=(("remote_tenant", "tenant"), ("target_exported_dir", "path"))),),
    # VAST refuses a directory that exists on the other cluster ("path on peer exists"), also one that another path left behind.
    remote_directory=RemoteDirectory(
        "remote_tenant",
        "remote_tenant_guid",
        "target_exported_dir",
        shown_by=(("view", "tenant", "path"), ("quota", "tenant", "path")),
        composed=_SHARED_FROM_THE_START,
    ),
    # A path with the role DESTINATION is a copy. An owned path stays owned when its role moves (the ledger has its id).
    system_owned=(*INTERNAL, (("role",), "DESTINATION")),
    mirrored=True,
    # One path on two clusters. While its role changes, or is not a documented one, vastplan changes nothing.
    attributes=(
        Attribute("guid", ("guid",)),
        Attribute("role", ("role",)),
        Attribute("state", ("state",)),
        Attribute("newest_snapshot", ("last_snapshot_creation_time",)),
        Attribute("newest_restore_point", ("last_restore_point_creation_time",)),
        Attribute("arrived", ("last_restore_point_time",)),
        Attribute("coming", ("last_uploading_restore_point_logical_size",)),
        Attribute("progress", ("last_uploading_restore_point_progress",)),
        Attribute("health", ("health",)),
        Attribute("peer_state", ("peer_connection_state",)),
    ),
    grouped=Grouped(
        "guid",
        role="role",
        sources=frozenset({"SOURCE"}),
        destinations=frozenset({"DESTINATION"}),
        detached=frozenset({"STANDALONE"}),
        state="state",
        settled=frozenset(map(_word, _USABLE | _BROKEN | _LEAVING | _SETTLED)),
        across="remote_tenant",
        chosen_by="active",
        ends=(("source_dir", "target_exported_dir"),),
        starting=frozenset(map(_word, _STARTING)),
        failing=frozenset(map(_word, _FAILING)),
        lost=frozenset({"DELETED_ON_PEER"}),
        kept_by="capabilities",
        at_once=frozenset({SYNCHRONOUS}),
        disconnected=frozenset(map(_word, _DISCONNECTED)),
        lag=Lag(
            as_of="newest_restore_point",
            arrived="arrived",
            taken="newest_snapshot",
            coming="coming",
            progress="progress",
            health="health",
            peer="peer_state",
            connected=frozenset({"CONNECTED", "OK"}),
            enabled="enabled",
        ),
    ),
    states=States(("state",), _USABLE, _BROKEN, leaving=_LEAVING, message=("failure_reason",)),
)
