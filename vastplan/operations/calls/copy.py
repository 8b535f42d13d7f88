"""Copies that a move creates at its target and deletes: which copy it is, and how to recognise it as the move's own."""

from __future__ import annotations

from dataclasses import asdict

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.operations.calls.snapshot import snapshot_of
from vastplan.operations.ends import Ends
from vastplan.operations.stage import Call, Gate, Holds, Told
from vastplan.schema.ports.replica import Replica
from vastplan.schema.ports.snapshots import Clonable, Copy, Snapshot

COPY, DROP = "clone", "drop"
LEAST, PACE = 3600.0, 10**9  # the least seconds for a copy; its assumed bytes per second
SNAPSHOT, MADE = "snapshot", "copy"  # facts: the source of the copy, and the copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside(Ends):
    """The ends of a move that changes no role and creates a copy at the target."""

    store: Clonable


@dataclass(frozen=True, slots=True)
class CopyTarget:
    """The copy to create: its name, its directory, and whether all of it is copied in the background."""

    name: str
    directory: str
    background: bool


def patience(used: int | None) -> float:
    """The seconds that a copy may take."""
    return max(LEAST, 2 * (used or 0) / PACE)


def kept_as(store: Clonable, replica: Replica, guid: str) -> Snapshot | None:
    """The snapshot of a restore point at the target: it has the same name. `None` until it is listed."""
    names = {point.name for point in replica.points() if point.guid == guid and point.name}
    return next((one for one in store.snapshots() if one.name in names and one.ready), None)


def chosen(snapshot: Snapshot) -> Facts:
    """The facts of a snapshot for later stages."""
    return {SNAPSHOT: asdict(snapshot)}


def make(store: Clonable, wanted: CopyTarget, operation: Operation) -> Call:
    """The copy of the snapshot that the operation has chosen."""
    snapshot = snapshot_of(operation)

    def told(_: Facts, now: Facts) -> Told:
        # names are unique, so if another copy has the name, this operation created none
        as_asked = (now["snapshot"], now["directory"]) == (snapshot.name, wanted.directory)
        return Told.HAPPENED if now["guid"] and as_asked else Told.NOTHING

    def send() -> None:
        store.make(snapshot.id, wanted.name, wanted.directory, background=wanted.background)

    body = {"name": wanted.name, "loanee_root_path": wanted.directory, "enabled": wanted.background}
    what = f"POST /snapshots/{snapshot.id}/clone/ {wanted.name} to {wanted.directory} at {store.site}"
    return Call(COPY, what, body, lambda: _read(store, wanted.name), send, told)


def drop(store: Clonable, wanted: CopyTarget, guid: str) -> Call:
    """Delete the copy with its directory: the one of that guid, and no other of its name."""

    def told(_: Facts, now: Facts) -> Told:
        return Told.NOTHING if now["guid"] == guid else Told.HAPPENED

    what = f"DELETE /globalsnapstreams/ {wanted.name} ({guid}) with {wanted.directory} at {store.site}"
    return Call(
        DROP,
        what,
        {"guid": guid, "remove_dir": True},
        lambda: _read(store, wanted.name),
        lambda: store.drop(wanted.name, guid),
        told,
    )


def readable(store: Clonable, wanted: CopyTarget) -> Gate:
    """Whether the copy can be read."""
    found = store.copy(wanted.name)
    if found is None:
        return Gate(Holds.NEVER, f"{wanted.name} is gone from {store.site}: deleted outside vastplan")
    if found.held and not found.complete:
        return Gate(Holds.NEVER, f"{wanted.name} is {found.state} at {store.site}: it was paused there, or has failed")
    if not (found.usable or found.complete):
        return Gate(Holds.NOT_YET, f"{wanted.name} is {found.state}")
    return Gate(Holds.YES, facts={MADE: {"guid": found.guid, "name": wanted.name, "directory": wanted.directory}})


def own(store: Clonable, wanted: CopyTarget, operation: Operation, stage: str) -> Copy | None:
    """The copy that this operation created, while it exists: by its guid, or by the snapshot and directory of its call."""
    found = store.copy(wanted.name)
    guid = (operation.facts.get(MADE) or {}).get("guid")
    if found is None or (guid and found.guid != guid):
        return None
    if guid:
        return found
    sent = any(one.outcome in (Outcome.SEEN, Outcome.PENDING) for one in operation.of(stage, COPY))
    as_asked = sent and (found.snapshot, found.directory) == (snapshot_of(operation).name, wanted.directory)
    return found if as_asked else None


def dropping(store: Clonable, wanted: CopyTarget, operation: Operation, made_in: str, stage: str) -> tuple[Call, ...]:
    """The call that deletes the operation's own copy in `stage`; a delete that was begun keeps its guid."""
    known = [str(one.before["guid"]) for one in operation.of(stage, DROP) if one.before.get("guid")]
    found = own(store, wanted, operation, made_in)
    guid = known[-1] if known else found.guid if found else ""
    return (drop(store, wanted, guid),) if guid else ()


def _read(store: Clonable, name: str) -> Facts:
    found = store.copy(name)
    if found is None:
        return {"guid": "", "snapshot": "", "directory": ""}
    return {"guid": found.guid, "snapshot": found.snapshot, "directory": found.directory}
