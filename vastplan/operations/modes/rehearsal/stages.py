"""The rehearsal: a move is tried on a copy at the target. No role changes, the workloads at the source keep running, and all that it creates is deleted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.operations.calls import copy as copies
from vastplan.operations.calls.job import STILL, phase
from vastplan.operations.modes.rehearsal import calls, removal
from vastplan.operations.modes.rehearsal.calls import MOUNT, TRY, Rehearsed, copy_of, tried
from vastplan.operations.modes.rehearsal.removal import CLONE
from vastplan.operations.plan.ages import age_of, dating
from vastplan.operations.stage import Call, Gate, Holds, Stage, look
from vastplan.operations.stages.roles import LEAST
from vastplan.operations.stages.work import strangers
from vastplan.schema.ports.replica import Point, SideRole
from vastplan.schema.ports.snapshots import DirectorySnapshot

POINT, CAME = "point", "came"
"""Facts: its restore point, and the result of each workload."""
OLDEST = 3  # times the interval of restore points: an older one is no test of a move now
PATIENCE = 600.0  # seconds that a workload has to reach Running
NOT_TRIED = "not tried"
"""A fact: the workloads that are not tried at all, each with its name and why."""
REFUSED, NOT_SENT, SETTLED = "refused", "not submitted", frozenset({"Running", "Failed", "Completed", "Stopped"})


def stages(ends: Rehearsed) -> tuple[Stage, ...]:
    """Its stages, in order."""
    return (
        _look(ends),
        _clone(ends),
        _mount(ends),
        _try(ends),
        removal.end_work(ends),
        removal.unmount(ends),
        removal.remove(ends),
    )


def newest_kept(ends: Rehearsed) -> tuple[Point, DirectorySnapshot] | None:
    """The newest restore point at the target whose snapshot is listed there."""
    snapshots = {snapshot.name: snapshot for snapshot in ends.store.snapshots() if snapshot.ready}
    for point in reversed(ends.target.points()):
        if point.arrived and point.name in snapshots:
            return point, snapshots[point.name]
    return None


def _by(ends: Rehearsed) -> str:
    site, _ = dating(ends)
    return f" by the clock of {site}" if site else ""


def amiss(ends: Rehearsed) -> str:
    """Why a rehearsal is not possible, "" if it is."""
    side, target_site = ends.target.look(), ends.target.site
    if side.role is not SideRole.DESTINATION:
        return f"{target_site} has to be DESTINATION; it is {side.stated_role}"
    if not side.good:
        return f"{target_site} is in state {side.state or 'unknown'}"
    newest = newest_kept(ends)
    if newest is None:
        return f"{target_site} lists no restore point with its snapshot yet"
    age = age_of(ends, newest[0].created)
    if age is None:
        return f"the newest restore point at {target_site} has no date: {newest[0].created or 'none'}"
    if ends.every and age > OLDEST * ends.every:
        return (
            f"the newest restore point at {target_site}, of {newest[0].created}, is {age:.0f} s old{_by(ends)}: too old for a rehearsal, as the "
            f"schedule takes one every {ends.every:.0f} s"
        )
    return ends.views.amiss() or _amiss_of_claims(ends)


def _amiss_of_claims(ends: Rehearsed) -> str:
    volumes = ends.volumes
    twins = [work.target for work in ends.work if work.target is not None] if volumes is not None else []
    problems = [volumes.amiss(twin.namespace, twin.name, ends.store.directory) for twin in twins if volumes is not None]
    return next(filter(None, problems), "")


def _look(ends: Rehearsed) -> Stage:
    def gate(_: Operation) -> Gate:
        newest = newest_kept(ends)
        if newest is None:
            return Gate(Holds.NEVER, f"the restore points of {ends.target.site} are gone")
        point, snapshot = newest
        age = round(age_of(ends, point.created) or 0.0)
        point_facts = {"guid": point.guid, "created": point.created, "age": age}
        return Gate(Holds.YES, facts={POINT: point_facts, **copies.chosen(snapshot)})

    reads = look(
        "read the target and the workloads at the source",
        f"{ends.target.site} is DESTINATION, good, and its newest restore point is not too old; the workloads are those of the plan",
        lambda operation: amiss(ends) or strangers(ends, operation),
    )
    return replace(reads, gate=gate)


def _clone(ends: Rehearsed) -> Stage:
    store = ends.store

    def precondition(operation: Operation) -> str:
        return copies.not_free(store, copy_of(operation), operation)

    return Stage(
        CLONE,
        f"clone that restore point at {store.site} to {store.directory}.rehearsal-ID, copying only what is read",
        "the clone can be read",
        bound=LEAST,
        back="delete the view on the clone, if there is one, and the clone with its directory",
        precondition=precondition,
        calls=lambda operation: (copies.make(store, copy_of(operation), operation),),
        gate=lambda operation: copies.readable(store, copy_of(operation)),
        rollback=lambda operation: removal.removal_calls(ends, operation, f"undo {CLONE}"),
        undone=lambda operation: removal.dropped(ends, operation),
    )


def _mount(ends: Rehearsed) -> Stage:
    def precondition(operation: Operation) -> str:
        directory = copy_of(operation).directory
        view = ends.views.view(directory)
        problem = f"{directory} already has a view ({view}) that is not of this rehearsal" if view else ""
        return problem or calls.in_the_way(ends, operation)

    def making(operation: Operation) -> tuple[Call, ...]:
        claims = [
            call
            for volumes, mount in calls.held(ends, operation)
            for call in calls.make_mount(ends, volumes, operation, mount)
        ]
        return (calls.open_view(ends, operation), *claims)

    def gate(operation: Operation) -> Gate:
        if not calls.own_view(ends, operation):
            return Gate(Holds.NEVER, f"the view of {copy_of(operation).directory} is gone: deleted outside vastplan")
        waiting = [
            mount.name
            for volumes, mount in calls.held(ends, operation)
            if not volumes.claim(mount.namespace, mount.name).ready
        ]
        return Gate(Holds.NOT_YET if waiting else Holds.YES, f"not bound yet: {', '.join(waiting)}" if waiting else "")

    with_claims = ends.volumes is not None and any(work.target for work in ends.work)
    return Stage(
        MOUNT,
        f"create a view on the clone at {ends.target.site} like that of {ends.store.directory}"
        + (
            ", and a volume and a claim for each claim that mounts it"
            if with_claims
            else "; no claim of the document mounts it there, so none is created"
        ),
        "the view exists" + (", and each claim is bound" if with_claims else ""),
        bound=300.0,
        back="delete those claims and volumes",
        precondition=precondition,
        calls=making,
        gate=gate,
        rollback=lambda operation: removal.unmounting(ends, operation, f"undo {MOUNT}"),
        undone=lambda operation: removal.unmounted(ends, operation),
    )


def _try(ends: Rehearsed) -> Stage:
    source_jobs, target_jobs = ends.source_jobs, ends.target_jobs
    settled: dict[str, Facts] = {}  # the first settled phase of each

    def precondition(operation: Operation) -> str:
        for fact, _ in tried(operation) if target_jobs is not None else ():
            name = calls.rehearsed_name(operation, str(fact["name"]))
            if target_jobs is not None and target_jobs.named(name) and calls.running(ends, operation, fact) is None:
                return f"workload {name} already exists at {ends.target.site} and is not of this rehearsal"
        return ""

    def trying(operation: Operation) -> tuple[Call, ...]:
        return tuple(
            call
            for fact, mount in tried(operation)
            for call in calls.try_job(ends, operation, fact, mount)
            if source_jobs is not None
            and (operation.of(TRY, call.name) or phase(source_jobs, str(fact["id"])) not in STILL)
        )

    def gate(operation: Operation) -> Gate:
        outcomes: dict[str, Facts] = {}
        waiting = []
        for fact, _ in tried(operation):
            key = str(fact["id"])
            outcomes[key] = settled.get(key) or _came(ends, operation, fact)
            if outcomes[key]["phase"] in SETTLED:
                settled[key] = outcomes[key]
            elif outcomes[key]["phase"] not in (REFUSED, NOT_SENT) and outcomes[key]["seconds"] < PATIENCE:
                waiting.append(f"{outcomes[key]['name']} is {outcomes[key]['phase']}")
        return Gate(Holds.NOT_YET, ", ".join(waiting)) if waiting else Gate(Holds.YES, facts={CAME: outcomes})

    return Stage(
        TRY,
        f"submit the workloads at {ends.target.site} as NAME-rID on the clone, each with at most one GPU and one worker",
        f"each runs, or its phase after {PATIENCE:.0f} s is recorded: to wait for GPUs or to fail is a result, too",
        bound=PATIENCE + LEAST,
        back="delete those workloads",
        precondition=precondition,
        calls=trying,
        gate=gate,
        rollback=lambda operation: removal.ending(ends, operation, f"undo {TRY}"),
        undone=lambda operation: removal.ended(ends, operation),
        best_effort=True,
    )


def _came(ends: Rehearsed, operation: Operation, fact: Facts) -> Facts:
    """The present phase of a workload, and the seconds since it was submitted."""
    name = calls.rehearsed_name(operation, str(fact["name"]))
    attempts = operation.of(TRY, f"submit {fact['id']}")
    job = calls.running(ends, operation, fact) if attempts else None
    if not attempts:
        return {
            "name": name,
            "phase": NOT_SENT,
            "seconds": 0,
            "says": "it has ended at the source, or could not be read",
        }
    seconds = round((ends.clock.now() - datetime.fromisoformat(attempts[-1].at)).total_seconds())
    if job is not None:
        return {"name": name, "phase": job.phase, "seconds": seconds, "says": job.says}
    if attempts[-1].outcome is Outcome.SEEN:
        return {"name": name, "phase": "gone", "seconds": seconds, "says": ""}
    outcome = REFUSED if attempts[-1].outcome is Outcome.FAILED else NOT_SENT
    return {"name": name, "phase": outcome, "seconds": seconds, "says": attempts[-1].why}
