"""The data of an operation, the workloads that use it, and the two ends of a move."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, Unreachable
from vastplan.model.escaping import inert
from vastplan.model.operation import Facts, Operation
from vastplan.operations.clock import Clock
from vastplan.operations.stand_ins import EarlierLook
from vastplan.schema.ports.replica import Directory, Replica, Side, SideRole
from vastplan.schema.ports.workloads import Job, Jobs, Mounts

LABEL = "vastplan.move"
ALONG = "along"
"""What the record has of a workload that mounts other claims which are at the target, too: their names."""
SPECIFICATION = "specification"
"""What the record has of a workload that was kept when the move was armed."""

LACKS = "lacks"
"""What the record has of a workload that is not submitted at the target: the claims that it mounts and that are not there."""

RESUME = "resume"
"""What the record has of a workload that goes on from its last checkpoint: how, by the claim of each volume whose document says it."""
DIRECTORY = "checkpoint"
"""What the record has of such a workload that gets the path of a checkpoint: the name of its directory."""


@dataclass(frozen=True, slots=True)
class Claim:
    """How workloads reach the data on one site: a claim in a project. `project` is its id there, "" if unknown."""

    project: str
    namespace: str
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Work:
    """A claim at the source and its counterpart at the target, if there is one; `unread` is why that is unknown.

    `along` are other claims of the project that exist at the target with the same data and need no move.
    """

    source: Claim
    target: Claim | None
    unread: str = ""
    along: frozenset[str] = frozenset()

    def stays(self, job: Job) -> tuple[str, ...]:
        """The other claims of a workload that the target does not have."""
        return tuple(name for name in job.claims if name != self.source.name and name not in self.along)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The data of an operation and who uses it. A system that the site does not have is `None`.

    `unread` is why claims are missing in `work`: then the users of the data are unknown, and reads of them raise `Unreachable`.
    """

    source: Directory
    clock: Clock
    work: tuple[Work, ...] = ()
    unread: str = ""
    source_jobs: Jobs | None = None
    source_mounts: Mounts | None = None

    def users(self) -> tuple[tuple[Work, Job], ...]:
        """The workloads that use the data at the source, with the claim of each. Raises `Unreachable` if they cannot be read."""
        if self.unread:
            raise Unreachable(self.unread)
        if self.source_jobs is None:
            return ()
        jobs = self.source_jobs
        return tuple((work, job) for work in self.work for job in jobs.using(work.source.project, work.source.name))

    def pods(self) -> tuple[str, ...]:
        """The pods that mount the data at the source, by namespace and name. Raises `Unreachable` if they cannot be read."""
        if self.unread:
            raise Unreachable(self.unread)
        if self.source_mounts is None:
            return ()
        mounts = self.source_mounts
        return tuple(
            f"{work.source.namespace}/{pod}"
            for work in self.work
            for pod in mounts.pods(work.source.namespace, work.source.name)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends(Home):
    """The two ends of a move. `forecast` is how long writes stop during a planned change of roles, in seconds.

    `armed_jobs` are the workloads that were kept when the move was armed, with their specifications, as of `armed_at`.
    """

    source: Replica
    target: Replica
    target_jobs: Jobs | None = None
    forecast: float = 0.0
    source_answers: Callable[[], bool] = lambda: False
    """Asks a source that did not answer again whether it does now."""
    armed_jobs: tuple[Facts, ...] = ()
    not_kept: tuple[Facts, ...] = ()
    """The names of those that were not, and why."""
    armed_at: str = ""
    lapsed: str = ""
    """Why that counts no more, though it is better than nothing."""

    def as_they_are(self) -> dict[str, Any]:
        """Their fields, to build more special ends from."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def standing(self, _: Operation) -> str:
        """Which side may write now, as each system reports."""
        sentences = []
        for replica in (self.source, self.target):
            try:
                side = replica.look()
            except (Refused, Unreachable) as problem:
                sentences.append(f"{unread(replica.site, problem)}, so whether it takes writes is unknown")
            else:
                sentences.append(f"{replica.site} {writes(side)} ({side.stated_role})")
        return ", ".join(sentences)


def unread(site: str, problem: Exception) -> str:
    """That a side could not be read: which call, and when."""
    when = "did not answer when it was first asked" if isinstance(problem, EarlierLook) else "cannot be read"
    return f"{site} {when} ({inert(str(problem), 200)})"


def writes(side: Side) -> str:
    """Whether a side takes writes, in words."""
    if side.role is SideRole.CHANGING:
        return "is changing its role and may refuse writes"
    return "may write" if side.writes else "may not write"


def noted(work: Work, job: Job) -> Facts:
    """A workload for the record. If the target lacks a claim that it mounts, `to_claim` is empty, and it is not submitted there."""
    lacks = sorted({*work.stays(job), *([] if work.target else [work.source.name])})
    target_claim = work.target if not lacks else None
    along = sorted({*job.claims} & work.along - {work.source.name})
    return {
        "id": job.id, "name": job.name, "type": job.type, "phase": job.phase, "project": job.project,
        "gpus": job.gpus, "preemptible": job.preemptible, "claim": work.source.name,
        "to_project": target_claim.project if target_claim else "", "to_claim": target_claim.name if target_claim else "",
        **({} if job.suspends else {"suspends": False}), **({ALONG: along} if along else {}),
        **({LACKS: lacks} if lacks else {}),
    }  # fmt: skip


def without_specification(fact: Facts) -> Facts:
    """A workload of the record for a plan, which is no place for what it was submitted with."""
    return {name: value for name, value in fact.items() if name != SPECIFICATION}


def newcomers(users: Iterable[tuple[Work, Job]], noted_before: Iterable[Facts]) -> str:
    """The workloads that are not in the record, by name and id; "" for none."""
    noted_ids = {str(fact["id"]) for fact in noted_before}
    return ", ".join(f"{job.name} ({job.id})" for _, job in users if job.id not in noted_ids)


def job_of(fact: Facts) -> Job:
    """The workload of a record."""
    return Job(
        id=str(fact["id"]), name=str(fact["name"]), type=str(fact["type"]), phase=str(fact["phase"]),
        project=str(fact["project"]), suspends=fact.get("suspends") is not False,
    )  # fmt: skip


def jobs_of(operation: Operation) -> tuple[Facts, ...]:
    """The workloads that a move began with."""
    return tuple(operation.facts.get("jobs", ()))
