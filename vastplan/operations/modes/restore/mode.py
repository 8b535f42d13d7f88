"""A mode of a restore: what both modes have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime

from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation
from vastplan.model.operation_plan import Fact
from vastplan.model.restore_plan import RestorePlan
from vastplan.model.site_ledger import last_on
from vastplan.operations.clock import Clock
from vastplan.operations.course import refuse_newcomers, refuse_second, refuse_unsuspendable, shown
from vastplan.operations.document import Document
from vastplan.operations.ends import Work, noted
from vastplan.operations.modes.restore.place import PLACE, Place, facts_of
from vastplan.operations.plan.evidence import of_pause, used_bytes
from vastplan.operations.subject import Heading, Met, Parts
from vastplan.operations.wanted import WantedRestore
from vastplan.schema.ports.snapshots import DirectorySnapshot, SnapshotStore
from vastplan.schema.ports.workloads import Job


@dataclass(frozen=True, slots=True)
class RestoreMet(Met[RestorePlan]):
    """A place over the ports of its site. `subject` is the key of the record, `bound` the seconds that the copy may take.

    `name` and `directory` of `wanted` are those of the copy, "" for a restore in place.
    """

    document: Document
    place: Place
    wanted: WantedRestore
    clock: Clock
    source: SnapshotStore
    subject: str
    bound: float

    @property
    def path(self) -> str:
        """The address of what is restored."""
        return str(self.place.address)

    @abstractmethod
    def refuse(self) -> str:
        """Why the present state does not allow it, "" if it does."""

    @abstractmethod
    def loss(self, snapshot: DirectorySnapshot) -> str:
        """What is lost, in words."""

    @abstractmethod
    def manual_steps(self) -> tuple[str, ...]:
        """The steps that remain by hand."""

    @abstractmethod
    def covers(self) -> tuple[str, ...]:
        """The addresses that an ordinary apply does not change during the restore."""

    def users(self) -> tuple[tuple[Work, Job], ...]:
        """The workloads that are suspended during the restore."""
        return ()

    def evidence(self, snapshot: DirectorySnapshot, users: tuple[tuple[Work, Job], ...]) -> tuple[Fact, ...]:
        """What a person weighs: the snapshot, and the data that is newer than it."""
        source = self.source
        return (
            Fact("snapshot", f"{snapshot.name} of {source.directory}, taken {snapshot.created}"),
            Fact("it expires", snapshot.expires or "never"),
            Fact("used bytes now", used_bytes(source.used())),
        )

    def lines(self) -> str:
        """What to write into the document for a copy."""
        return ""

    def plan(self, parts: Parts, heading: Callable[[datetime], Heading]) -> RestorePlan:
        """The planned restore. Raises `VastplanError` if it is not possible."""
        wanted, place = self.wanted, self.place
        refuse_second(parts, self.subject)
        snapshot = snapshot_named(self.source, wanted.snapshot)
        problem = self.refuse()
        if problem:
            raise VastplanError(f"{place.address} cannot be restored: {inert(problem, 600)}")
        users = self.users()
        refuse_unsuspendable(str(place.address), self.stages(), users)
        return RestorePlan(
            **heading(self.clock.now()),
            address=str(wanted.address),
            path=self.path,
            mode=wanted.mode,
            source=place.site,
            subject=self.subject,
            snapshot=asdict(snapshot),
            name=wanted.name,
            directory=wanted.directory,
            lines=self.lines(),
            loss=self.loss(snapshot),
            jobs=tuple(noted(work, job) for work, job in users),
            covers=self.covers(),
            stages=tuple(map(shown, self.stages())),
            evidence=(*self.evidence(snapshot, users), *of_pause(self.stages())),
            by_hand=self.manual_steps(),
        )

    def known(self, plan: RestorePlan, parts: Parts) -> Operation | None:
        """The last restore of the place. Raises `Stale` if it is another place than that of the plan."""
        if self.subject != plan.subject or self.path != plan.path:
            raise Stale(f"{plan.path} has changed since the restore was planned; plan it again")
        return last_on(parts, plan.subject)

    def record(
        self, plan: RestorePlan, parts: Parts, known: Operation | None, consent: Mapping[str, object]
    ) -> Operation:
        """The operation to record, from the present state. Raises `Stale` if that differs from the plan."""
        snapshot = snapshot_named(self.source, str(plan.snapshot.get("name")))
        if snapshot.guid != plan.snapshot.get("guid"):
            raise Stale(
                f"{plan.path}: {inert(snapshot.name, 200)} is another snapshot than when the restore was planned; plan it again"
            )
        users = self.users()
        refuse_newcomers(plan, users)
        return Operation(
            id=plan.id[:8],
            kind=plan.kind,
            mode=plan.mode,
            subject=self.subject,
            address=str(self.place.address),
            source=self.place.site,
            target=self.place.site,
            document=plan.digest,
            began=self.clock.now().isoformat(timespec="seconds"),
            term=1 if known is None else known.term + 1,
            covers=self.covers(),
            consent={**consent, "plan": plan.id},
            facts={
                "jobs": [noted(work, job) for work, job in users], "snapshot": asdict(snapshot), "directory": plan.directory,
                PLACE: facts_of(self.place),
            },
        )  # fmt: skip

    def refuse_another(self, known: Operation, parts: Parts) -> None:
        """Raises `Stale` if the operation is of another place."""
        if self.subject != known.subject:
            raise Stale(f"{known.address} is not the object that is being restored")


def snapshot_named(source: SnapshotStore, name: str) -> DirectorySnapshot:
    """The snapshot with a typed name. Raises `VastplanError` if it cannot be restored."""
    snapshots = [snapshot for snapshot in source.snapshots() if snapshot.name == name]
    if len(snapshots) == 1 and snapshots[0].ready:
        return snapshots[0]
    if snapshots:
        state = "is not ready" if len(snapshots) == 1 else f"is the name of {len(snapshots)} snapshots"
        raise VastplanError(f"{inert(name, 200)} {state} of {source.directory} at {source.site}")
    other = source.elsewhere(name)
    if other:
        raise VastplanError(f"{inert(name, 200)} is a snapshot of {inert(other, 200)}, not of {source.directory}")
    names = [snapshot.name for snapshot in source.snapshots()][-5:]
    newest = f"the newest are {', '.join(map(inert, names))}" if names else "it has none"
    raise VastplanError(f"{source.directory} at {source.site} has no snapshot {inert(name, 200)}; {newest}")
