"""Objects that are each made of a snapshot: which snapshot is meant, and the requests that make and remove one. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from vastplan.model.errors import Refused
from vastplan.schema.codec import at
from vastplan.schema.endpoint import Clones
from vastplan.schema.kind import Row

LATEST, BEFORE = "latest", "before "
_USABLE = "SUCCEED"


def chosen(shape: Clones, body: Row, rows: Iterable[Row]) -> Row:
    """The snapshot that a body means, of those of its room; raises `Refused` where there is none.

    `latest` and `before TIME` are by when they were made, as the cluster says; one that is being made is none of them.
    """
    directory, which = _folder(body.get(shape.of)), str(body.get(shape.which))
    there = [row for row in rows if _folder(row.get("path")) == directory]
    if which != LATEST and not which.startswith(BEFORE):
        named = next((row for row in there if row.get("name") == which), None)
        if named is None:
            raise Refused(f"{directory} has no snapshot {which}: it may have expired")
        return named
    until = _moment(which.removeprefix(BEFORE)) if which != LATEST else None
    dated = [(made, row) for row in there if _is_usable(row) and (made := _moment(row.get("created"))) is not None]
    in_time = [(made, row) for made, row in dated if until is None or made <= until]
    if not in_time:
        late = "" if until is None else f" from {which.removeprefix(BEFORE)} or before"
        raise Refused(f"{directory} has no snapshot{late} that can be cloned, of {len(there)} that are there")
    return max(in_time, key=lambda pair: pair[0])[1]


def sent(shape: Clones, body: Row, room: object) -> Row:
    """What is sent to make a clone in a room: the rest is in the path, or was for choosing."""
    skipped = {shape.of, shape.which, shape.room[0]}
    return {**{name: value for name, value in body.items() if name not in skipped}, shape.sent_room: room}


def path(shape: Clones, snapshot: Row) -> str:
    """Where a snapshot is cloned."""
    return shape.path.replace("{snapshot}", str(snapshot["id"]))


def is_done(shape: Clones, row: Row) -> bool:
    """Whether a clone needs its snapshot no more."""
    return bool(at(row, shape.state) == shape.done)


def _is_usable(row: Row) -> bool:
    return bool(row.get("state") == _USABLE)


def _folder(path: object) -> str:
    return str(path).rstrip("/") + "/"


def _moment(text: object) -> datetime | None:
    """The moment that a text says, in UTC where it names no zone; `None` for none."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
