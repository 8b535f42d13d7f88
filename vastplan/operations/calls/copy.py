"""Copies that a move creates at its target and deletes: which copy it is, and how to recognise it as the move's own."""

from __future__ import annotations

from dataclasses import asdict

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.operations.calls.snapshot import gone, snapshot_of
from vastplan.operations.stage import Call, Gate, Holds, effect
from vastplan.schema.ports.replica import Replica
from vastplan.schema.ports.snapshots import Clonable, Copy, DirectorySnapshot

COPY, DROP = "clone", "drop"
LEAST, PACE = 3600.0, 10**9  # the least seconds for a copy; its assumed bytes per second
SNAPSHOT, MADE = "snapshot", "copy"  # facts: the source of the copy, and the copy


@dataclass(frozen=True, slots=True)
class CopyTarget:
    """The copy to create: its name, its directory, and whether all of it is copied in the background."""

    name: str
    directory: str
    background: bool


def patience(used: int | None) -> float:
    """The seconds that a copy may take."""
    return max(LEAST, 2 * (used or 0) / PACE)


def kept_as(store: Clonable, replica: Replica, guid: str) -> DirectorySnapshot | None:
    """The snapshot of a restore point at the target: it has the same name. `None` until it is listed."""
    names = {point.name for point in replica.points() if point.guid == guid and point.name}
    return next((snapshot for snapshot in store.snapshots() if snapshot.name in names and snapshot.ready), None)


def chosen(snapshot: DirectorySnapshot) -> Facts:
    """The facts of a snapshot for later stages."""
    return {SNAPSHOT: asdict(snapshot)}


def not_free(store: Clonable, target: CopyTarget, operation: Operation) -> str:
    """Why the copy cannot be created: its name or directory is taken, or its snapshot is gone; "" if it can."""
    if store.copy(target.name) is not None:
        return f"the clone {target.name} already exists at {store.site}"
    return gone(store, snapshot_of(operation)) or store.taken(target.directory)


def make(store: Clonable, target: CopyTarget, operation: Operation) -> Call:
    """The copy of the snapshot that the operation has chosen."""
    snapshot = snapshot_of(operation)

    def as_asked(now: Facts) -> bool:
        # names are unique, so if another copy has the name, this operation created none
        return bool(now["guid"]) and (now["snapshot"], now["directory"]) == (snapshot.name, target.directory)

    def send() -> None:
        store.make(snapshot.id, target.name, target.directory, background=target.background)

    body = {"name": target.name, "loanee_root_path": target.directory, "enabled": target.background}
    what = f"POST /snapshots/{snapshot.id}/clone/ {target.name} to {target.directory} at {store.site}"
    return Call(COPY, what, body, lambda: _read(store, target.name), send, effect(as_asked))


def drop(store: Clonable, target: CopyTarget, guid: str) -> Call:
    """Delete the copy with its directory: the one of that guid, and no other of its name."""

    what = f"DELETE /globalsnapstreams/ {target.name} ({guid}) with {target.directory} at {store.site}"
    return Call(
        DROP,
        what,
        {"guid": guid, "remove_dir": True},
        lambda: _read(store, target.name),
        lambda: store.drop(target.name, guid),
        effect(lambda now: now["guid"] != guid),
    )


def readable(store: Clonable, target: CopyTarget) -> Gate:
    """Whether the copy can be read."""
    copy = store.copy(target.name)
    if copy is None:
        return Gate(Holds.NEVER, f"{target.name} is gone from {store.site}: deleted outside vastplan")
    if copy.held and not copy.complete:
        return Gate(Holds.NEVER, f"{target.name} is {copy.state} at {store.site}: it was paused there, or has failed")
    if not (copy.usable or copy.complete):
        return Gate(Holds.NOT_YET, f"{target.name} is {copy.state}")
    return Gate(Holds.YES, facts={MADE: {"guid": copy.guid, "name": target.name, "directory": target.directory}})


def own(store: Clonable, target: CopyTarget, operation: Operation, stage: str) -> Copy | None:
    """The copy that this operation created, while it exists: by its guid, or by the snapshot and directory of its call."""
    copy = store.copy(target.name)
    guid = (operation.facts.get(MADE) or {}).get("guid")
    if copy is None or (guid and copy.guid != guid):
        return None
    if guid:
        return copy
    sent = any(attempt.outcome in (Outcome.SEEN, Outcome.PENDING) for attempt in operation.of(stage, COPY))
    as_asked = sent and (copy.snapshot, copy.directory) == (snapshot_of(operation).name, target.directory)
    return copy if as_asked else None


def drop_calls(store: Clonable, target: CopyTarget, operation: Operation, made_in: str, stage: str) -> tuple[Call, ...]:
    """The call that deletes the operation's own copy in `stage`; a delete that was begun keeps its guid."""
    guids = [str(attempt.before["guid"]) for attempt in operation.of(stage, DROP) if attempt.before.get("guid")]
    copy = own(store, target, operation, made_in)
    guid = guids[-1] if guids else copy.guid if copy else ""
    return (drop(store, target, guid),) if guid else ()


def _read(store: Clonable, name: str) -> Facts:
    copy = store.copy(name)
    if copy is None:
        return {"guid": "", "snapshot": "", "directory": ""}
    return {"guid": copy.guid, "snapshot": copy.snapshot, "directory": copy.directory}
