"""Objects that are created from a VolumeSnapshot: which snapshot is used, and the body that is sent. Pure."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal

from kubernetes.utils.quantity import parse_quantity

from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused
from vastplan.model.moments import parse_moment
from vastplan.schema.endpoint import OfSnapshots
from vastplan.schema.kind import Row
from vastplan.schema.rows import at, put
from vastplan.systems.failures import one_line

_CLAIM = "PersistentVolumeClaim"
_SOURCE = ("spec", "dataSource")
_OF = ("spec", "source", "persistentVolumeClaimName")
_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SnapshotChoice:
    """Which VolumeSnapshot of a namespace to use: the one called `name`, or the newest of `claim`, not later than `until` if set.

    A snapshot by name has to be `of` that claim; "" for any claim.
    """

    namespace: str
    name: str
    claim: str
    until: str
    of: str = ""


def snapshot_choice(shape: OfSnapshots, body: Row) -> SnapshotChoice | None:
    """The snapshot that a body asks for, `None` if the object is not created from one."""
    name, claim = at(body, shape.named), at(body, shape.newest_of)
    if claim is None and (name is None or at(body, (*_SOURCE, "kind")) == _CLAIM):
        return None
    values = (at(body, shape.within), name, claim, at(body, shape.until), at(body, shape.whose))
    return SnapshotChoice(*(str(value or "") for value in values))


def usable(rows: Iterable[Row], which: SnapshotChoice) -> Row | None:
    """The VolumeSnapshot to use, from the rows of its namespace; `None` while the one of that name is not ready.

    Raises `Refused` if none of that name exists or it is of another claim, or if a claim has no ready one in time.
    """
    if which.name:
        snapshot = _named(rows, which)
        if snapshot is None:
            raise Refused(f"namespace {which.namespace} has no VolumeSnapshot {which.name}")
        claim = at(snapshot, _OF)
        if which.of and claim is not None and claim != which.of:  # that of an older content names no claim
            raise Refused(
                f"VolumeSnapshot {which.namespace}/{which.name} is of claim {one_line(str(claim))}, not of {which.of}"
            )
        return snapshot if _is_ready(snapshot) else None
    candidates = [row for row in rows if at(row, _OF) == which.claim]
    until = parse_moment(which.until) if which.until else None
    dated = [(_made(row), row) for row in candidates if _is_ready(row)]
    in_time = [(created, row) for created, row in dated if until is None or (created is not None and created <= until)]
    if not in_time:
        until_text = f" from {which.until} or before" if which.until else ""
        claim_text = f"claim {which.claim} of namespace {which.namespace}"
        raise Refused(f"{claim_text} has no ready VolumeSnapshot{until_text} ({len(candidates)} exist)")
    return max(in_time, key=lambda pair: (pair[0] or _OLDEST, str(at(pair[1], ("metadata", "name")))))[1]


def overdue(rows: Iterable[Row], which: SnapshotChoice, seconds: float) -> Refused:
    """The error for a named VolumeSnapshot that is not ready in time: nothing was created from it."""
    error = at(_named(rows, which), ("status", "error", "message"))
    why = f": {one_line(str(error))}" if error else ""
    return Refused(
        f"VolumeSnapshot {which.namespace}/{which.name} is not ready after {seconds:.0f} s; nothing was created from it{why}"
    )


def _named(rows: Iterable[Row], which: SnapshotChoice) -> Row | None:
    return next((row for row in rows if at(row, ("metadata", "name")) == which.name), None)


def content_name(snapshot: Row) -> str:
    """The name of the content that a VolumeSnapshot is bound to."""
    return str(at(snapshot, ("status", "boundVolumeSnapshotContentName")) or "")


def claim_body(shape: OfSnapshots, body: Row, snapshot: Row) -> Row:
    """The body of a claim that is created from the snapshot. Raises `Refused` if the claim is smaller, which no driver allows.

    Source: external-provisioner.
    """
    size, restore_size = at(body, shape.size), at(snapshot, ("status", "restoreSize"))
    if restore_size is not None and _quantity(size) < _quantity(restore_size):
        raise Refused(
            f"its size {size} is less than that of VolumeSnapshot {_called(snapshot)}, {one_line(str(restore_size))}"
        )
    new_body = copy.deepcopy(body)
    source = {
        "apiGroup": "snapshot.storage.k8s.io",
        "kind": "VolumeSnapshot",
        "name": at(snapshot, ("metadata", "name")),
    }
    put(new_body, _SOURCE, source)
    return new_body


def of_content(shape: OfSnapshots, body: Row, snapshot: Row, content: Row) -> Row:
    """The body of another content of the same snapshot. Raises `Refused` if the first content does not show its handle."""
    handle = at(content, ("status", "snapshotHandle")) or at(content, ("spec", "source", "snapshotHandle"))
    if not handle:
        raise Refused(f"VolumeSnapshotContent {content_name(snapshot)} has no snapshot handle")
    new_body = copy.deepcopy(body)
    put(new_body, ("spec", "source"), {"snapshotHandle": handle})
    put(new_body, ("spec", "driver"), at(content, ("spec", "driver")))
    if mode := at(content, ("spec", "sourceVolumeMode")):
        put(new_body, ("spec", "sourceVolumeMode"), mode)
    put(new_body, shape.made_of, _called(snapshot))
    return new_body


def _called(snapshot: Row) -> str:
    metadata = snapshot["metadata"]
    return f"{metadata.get('namespace')}/{metadata.get('name')}"


def _quantity(value: object) -> Decimal:
    """A quantity; 0 for text that is not one, which the driver then decides on."""
    try:
        return Decimal(parse_quantity(str(value)))  # type: ignore[no-untyped-call]
    except ValueError:
        return Decimal(0)


def _is_ready(row: Row) -> bool:
    return at(row, ("status", "readyToUse")) is True and at(row, ("metadata", "deletionTimestamp")) is None


def _made(row: Row) -> datetime | None:
    return parse_moment(at(row, ("status", "creationTime")) or at(row, ("metadata", "creationTimestamp")))
