"""The two restores: into a new directory, which loses nothing, and in place, which loses what is newer."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Operation, Outcome
from vastplan.operations.calls import restore as calls
from vastplan.operations.calls.replica import keep
from vastplan.operations.ends import Home, jobs_of
from vastplan.operations.stages.stage import Call, Gate, Holds, Stage
from vastplan.operations.stages.work import FREEZE, freeze, go_on, others, unmoved
from vastplan.schema.ports.replica import Role
from vastplan.schema.ports.snapshots import Restorable, Store

LOOK, CLONE, KEEP, RESTORE, COMMIT = "look", "clone", "snapshot of now", "restore", "commit"
LEAST, PACE = 3600.0, 10**9  # the least seconds for a copy; its assumed bytes per second


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound(Home):
    """The path of a restore in place."""

    source: Restorable

    def standing(self, operation: Operation) -> str:
        """What the directory holds now, and whether its workloads are suspended."""
        held = f"{self.source.directory} at {self.source.site} "
        sent = operation.of(COMMIT)
        if any(one.outcome is Outcome.SEEN for one in sent):
            return held + f"has the data of snapshot {calls.snapshot_of(operation).name}"
        if any(one.outcome is Outcome.PENDING for one in sent):
            return held + "may have been restored: the outcome of the commit is unknown"
        stopped = FREEZE in operation.passed and bool(jobs_of(operation))
        return held + "is unchanged" + (", and its workloads are suspended" if stopped else "")


@dataclass(frozen=True, slots=True)
class Cloned:
    """The directory of a restore into a new one."""

    source: Store

    def standing(self, operation: Operation) -> str:
        """The state of the new directory."""
        found = self.source.copy(calls.copy_name(operation))
        state = f"is {found.state}, {found.progress}" if found else "does not exist"
        return f"{self.source.directory} is unchanged; the copy to {operation.facts['directory']} {state}"


def patience(used: int | None) -> float:
    """The seconds that a copy may take."""
    return max(LEAST, 2 * (used or 0) / PACE)


def into_new(home: Cloned, bound: float) -> tuple[Stage, ...]:
    """The stages of a restore into a new directory."""
    source = home.source

    def precondition(operation: Operation) -> str:
        missing = calls.gone(source, calls.snapshot_of(operation))
        return missing or source.taken(str(operation.facts["directory"]))

    def unfinished(operation: Operation) -> tuple[Call, ...]:
        found = source.copy(calls.copy_name(operation))
        begun = (found is not None and not found.complete) or operation.of(f"undo {CLONE}")
        return (calls.stop_clone(source, operation),) if begun else ()

    def undone(operation: Operation) -> Gate:
        found = source.copy(calls.copy_name(operation))
        if found is None or found.complete:
            return Gate(Holds.YES, facts={"left": str(operation.facts["directory"]) if found else ""})
        return Gate(Holds.NOT_YET, f"the copy is {found.state}")

    return (
        Stage(
            CLONE,
            f"clone the snapshot at {source.site} to a directory that does not exist yet",
            "the clone is Completed",
            bound=bound,
            back="stop the clone if it is not complete; a complete one stays",
            precondition=precondition,
            calls=lambda operation: (calls.clone(source, operation),),
            gate=lambda operation: calls.complete(source, operation),
            rollback=unfinished,
            undone=undone,
        ),
    )


def in_place(home: Rewound, bound: float) -> tuple[Stage, ...]:
    """The stages of a restore in place."""
    return (_look(home), freeze(home), _keep(home), _restore(home, bound), _commit(home), go_on(home, FREEZE))


def amiss(source: Restorable, *, ours: bool = False) -> str:
    """Why a restore in place is not possible, "" if it is. `ours` is whether a running restore is this one."""
    side = source.look()
    if side.role is not Role.SOURCE:
        return f"it is {side.said} at {source.site}; a restore in place needs SOURCE"
    if source.restoring() and not ours:
        return f"a restore that is not of this document is under way at {source.site} (commit or stop it there)"
    if not side.good:
        return f"it is in state {side.state or 'unknown'} at {source.site}"
    if source.warnings().get("is_dest_ppath") is not False:
        return "it is or contains a replica of another path, or VAST does not rule that out"
    return ""


def _look(home: Rewound) -> Stage:
    source = home.source

    def precondition(operation: Operation) -> str:
        return amiss(source) or calls.gone(source, calls.snapshot_of(operation)) or others(home, operation)

    return Stage(
        LOOK,
        "read the protected path, its snapshots and who uses it",
        "the path is SOURCE, good and not being restored; the snapshot exists; the workloads are those of the plan",
        bound=0.0,
        precondition=precondition,
    )


def _keep(home: Rewound) -> Stage:
    source = home.source

    def gate(operation: Operation) -> Gate:
        found = source.kept(calls.kept_name(operation))
        if found is None or not found.ready:
            return Gate(
                Holds.NOT_YET, "the snapshot does not exist yet" if found is None else "the snapshot is not ready yet"
            )
        return Gate(Holds.YES, facts={"kept": {"id": found.id, "name": found.name}})

    return Stage(
        KEEP,
        "take a snapshot of the current data, which expires after a week",
        "the snapshot is ready",
        bound=300.0,
        back="nothing: the snapshot stays until it expires",
        precondition=lambda operation: unmoved(home, operation),
        calls=lambda operation: (keep(source, calls.kept_name(operation)),),
        gate=gate,
    )


def _restore(home: Rewound, bound: float) -> Stage:
    source = home.source

    def precondition(operation: Operation) -> str:
        return amiss(source) or calls.gone(source, calls.snapshot_of(operation)) or unmoved(home, operation)

    def rollback(operation: Operation) -> tuple[Call, ...]:
        begun = source.copy(calls.copy_name(operation)) is not None or operation.of(f"undo {RESTORE}")
        return (calls.stop(source, operation),) if begun else ()

    def undone(operation: Operation) -> Gate:
        still = source.copy(calls.copy_name(operation)) is not None or source.restoring()
        return Gate(Holds.NOT_YET if still else Holds.YES, "the restore is not stopped yet")

    return Stage(
        RESTORE,
        "restore: copy the snapshot beside the directory, which does not change yet",
        "the copy is Completed",
        bound=bound,
        back="stop, before the commit: the copy is deleted, and the directory is unchanged",
        precondition=precondition,
        calls=lambda operation: (calls.restore(source, operation),),
        gate=lambda operation: calls.complete(source, operation),
        rollback=rollback,
        undone=undone,
    )


def _commit(home: Rewound) -> Stage:
    source = home.source

    def precondition(operation: Operation) -> str:
        kept = operation.facts["kept"]
        found = source.kept(str(kept["name"]))
        if found is None or found.id != kept["id"]:
            return f"the snapshot of the current data ({kept['name']}) is gone"
        copied = calls.complete(source, operation)
        return copied.says if copied.holds is not Holds.YES else amiss(source, ours=True) or unmoved(home, operation)

    def gate(_: Operation) -> Gate:
        side = source.look()
        if source.restoring() or side.role is not Role.SOURCE or not side.good:
            return Gate(Holds.NOT_YET, f"it is {side.said}, {side.state}")
        return Gate(Holds.YES, facts={"used after": source.used()})

    return Stage(
        COMMIT,
        "commit: the copy replaces the directory",
        "the protected path is SOURCE, good and no longer being restored",
        bound=600.0,
        back="none: what was newer than the snapshot is in before-restore-ID and nowhere else",
        precondition=precondition,
        calls=lambda operation: (calls.commit(source, operation),),
        gate=gate,
        crossed=lambda operation: "it is committed" if operation.happened(COMMIT, calls.COMMIT) else "",
        no_return=True,
    )
