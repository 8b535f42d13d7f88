"""Objects that are created from a snapshot: which snapshot is used, and the requests that create and remove one.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vastplan.model.errors import Refused
from vastplan.model.moments import parse_moment
from vastplan.schema.codec import at
from vastplan.schema.endpoint import Clones
from vastplan.schema.kind import Row

LATEST, BEFORE = "latest", "before "
_USABLE = "SUCCEED"


def chosen_snapshot(shape: Clones, body: Row, rows: Iterable[Row]) -> Row:
    """The snapshot that a body refers to, from the rows of its tenant. Raises `Refused` if none exists.

    `latest` and `before TIME` use the time of creation that the cluster shows; a snapshot that is still being
    created is not considered.
    """
    directory, choice = _folder(body.get(shape.of)), str(body.get(shape.which))
    candidates = [row for row in rows if _folder(row.get("path")) == directory]
    if choice != LATEST and not choice.startswith(BEFORE):
        snapshot = next((row for row in candidates if row.get("name") == choice), None)
        if snapshot is None:
            raise Refused(f"{directory} has no snapshot {choice}: it may have expired")
        return snapshot
    until = parse_moment(choice.removeprefix(BEFORE)) if choice != LATEST else None
    dated = [
        (created, row)
        for row in candidates
        if _is_usable(row) and (created := parse_moment(row.get("created"))) is not None
    ]
    in_time = [(created, row) for created, row in dated if until is None or created <= until]
    if not in_time:
        until_text = "" if until is None else f" from {choice.removeprefix(BEFORE)} or before"
        raise Refused(f"{directory} has no snapshot{until_text} that can be cloned ({len(candidates)} exist)")
    return max(in_time, key=lambda pair: pair[0])[1]


def far(ask: Callable[[str, Mapping[str, Any]], Any], shape: Clones, body: Row, peer: str) -> Row:
    """The fields of a body that name another cluster's snapshot and its tenant. Raises `Refused` if either does not exist.

    A peer returns names and ids, but no times: `latest` is the snapshot with the greatest id.
    """
    place, guid, query = shape.far, at(body, shape.far.room), {"remote_target_guid": peer}
    room = _one(ask(place.rooms, query), "guid", guid)
    if room is None:
        raise Refused(f"{place.rooms} has none whose GUID is {guid}")
    directory, choice = _folder(body.get(shape.of)), str(body.get(shape.which))
    paths = _rows(ask(place.directories, {**query, "remote_tenant_guid": guid}))
    handle = next((str(row.get("handle")) for row in paths if _folder(row.get("name")) == directory), None)
    if handle is None:
        raise Refused(f"{directory} has no snapshot on the other cluster")
    rows = _rows(ask(place.snapshots, {**query, "handle": handle, "start_snapshot_id": 0}))
    with_id = [row for row in rows if isinstance(row.get("clone_id"), int)]
    candidates = [row for row in with_id if choice in (LATEST, row.get("name"))]
    if not candidates:
        raise Refused(f"{directory} has no snapshot {choice} on the other cluster: it may have expired")
    snapshot = max(candidates, key=lambda row: int(row["clone_id"]))
    root = {"name": snapshot.get("name"), "clone_id": snapshot["clone_id"]}
    return {
        place.room[0]: {"guid": guid, "name": room.get("name")},
        place.snapshot: {**root, "parent_handle_ehandle": handle.partition("_")[0]},
    }


def _rows(answer: Any) -> list[Row]:
    rows = answer.get("results") if isinstance(answer, dict) else answer
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _one(answer: Any, field: str, value: object) -> Row | None:
    return next((row for row in _rows(answer) if row.get(field) == value), None)


def clone_request(shape: Clones, body: Row, room: object) -> Row:
    """The body that creates a clone in a tenant, without fields that are in the path or only chose the snapshot."""
    skipped = {shape.of, shape.which, shape.room[0]}
    return {**{name: value for name, value in body.items() if name not in skipped}, shape.sent_room: room}


def clone_path(shape: Clones, snapshot: Row) -> str:
    """The path at which a snapshot is cloned."""
    return shape.path.replace("{snapshot}", str(snapshot["id"]))


def is_done(shape: Clones, row: Row) -> bool:
    """Whether a clone no longer needs its snapshot."""
    return bool(at(row, shape.state) == shape.done)


def _is_usable(row: Row) -> bool:
    return bool(row.get("state") == _USABLE)


def _folder(path: object) -> str:
    return str(path).rstrip("/") + "/"
