"""Snapshot: the contents of a directory at one moment. Schedules and users create them; a document may declare one, which is created once.

Source: the vendor's document of 5.5 (`/snapshots/`): a name and an expiry can be changed later, the path cannot.
"""

from typing import Annotated

from vastplan.kinds._moments import MOMENT, Moment
from vastplan.kinds.vast._common import Directory, collection
from vastplan.kinds.vast.clone import UNFINISHED
from vastplan.schema.creation import Once
from vastplan.schema.dependents import Dependents, HeldData, RefusesDelete
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute, Metric, States
from vastplan.schema.markers import IDENTITY, IMMUTABLE, Clears, FixedWhile, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName, Spec, VendorName

_YES, _NO = frozenset({True}), frozenset({False})
_NEWEST = "protected paths whose newest restore point it is"


def _sooner(before: str | None, after: str | None) -> bool:
    return after is not None and (before is None or after < before)


class Snapshot(Spec):
    """A snapshot of a directory of a tenant. Without an expiry it stays until it is deleted."""

    name: Annotated[VendorName, IDENTITY]
    """Name of the snapshot in VMS."""
    path: Annotated[Directory, IMMUTABLE]
    """Directory of which the snapshot is taken, as an absolute path inside the tenant."""
    tenant: Annotated[ReferenceName, Refers("tenant", blocks_delete=False), Wire("tenant_id"), IMMUTABLE]
    """Tenant that the directory belongs to."""
    expires: Annotated[
        Moment | None | MISSING,
        Wire("expiration_time"),
        Clears(None),
        MOMENT,
        FixedWhile("indestructible", "become earlier", _sooner),
    ] = MISSING
    """Time at which VAST removes the snapshot, in UTC where no zone is written; with null it stays until it is
    deleted."""


def snapshots(same: tuple[str, str], under: tuple[str, str] | None = None) -> Dependents:
    """The snapshots that would remain after a delete: those whose field equals that of the object (`same`), on its
    path or below it (`under`)."""
    pairs = (same,)
    return Dependents("snapshot", "snapshots", pairs, under, remain=True, locks=("indestructible", "locked"))


def below(path: str) -> Dependents:
    """The snapshots of a directory and of those below it, in the object's tenant."""
    return snapshots(("tenant", "tenant"), (path, "path"))


KIND = Kind(
    Snapshot,
    name="snapshot",
    system="vast",
    endpoint=collection("snapshots", vanishes_later=True),
    # Both fields are optional in the API document, and newer than snapshots: a row without them is not locked.
    metrics=(
        Metric("indestructible", ("indestructible",), ones=_YES, zeros=_NO, absent=0),
        Metric("locked", ("locked",), ones=_YES, zeros=_NO, absent=0),
    ),
    attributes=(
        Attribute("policy", ("protection_policy_id",)),  # the policy that created it, if one did
        Attribute("created", ("created",)),
        Attribute("expiration_time", ("expiration_time",)),
    ),
    data_bearing=True,
    held=HeldData(part="VMS does not report the size of a snapshot"),
    in_use=("indestructible",),
    dependents=(
        Dependents("clone", "unfinished clones of it", (("id", "snapshot_id"),), counted=UNFINISHED),
        Dependents(
            "protected_path",
            _NEWEST,
            (("created", "newest_restore_point"), ("policy", "protection_policy")),
        ),
    ),
    refuses_delete=(
        RefusesDelete(
            "indestructible",
            "VAST deletes no indestructible snapshot",
            "wait until it expires, or keep it without managing it: vastplan ledger forget PATH ADDRESS",
        ),
        RefusesDelete(
            "unfinished clones of it",
            "VAST deletes no snapshot that is being cloned",
            "wait until the clones are complete, or delete them first, then plan again",
        ),
        RefusesDelete(
            _NEWEST,
            "VAST deletes no restore point that replication needs",
            "wait for the next restore point, or delete the protected paths first, then plan again",
        ),
    ),
    as_evidence=True,
    once=Once("for a snapshot of another moment or volume, write another entry", ("created", "expiration_time")),
    states=States(
        ("state",), frozenset({"SUCCEED"}), frozenset({"FAILED"}), leaving=frozenset({"DELETING", "RETRY_DELETE"})
    ),
)
