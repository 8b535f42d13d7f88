"""The fork: the workloads run at the target too, on a copy of their own. The source stays the source, and no role changes.

The document declares the copy, and an apply creates the rest of its volume. The fork creates the copy at one moment, and starts the workloads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Operation, Outcome
from vastplan.operations.calls import copy as copies
from vastplan.operations.calls import replica as calls
from vastplan.operations.calls.copy import CopyTarget
from vastplan.operations.calls.job import STILL, phase
from vastplan.operations.ends import Ends, jobs_of
from vastplan.operations.stage import Call, Gate, Holds, Stage, look
from vastplan.operations.stages.roles import LEAST, amiss_of_roles
from vastplan.operations.stages.work import FREEZE, GO_ON, START, Chosen, freeze, go_on, others, start, unmoved
from vastplan.schema.ports.snapshots import Clonable

FINAL_COPY, CLONE, APPLY = "final copy", "clone", "apply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked(Ends):
    """The ends of a fork, and the copy that the document declares.

    `live` leaves the workloads at the source running, `covers` are the addresses that are forked. `missing` says what of the copy's volume is not
    applied yet and what to type (`command`), `kept` who else owns the copy, so that this operation must not delete it; each "" for nothing.
    """

    store: Clonable
    copy: CopyTarget
    live: bool
    covers: tuple[str, ...]
    command: str
    missing: Callable[[], str]
    kept: Callable[[], str]


def stages(ends: Forked) -> tuple[Stage, ...]:
    """Its stages, in order."""
    if ends.live:
        return _look(ends), _copy(ends), _clone(ends), _apply(ends), _start(ends)
    return _look(ends), _freeze(ends), _copy(ends), _clone(ends), go_on(ends, FREEZE), _apply(ends), _start(ends)


def amiss(ends: Forked) -> str:
    """Why a fork is not possible, "" if it is."""
    copy = ends.store.copy(ends.copy.name)
    if copy is not None:
        return (
            f"the clone {ends.copy.name} already exists at {ends.store.site} (for another fork declare another volume)"
        )
    problem = amiss_of_roles(ends)
    return problem or ends.store.taken(ends.copy.directory)


def _look(ends: Forked) -> Stage:
    return look(
        "read both sides",
        f"{ends.source.site} is SOURCE, {ends.target.site} DESTINATION, both good; {ends.copy.name} does not exist yet; "
        "the workloads are those of the plan",
        lambda operation: amiss(ends) or others(ends, operation),
    )


def _freeze(ends: Forked) -> Stage:
    """As in a move; workloads at the source that have been resumed since are not changed."""
    stage = freeze(ends)

    def rollback(operation: Operation) -> tuple[Call, ...]:
        if GO_ON in operation.passed:
            return ()
        return tuple(call for call in stage.rollback(operation) if not operation.happened(GO_ON, call.name))

    def undone(operation: Operation) -> Gate:
        return Gate(Holds.YES) if GO_ON in operation.passed else stage.undone(operation)

    return replace(stage, rollback=rollback, undone=undone)


def _copy(ends: Forked) -> Stage:
    def gate(operation: Operation) -> Gate:
        points = calls.arrived(operation, FINAL_COPY, ends.source, ends.target)
        if not points:
            return Gate(Holds.NOT_YET, calls.none_since(operation, FINAL_COPY, ends.target))
        for point in reversed(
            points
        ):  # any of them will do: a schedule may create newer ones before their snapshots are listed
            snapshot = copies.kept_as(ends.store, ends.target, point.guid)
            if snapshot is not None:
                return Gate(Holds.YES, facts={**calls.arrived_as(FINAL_COPY, point), **copies.chosen(snapshot)})
        return Gate(Holds.NOT_YET, f"{ends.target.site} does not list the snapshot of that restore point yet")

    circumstances = "while work goes on: the copy is crash-consistent" if ends.live else "with everything stopped"
    return Stage(
        FINAL_COPY,
        f"replicate now at {ends.source.site}, {circumstances}",
        f"a restore point taken since then has arrived, and {ends.target.site} lists its snapshot",
        bound=max(LEAST, 2 * ends.forecast),
        precondition=lambda operation: "" if ends.live else unmoved(ends, operation),
        calls=lambda _: (calls.replicate(ends.source),),
        gate=gate,
    )


def _clone(ends: Forked) -> Stage:
    store, copy = ends.store, ends.copy

    def precondition(operation: Operation) -> str:
        return copies.not_free(store, copy, operation) or ("" if ends.live else unmoved(ends, operation))

    def why_kept() -> str:
        return ends.kept() or store.reached(copy.directory)

    def rollback(operation: Operation) -> tuple[Call, ...]:
        undo = f"undo {CLONE}"
        if not operation.of(undo) and why_kept():
            return ()
        return copies.drop_calls(store, copy, operation, CLONE, undo)

    def undone(operation: Operation) -> Gate:
        if copies.own(store, copy, operation, CLONE) is None:
            return Gate(Holds.YES)
        why = why_kept()
        if why:
            return Gate(Holds.YES, facts={"stays": f"the clone {copy.name} at {copy.directory}, in use by {why}"})
        return Gate(Holds.NOT_YET, f"{copy.name} still exists")

    return Stage(
        CLONE,
        f"clone that restore point to {copy.directory} at {store.site}, as {copy.name}",
        "the clone can be read"
        + (
            "; until it is complete it depends on the snapshot of the restore point"
            if copy.background
            else "; it always reads from the snapshot of the restore point, which therefore stays"
        ),
        bound=LEAST,
        back="delete the clone with its directory, unless somebody can have written to it",
        precondition=precondition,
        calls=lambda operation: (copies.make(store, copy, operation),),
        gate=lambda _: copies.readable(store, copy),
        rollback=rollback,
        undone=undone,
        covers=ends.covers,  # until then an apply would create the clone itself, from another moment
    )


def _apply(ends: Forked) -> Stage:
    def gate(_: Operation) -> Gate:
        missing = ends.missing()
        return Gate(Holds.NEVER if missing else Holds.YES, missing)

    return Stage(
        APPLY,
        f"no call: stops until you type {ends.command}, which adopts the clone and creates the rest of its volume",
        "view, quota, volume, claim and data source are in the ledger, and each claim is bound",
        bound=0.0,
        gate=gate,
    )


def _start(ends: Forked) -> Stage:
    def at_work(operation: Operation) -> Chosen:
        jobs = ends.source_jobs
        return tuple(
            fact
            for fact in jobs_of(operation)
            if jobs is not None
            and (operation.of(START, f"submit {fact['id']}") or phase(jobs, str(fact["id"])) not in STILL)
        )

    def crossed(operation: Operation) -> str:
        submitted = any(attempt.outcome is Outcome.SEEN for attempt in operation.of(START))
        return (
            f"workloads that write to {ends.copy.directory} were submitted at {ends.target.site}" if submitted else ""
        )

    return replace(
        start(ends, FREEZE, at_work if ends.live else None),
        does=f"submit the same workloads at {ends.target.site}, with the claim of the clone",
        back="none: from then on the clone is a volume of its own, which the submitted workloads write to",
        crossed=crossed,
        no_return=True,
    )
