"""The restore in place, which loses what is newer than the snapshot."""

from __future__ import annotations

from datetime import datetime

from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.moments import parse_moment
from vastplan.model.operation import Operation, Outcome
from vastplan.model.operation_plan import Fact
from vastplan.operations.calls import snapshot as calls
from vastplan.operations.calls.copy import patience
from vastplan.operations.calls.replica import keep
from vastplan.operations.clock import Clock
from vastplan.operations.document import Document
from vastplan.operations.ends import Home, Work, jobs_of
from vastplan.operations.modes.restore.mode import RestoreMet
from vastplan.operations.modes.restore.place import Place
from vastplan.operations.plan.evidence import mounted_by
from vastplan.operations.plan.owned import guid_of
from vastplan.operations.plan.pair import GLOBAL, SYNCHRONOUS
from vastplan.operations.plan.steps import to_stop
from vastplan.operations.sites import Sites
from vastplan.operations.stage import Call, Gate, Holds, Stage, look
from vastplan.operations.stages.work import FREEZE, freeze, go_on, others, unmoved
from vastplan.operations.subject import Parts
from vastplan.operations.wanted import WantedRestore
from vastplan.schema.ports.replica import SideRole
from vastplan.schema.ports.snapshots import DirectorySnapshot, Restorable
from vastplan.schema.ports.workloads import Job

