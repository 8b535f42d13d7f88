"""Objects that are made of a VolumeSnapshot: which one is meant, and what is sent of it. Pure."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from vastplan.model.errors import Refused
from vastplan.model.moments import moment
from vastplan.schema.endpoint import OfSnapshots
from vastplan.schema.kind import Row
from vastplan.schema.rows import at, put
from vastplan.systems.failures import one_line

_CLAIM = "PersistentVolumeClaim"
_SOURCE = ("spec", "dataSource")
_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which VolumeSnapshot of a namespace is meant: that of a name, or the newest one of a claim, made `until` then where that is said."""

    namespace: str
    name: str
    claim: str
    until: str


def wanted(shape: OfSnapshots, body: Row) -> Wanted | None:
    """What a body says, `None` where it is made of no snapshot."""
    name, claim = at(body, shape.named), at(body, shape.newest_of)
    if claim is None and (name is None or at(body, (*_SOURCE, "kind")) == _CLAIM):
        return None
    return Wanted(*(str(said or "") for said in (at(body, shape.within), name, claim, at(body, shape.until))))


def usable(rows: Iterable[Row], which: Wanted) -> Row | None:
    """The VolumeSnapshot that is meant, of those of its namespace; `None` while the one of that name is not ready.

    Raises `Refused` where there is none, and where the newest is meant and none is ready.
    """
    if which.name:
        named = _named(rows, which)
        if named is None:
            raise Refused(f"namespace {which.namespace} has no VolumeSnapshot {which.name}")
        return named if _is_ready(named) else None
    there = [row for row in rows if at(row, ("spec", "source", "persistentVolumeClaimName")) == which.claim]
    until = moment(which.until) if which.until else None
    dated = [(_made(row), row) for row in there if _is_ready(row)]
    in_time = [(made, row) for made, row in dated if until is None or (made is not None and made <= until)]
    if not in_time:
        late = f" from {which.until} or before" if which.until else ""
        whose = f"claim {which.claim} of namespace {which.namespace}"
        raise Refused(f"{whose} has no VolumeSnapshot{late} that is ready, of {len(there)} that are there")
    return max(in_time, key=lambda pair: (pair[0] or _OLDEST, str(at(pair[1], ("metadata", "name")))))[1]


def overdue(rows: Iterable[Row], which: Wanted, seconds: float) -> Refused:
    """What to say of the VolumeSnapshot of that name that is not ready after a time: nothing is made of it."""
    said = at(_named(rows, which), ("status", "error", "message"))
    why = f": {one_line(str(said))}" if said else ""
    return Refused(
        f"VolumeSnapshot {which.namespace}/{which.name} is not ready after {seconds:.0f} s, and nothing is made of it{why}"
    )


def _named(rows: Iterable[Row], which: Wanted) -> Row | None:
    return next((row for row in rows if at(row, ("metadata", "name")) == which.name), None)


def content_name(snapshot: Row) -> str:
    """The content that a VolumeSnapshot is bound to."""
    return str(at(snapshot, ("status", "boundVolumeSnapshotContentName")) or "")


def of_snapshot(body: Row, snapshot: Row) -> Row:
    """The body of a claim that is made of it."""
    made = copy.deepcopy(body)
    source = {
        "apiGroup": "snapshot.storage.k8s.io",
        "kind": "VolumeSnapshot",
        "name": at(snapshot, ("metadata", "name")),
    }
    put(made, _SOURCE, source)
    return made


def of_content(shape: OfSnapshots, body: Row, snapshot: Row, content: Row) -> Row:
    """The body of another content of the same snapshot; raises `Refused` where the one does not tell its handle."""
    handle = at(content, ("status", "snapshotHandle")) or at(content, ("spec", "source", "snapshotHandle"))
    if not handle:
        raise Refused(f"VolumeSnapshotContent {content_name(snapshot)} tells no handle of its snapshot")
    made = copy.deepcopy(body)
    put(made, ("spec", "source"), {"snapshotHandle": handle})
    put(made, ("spec", "driver"), at(content, ("spec", "driver")))
    if mode := at(content, ("spec", "sourceVolumeMode")):
        put(made, ("spec", "sourceVolumeMode"), mode)
    metadata = snapshot["metadata"]
    put(made, shape.made_of, f"{metadata.get('namespace')}/{metadata.get('name')}")
    return made


def _is_ready(row: Row) -> bool:
    return at(row, ("status", "readyToUse")) is True and at(row, ("metadata", "deletionTimestamp")) is None


def _made(row: Row) -> datetime | None:
    return moment(at(row, ("status", "creationTime")) or at(row, ("metadata", "creationTimestamp")))
