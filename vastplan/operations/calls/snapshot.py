"""Calls of restores as stages send them, each with how to determine whether it took effect."""

from __future__ import annotations

from vastplan.model.operation import Facts, Operation
from vastplan.operations.stage import Call, Gate, Holds, effect
from vastplan.schema.ports.snapshots import DirectorySnapshot, Restorable, SnapshotStore

RESTORE, STOP, COMMIT, CLONE = "restore", "stop", "commit", "clone"

_made, _went = effect(lambda now: now["guid"]), effect(lambda now: not now["guid"])


def copy_name(operation: Operation) -> str:
    """The name of an operation's copy: unique, so that a later run finds it again."""
    return f"vastplan-{operation.kind}-{operation.id}"


def kept_name(operation: Operation) -> str:
    """The name of the snapshot of the data that a restore replaces."""
    return f"before-restore-{operation.id}"


def snapshot_of(operation: Operation) -> DirectorySnapshot:
    """The snapshot of an operation, as it was when it began."""
    return DirectorySnapshot(**operation.facts["snapshot"])


def named(source: SnapshotStore, name: str) -> DirectorySnapshot | None:
    """The snapshot of a name."""
    return next((snapshot for snapshot in source.snapshots() if snapshot.name == name), None)


def gone(source: SnapshotStore, wanted: DirectorySnapshot) -> str:
    """Why a snapshot cannot be restored, "" if it can."""
    snapshot = named(source, wanted.name)
    if snapshot is None or snapshot.guid != wanted.guid:
        return f"the snapshot {wanted.name} of {source.directory} is gone from {source.site}"
    return "" if snapshot.ready else f"the snapshot {wanted.name} is not ready"


def restore(source: Restorable, operation: Operation) -> Call:
    """Create the copy beside the directory."""
    name, snapshot = copy_name(operation), snapshot_of(operation)
    body = {"loanee_snapshot_id": snapshot.id, "name": name}
    what = f"POST {source.path}restore from {snapshot.name} at {source.site}"
    return Call(RESTORE, what, body, lambda: _copy(source, name), lambda: source.restore(snapshot.id, name), _made)


def clone(source: SnapshotStore, operation: Operation) -> Call:
    """Create the copy in a new directory."""
    name, snapshot, directory = copy_name(operation), snapshot_of(operation), str(operation.facts["directory"])
    body = {"name": name, "loanee_root_path": directory}
    what = f"POST /snapshots/{snapshot.id}/clone/ to {directory} at {source.site}"
    return Call(
        CLONE, what, body, lambda: _copy(source, name), lambda: source.clone(snapshot.id, name, directory), _made
    )


def stop(source: Restorable, operation: Operation) -> Call:
    """Delete the copy beside the directory."""
    name = copy_name(operation)
    what = f"PATCH {source.path}stop at {source.site}"
    return Call(STOP, what, {}, lambda: _copy(source, name), source.stop, _went)


def stop_clone(source: SnapshotStore, operation: Operation) -> Call:
    """Stop the copy in a new directory; one that has completed meanwhile stays."""
    name = copy_name(operation)

    what = f"PATCH /globalsnapstreams/ {name} stop at {source.site}"
    return Call(
        STOP,
        what,
        {},
        lambda: _copy(source, name),
        lambda: source.stop_clone(name),
        effect(lambda now: now["complete"] or not now["guid"]),
    )


def commit(source: Restorable, operation: Operation) -> Call:
    """Replace the directory by the copy."""
    name = copy_name(operation)
    what = f"PATCH {source.path}commit at {source.site}"
    return Call(COMMIT, what, {}, lambda: _copy(source, name), source.commit, _went)


def complete(source: SnapshotStore, operation: Operation) -> Gate:
    """Whether the copy is complete."""
    name = copy_name(operation)
    copy = source.copy(name)
    if copy is None:
        return Gate(Holds.NEVER, f"{name} is gone from {source.site}: stopped or committed outside vastplan")
    if copy.complete:
        return Gate(Holds.YES, facts={"copy": copy.guid})
    if copy.held:
        return Gate(Holds.NEVER, f"{name} is {copy.state} at {source.site}: it was paused there, or has failed")
    return Gate(Holds.NOT_YET, f"{name} is {copy.state}" + (f", {copy.progress}" if copy.progress else ""))


def _copy(source: SnapshotStore, name: str) -> Facts:
    copy = source.copy(name)
    return {"guid": copy.guid if copy else "", "complete": bool(copy and copy.complete)}