KEEP, RESTORE, COMMIT = "snapshot of now", "restore", "commit"
_SHOWN = 5  # names of snapshots
_NOT_IN_PLACE = {
    SYNCHRONOUS: "replicated synchronously, and the vendor's documents do not say what a restore in place does to the other site",
    **dict.fromkeys(
        GLOBAL,
        "used at other sites by global access, whose workloads and caches do not notice a restore in place",
    ),
}
"""Why a path cannot be restored in place, by its capability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound(Home):
    """The path of a restore in place."""

    source: Restorable

    def standing(self, operation: Operation) -> str:
        """What the directory holds now, and whether its workloads are suspended."""
        text = f"{self.source.directory} at {self.source.site} "
        attempts = operation.of(COMMIT)
        if any(attempt.outcome is Outcome.SEEN for attempt in attempts):
            return text + f"has the data of snapshot {calls.snapshot_of(operation).name}"
        if any(attempt.outcome is Outcome.PENDING for attempt in attempts):
            return text + "may have been restored: the outcome of the commit is unknown"
        stopped = FREEZE in operation.passed and bool(jobs_of(operation))
        return text + "is unchanged" + (", and its workloads are suspended" if stopped else "")


@dataclass(frozen=True, slots=True)
class InPlaceMet(RestoreMet):
    """A protected path that its own system restores."""

    home: Rewound

    @property
    def path(self) -> str:
        """The address of the protected path."""
        return str(self.place.address if self.place.path is None else self.place.path.address)

    def refuse(self) -> str:
        """Why the path cannot be restored now, "" if it can."""
        return amiss(self.home.source)

    def loss(self, snapshot: DirectorySnapshot) -> str:
        """What is newer than the snapshot."""
        return (
            f"all that was written to {self.place.directory} since {snapshot.created} ({snapshot.name}); a snapshot that is taken first "
            "keeps it for a week"
        )

    def manual_steps(self) -> tuple[str, ...]:
        """The steps that remain by hand."""
        return (
            f"before the restore, {to_stop(self.place.site)}",
            "clients with open files in it have to reopen them or mount it again",
            "size, quota, QoS, protocols and Secret stay as they are now: a snapshot has data only (to have others, change the document)",
        )

    def covers(self) -> tuple[str, ...]:
        """The addresses on the directory."""
        return self.place.covers

    def users(self) -> tuple[tuple[Work, Job], ...]:
        """The workloads that use the directory."""
        return self.home.users()

    def evidence(self, snapshot: DirectorySnapshot, users: tuple[tuple[Work, Job], ...]) -> tuple[Fact, ...]:
        """The snapshot, what is newer, the state of the protected path, and who uses it."""
        of_snapshot = RestoreMet.evidence(self, snapshot, users)
        source = self.home.source
        return (*of_snapshot, *_newer(source, self.place, snapshot), *_of_path(source, self.home, users))

    def stages(self) -> tuple[Stage, ...]:
        """Its stages, in order."""
        return in_place(self.home, self.bound)

    def standing(self, operation: Operation) -> str:
        """Which data the directory has now."""
        return self.home.standing(operation)


def path_of(
    document: Document, sites: Sites, place: Place, wanted: WantedRestore, parts: Parts, clock: Clock
) -> InPlaceMet:
    """The protected path of a place. Raises `VastplanError` if it has none, or its site cannot restore it in place."""
    if place.path is None:
        raise _not_in_place(f"{place.address} has no protected path, and VAST restores in place only what has one")
    why = _NOT_IN_PLACE.get(str(place.path.values.get("capabilities")))
    if why is not None:
        raise _not_in_place(f"{place.path.address} is {why}")
    guid = place.guid or guid_of(parts, place.path.address, (place.site,))
    path = sites.path(place.site, place.path.called, place.directory, guid)
    if path is None:
        storage = sites.storage(place.site)
        raise VastplanError(f"{place.path.address}: {storage} has no protected path {guid or place.path.called}")
    source = path.restorable()
    work, unread = sites.work(((claim, None) for claim in place.work), parts)
    home = Rewound(
        source=source, clock=clock, work=work, unread=unread,
        source_jobs=sites.jobs(place.site), source_mounts=sites.mounts(place.site),
    )  # fmt: skip
    return InPlaceMet(document, place, wanted, clock, source, path.guid, patience(source.used()), home)


def _not_in_place(why: str) -> VastplanError:
    return VastplanError(f"{why}; restore into a new volume: the same command without --in-place")


def in_place(home: Rewound, bound: float) -> tuple[Stage, ...]:
    """The stages of a restore in place."""
    return (_look(home), freeze(home), _keep(home), _restore(home, bound), _commit(home), go_on(home, FREEZE))


def amiss(source: Restorable, *, own: bool = False) -> str:
    """Why a restore in place is not possible, "" if it is. `own` is whether a running restore is this one."""
    side = source.look()
    if side.role is not SideRole.SOURCE:
        return f"it is {side.stated_role} at {source.site}; a restore in place needs SOURCE"
    if source.restoring() and not own:
        return f"a restore that is not of this document is under way at {source.site} (commit or stop it there)"
    if not side.good:
        return f"it is in state {side.state or 'unknown'} at {source.site}"
    if source.warnings().get("is_dest_ppath") is not False:
        return "it is or contains a replica of another path, or VAST does not rule that out"
    return ""


def _look(home: Rewound) -> Stage:
    source = home.source
    return look(
        "read the protected path, its snapshots and who uses it",
        "the path is SOURCE, good and not being restored; the snapshot exists; the workloads are those of the plan",
        lambda operation: amiss(source) or calls.gone(source, calls.snapshot_of(operation)) or others(home, operation),
    )


def _keep(home: Rewound) -> Stage:
    source = home.source

    def gate(operation: Operation) -> Gate:
        snapshot = source.kept(calls.kept_name(operation))
        if snapshot is None or not snapshot.ready:
            return Gate(
                Holds.NOT_YET,
                "the snapshot does not exist yet" if snapshot is None else "the snapshot is not ready yet",
            )
        return Gate(Holds.YES, facts={"kept": {"id": snapshot.id, "name": snapshot.name}})

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
        kept_snapshot = operation.facts["kept"]
        snapshot = source.kept(str(kept_snapshot["name"]))
        if snapshot is None or snapshot.id != kept_snapshot["id"]:
            return f"the snapshot of the current data ({kept_snapshot['name']}) is gone"
        copied = calls.complete(source, operation)
        return copied.says if copied.holds is not Holds.YES else amiss(source, own=True) or unmoved(home, operation)

    def gate(_: Operation) -> Gate:
        side = source.look()
        if source.restoring() or side.role is not SideRole.SOURCE or not side.good:
            return Gate(Holds.NOT_YET, f"it is {side.stated_role}, {side.state}")
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


def _newer(source: Restorable, place: Place, snapshot: DirectorySnapshot) -> tuple[Fact, ...]:
    """The data, snapshots and checkpoints that are newer than the snapshot."""
    later = [newer.name for newer in source.snapshots() if (newer.created, newer.id) > (snapshot.created, snapshot.id)]
    used, then_size = source.used(), source.size_of(snapshot)
    text = "unknown: VAST reports only how many there are now"
    if then_size is not None and used is not None:
        text = f"{used} now and {then_size} then, so at least {max(0, used - then_size)}"
    names = ", ".join(later[-_SHOWN:]) + (f" and {len(later) - _SHOWN} older ones" if len(later) > _SHOWN else "")
    return (
        Fact("newer bytes", text),
        Fact("newer snapshots", f"{len(later)}, which stay: {names}" if later else "none"),
        Fact("newer checkpoints", _checkpoints(place, snapshot, source.now())),
    )


def _of_path(source: Restorable, home: Home, users: tuple[tuple[Work, Job], ...]) -> tuple[Fact, ...]:
    """The state of the protected path, and who uses it."""
    side, warnings = source.look(), source.warnings()
    facts = [Fact("protected path", f"{side.stated_role}, {side.state}")]
    if warnings.get("is_source_ppath") and side.connected:
        facts.append(Fact("its copy", "does not change until the next restore point after the commit arrives there"))
    if warnings.get("has_gn_streams"):
        facts.append(Fact("global access", "other sites read it, and their caches may still hold the old data"))
    versions = warnings.get("s3_versioning")
    if isinstance(versions, list) and versions:
        facts.append(Fact("object versions that may be lost", ", ".join(map(str, versions))))
    for work, job in users:
        text = f"{job.phase}, {job.gpus:g} GPUs, by {work.source.address}; suspended, and resumed afterwards"
        facts.append(Fact(f"workload {job.name}", text))
    return (*facts, *mounted_by(home))


def _checkpoints(place: Place, snapshot: DirectorySnapshot, now: datetime | None) -> str:
    """How many checkpoints are newer, by the clock of the system that dated the snapshot: that of this machine may be another."""
    checkpoint = place.written.values.get("checkpoint") if place.written is not None else None
    interval = checkpoint.get("interval") if isinstance(checkpoint, dict) else None
    taken = parse_moment(snapshot.created)
    if now is None or taken is None:
        return "unknown"
    age = max(0.0, (now - taken).total_seconds())
    if not isinstance(interval, int) or not interval:
        return f"unknown: the document gives no checkpoint interval; the snapshot is {age:.0f} s old"
    return f"up to {int(age // interval)}, one every {interval} s as the document says"
