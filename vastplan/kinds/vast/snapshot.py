"""Snapshot: read only, and only where what it is of is to go. Schedules and people make them; nobody declares one."""

from typing import Annotated

from vastplan.kinds.vast._common import collection
from vastplan.schema.compile import kind
from vastplan.schema.kind import Dependents, Metric
from vastplan.schema.markers import IDENTITY, Wire
from vastplan.schema.types import Spec

_YES, _NO = frozenset({True}), frozenset({False})


class Snapshot(Spec):
    """A snapshot of a directory of a tenant, with the protection policy that took it, if one did."""

    name: Annotated[str, IDENTITY]
    path: str
    tenant: Annotated[int, Wire("tenant_id")]
    policy: Annotated[int, Wire("protection_policy_id")]


def snapshots(same: tuple[str, str], under: tuple[str, str] | None = None) -> Dependents:
    """The snapshots that would stay behind: those whose field equals ours, on a path that is ours or below it."""
    pairs = (same,)
    return Dependents("snapshot", "snapshots", pairs, under, remain=True, locks=("indestructible", "locked"))


def below(path: str) -> Dependents:
    """The snapshots of a directory, and of those below it, of the object's tenant."""
    return snapshots(("tenant", "tenant"), (path, "path"))


KIND = kind(
    Snapshot,
    name="snapshot",
    system="vast",
    endpoint=collection("snapshots"),
    # Both are optional in the document, and newer than snapshots are: without them nothing is locked.
    metrics=(
        Metric("indestructible", ("indestructible",), ones=_YES, zeros=_NO, absent=0),
        Metric("locked", ("locked",), ones=_YES, zeros=_NO, absent=0),
    ),
)
