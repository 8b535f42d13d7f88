"""Clone: a directory that is created once from a snapshot, by a stream that copies the data in the background or as it is read.

Source: the vendor's document of 5.5 (`/snapshots/{id}/clone/`, `/globalsnapstreams/`), and its CSI driver, which creates a clone
before the view of the directory (VAST refuses a directory that exists), and stops a stream before it deletes it. A stream that is
stopped before it has finished also deletes the directory.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from vastplan.kinds._moments import in_time, take_one
from vastplan.kinds.vast._common import Directory
from vastplan.schema.creation import CreatedFrom, Once
from vastplan.schema.dependents import Dependents, HeldData, Linked
from vastplan.schema.endpoint import Clones, Endpoint, FarClones
from vastplan.schema.kind import Kind, Values
from vastplan.schema.live import Attribute, Metric, States
from vastplan.schema.markers import IDENTITY, IMMUTABLE, WRITE_ONLY, Refers, Wire
from vastplan.schema.site_groups import RemoteDirectory
from vastplan.schema.types import MISSING, ReferenceName, Says, Spec, Text

LONGEST_NAME = 64
LATEST, BEFORE = "latest", "before "
UNFINISHED = "unfinished (a delete also deletes its directory)"
_FINISHED = frozenset({"FINISHED"})
_USABLE = frozenset({"Syncing", "Finalizing", "Active", "Completed", "Suspended"})
_BROKEN = frozenset({"Failed", "Error"})


class Clone(Spec):
    """A directory of its own with the data of a snapshot of the same tenant.

    `snapshot` is `latest`, `before TIME`, or a name; the ledger notes which one was cloned. The directory can be
    used at once: what is not copied yet is read from the snapshot, which stays until then.
    """

    name: Annotated[
        str,
        StringConstraints(min_length=1, max_length=LONGEST_NAME),
        Says(f"a name of at most {LONGEST_NAME} characters"),
        IDENTITY,
    ]
    """Name of the stream that creates the clone."""
    tenant: Annotated[
        ReferenceName, Refers("tenant.guid", blocks_delete=False), Wire("loanee_tenant", "guid"), IMMUTABLE
    ]
    """Tenant that the new directory belongs to."""
    path: Annotated[Directory, Wire("loanee_root_path"), IMMUTABLE]
    """Directory that the clone creates; it must not exist before."""
    source: Annotated[Directory, Wire("source_path"), IMMUTABLE]
    """Directory whose snapshot is cloned, as an absolute path inside its tenant."""
    snapshot: Annotated[Text, WRITE_ONLY, IMMUTABLE]
    """Snapshot that is cloned: latest, before TIME, or a name."""
    peer: Annotated[ReferenceName | MISSING, Refers("replication_peer"), Wire("remote_target_id"), IMMUTABLE] = MISSING
    """Replication peer to the cluster that has the snapshot, where that is another cluster."""
    source_tenant: Annotated[
        ReferenceName | MISSING,
        Refers("tenant.guid", composed=True, blocks_delete=False),
        Wire("owner_tenant", "guid"),
        IMMUTABLE,
    ] = MISSING
    """Tenant of the snapshot on the cluster of peer."""
    enabled: bool | MISSING = MISSING
    """Whether the data is copied in the background; otherwise reads always go to the snapshot."""


def clones_of(path: str) -> Dependents:
    """The unfinished clones of a directory and of those below it, in the object's tenant: they still read from it."""
    return Dependents("clone", "unfinished clones of it", (("tenant", "tenant.id"),), (path, "source"), UNFINISHED)


def _fits(values: Values, name: str, created: str) -> bool:
    """Whether a snapshot of the directory is one that `snapshot` may mean."""
    wanted = str(values["snapshot"])
    if wanted.startswith(BEFORE):
        return in_time(wanted.removeprefix(BEFORE), created)
    return wanted in (LATEST, name)


def _missing(values: Values) -> tuple[str, str]:
    wanted, source = str(values["snapshot"]), values["source"]
    if wanted.startswith(BEFORE):
        text = f"no snapshot of {source} from {wanted.removeprefix(BEFORE)} or before exists"
        return text, "write snapshot: latest, or a later time"
    take = f"{take_one('NAME' if wanted == LATEST else wanted)} (of a directory that no volume has: take it in VMS)"
    if wanted == LATEST:
        return f"no snapshot of {source} exists", f"{take}, or wait for the first of its schedule"
    return f"no snapshot {wanted} of {source} exists", f"{take}, or write the name of one that exists"


KIND = Kind(
    Clone,
    name="clone",
    system="vast",
    endpoint=Endpoint(
        "/globalsnapstreams/",
        shape=Clones(
            "/snapshots/{snapshot}/clone/",
            snapshots="/snapshots/",
            of="source_path",
            which="snapshot",
            room=("loanee_tenant", "guid"),
            rooms="/tenants/",
            sent_room="loanee_tenant_id",
            stop="stop",
            state=("status", "state"),
            done="FINISHED",
            with_directory="remove_dir",
            taken="snapshot_created",
            far=FarClones(
                "remote_target_id",
                peers="/nativereplicationremotetargets/",
                room=("owner_tenant", "guid"),
                rooms="/clusters/list_tenants_remote/",
                directories="/clusters/list_snapshoted_paths_remote/",
                snapshots="/clusters/list_clone_snapshoted_paths_remote/",
                snapshot="owner_root_snapshot",
            ),
        ),
        vanishes_later=True,
    ),
    attributes=(
        Attribute("snapshot_id", ("loanee_snapshot_id",)),
        Attribute("remote_snapshot_id", ("owner_root_snapshot", "clone_id")),
        Attribute("snapshot_name", ("source_snapshot",)),
        Attribute("snapshot_created", ("snapshot_created",)),
    ),
    metrics=(
        Metric(UNFINISHED, ("status", "state"), ones=frozenset({"Active", "DELETING", "FAILED"}), zeros=_FINISHED),
    ),
    in_use=(UNFINISHED,),
    # the directory of a finished clone stays
    held=HeldData(links=(Linked("view", (("path", "path"),), agree=(("tenant", "tenant.guid"),)),), while_=UNFINISHED),
    remote_directory=RemoteDirectory(
        "tenant", "", "path", shown_by=(("view", "tenant", "path"), ("quota", "tenant", "path"))
    ),
    as_evidence=True,
    created_from=(
        CreatedFrom(("snapshot",), (("tenant", "tenant"), ("source", "path")), _missing, _fits, unless="peer"),
    ),
    once=Once(
        "for a clone of another snapshot, write another volume with its own name and path",
        ("snapshot_id", "remote_snapshot_id", "snapshot_name", "snapshot_created"),
        means=True,
    ),
    states=States(("state",), _USABLE, _BROKEN),
)
