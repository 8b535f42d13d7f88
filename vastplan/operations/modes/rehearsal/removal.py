"""Delete what a rehearsal created, at its end or by an abort: only what is provably its own, and workloads before what they mount."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model.operation import Operation
from vastplan.operations.calls import copy as copies
from vastplan.operations.modes.rehearsal import calls
from vastplan.operations.modes.rehearsal.calls import MOUNT, TRY, Rehearsed, copy_of, tried
from vastplan.operations.stage import Call, Gate, Holds, Stage, waiting
from vastplan.operations.stages.roles import LEAST

CLONE, END, UNMOUNT, REMOVE = "clone", "end work", "unmount", "remove"


def created(operation: Operation) -> Iterator[tuple[str, str]]:
    """What calls of a rehearsal are known to have created, each by its kind and the key that finds it there; none for another record."""
    try:
        copy, claims = copy_of(operation), calls.mounts(operation)
    except (KeyError, TypeError):  # anybody may have written a ledger
        return
    if operation.happened(CLONE, copies.COPY):
        yield "clone", copy.name
    if operation.happened(MOUNT, calls.VIEW):
        yield "view", copy.directory
    for claim in claims:
        if operation.happened(MOUNT, f"volume {claim.name}"):
            yield "persistent_volume", claim.name
        if operation.happened(MOUNT, f"claim {claim.namespace}/{claim.name}"):
            yield "persistent_volume_claim", f"{claim.namespace}/{claim.name}"


def end_work(ends: Rehearsed) -> Stage:
    """Delete the tried workloads, before what they mount."""
    return Stage(
        END,
        f"delete what was submitted at {ends.target.site}",
        "each is deleted",
        bound=LEAST,
        calls=lambda operation: ending(ends, operation, END),
        gate=lambda operation: ended(ends, operation),
    )


def unmount(ends: Rehearsed) -> Stage:
    """Delete the claims and volumes of the copy."""
    return Stage(
        UNMOUNT,
        "delete the claims and volumes that the rehearsal created",
        "each is deleted",
        bound=300.0,
        calls=lambda operation: unmounting(ends, operation, UNMOUNT),
        gate=lambda operation: unmounted(ends, operation),
    )


def remove(ends: Rehearsed) -> Stage:
    """Delete the copy, with its view."""
    return Stage(
        REMOVE,
        "delete the view, and the clone with its directory",
        "both are deleted",
        bound=LEAST,
        calls=lambda operation: removal_calls(ends, operation, REMOVE),
        gate=lambda operation: dropped(ends, operation),
    )


def _needed(operation: Operation, stage: str, call: Call, *, exists: bool) -> tuple[Call, ...]:
    """A call that deletes something that exists; one that was begun is repeated."""
    return (call,) if operation.of(stage, call.name) or exists else ()


def ending(ends: Rehearsed, operation: Operation, stage: str) -> tuple[Call, ...]:
    """The calls that delete the tried workloads."""
    return tuple(
        call
        for fact, _ in tried(operation)
        if operation.of(TRY, f"submit {fact['id']}")
        for call in _needed(
            operation,
            stage,
            calls.end_job(ends, operation, fact),
            exists=calls.running(ends, operation, fact) is not None,
        )
    )


def ended(ends: Rehearsed, operation: Operation) -> Gate:
    """Whether no tried workload exists."""
    running = [
        f"{job.name} is {job.phase}"
        for fact, _ in tried(operation)
        if operation.of(TRY, f"submit {fact['id']}") and (job := calls.running(ends, operation, fact)) is not None
    ]
    return waiting(f"not deleted yet: {', '.join(running)}" if running else "")


def unmounting(ends: Rehearsed, operation: Operation, stage: str) -> tuple[Call, ...]:
    """The calls that delete claims and volumes. The view stays until they are deleted: a pod that ends unmounts through it."""
    mark = calls.mark_of(operation)
    deletions: list[Call] = []
    for volumes, mount in calls.held(ends, operation):
        claim, volume = calls.drop_mount(ends, volumes, operation, mount)
        exists = mark in volumes.claim(mount.namespace, mount.name).marks
        deletions += _needed(operation, stage, claim, exists=exists)
        deletions += _needed(operation, stage, volume, exists=mark in volumes.volume(mount.name).marks)
    return tuple(deletions)


def unmounted(ends: Rehearsed, operation: Operation) -> Gate:
    """Whether none of the rehearsal's claims and volumes exists."""
    names = calls.left_of(ends, operation)
    return waiting(f"not deleted yet: {', '.join(names)}" if names else "")


def removal_calls(ends: Rehearsed, operation: Operation, stage: str) -> tuple[Call, ...]:
    """The calls that delete the view and the copy."""
    view_ids = [str(attempt.before["id"]) for attempt in operation.of(stage, calls.CLOSE) if attempt.before.get("id")]
    view = view_ids[-1] if view_ids else calls.own_view(ends, operation)
    closing = (calls.close_view(ends, operation, view),) if view else ()
    return *closing, *copies.drop_calls(ends.store, copy_of(operation), operation, CLONE, stage)


def dropped(ends: Rehearsed, operation: Operation) -> Gate:
    """Whether they are deleted."""
    copy = copy_of(operation)
    if calls.own_view(ends, operation):
        return Gate(Holds.NOT_YET, f"the view of {copy.directory} still exists")
    exists = copies.own(ends.store, copy, operation, CLONE) is not None
    return waiting(f"{copy.name} still exists" if exists else "")
