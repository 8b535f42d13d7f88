"""A move of workloads to the other site of a path with global access, and back: no role changes, the origin keeps the data.

A read at the satellite may return data as old as the lease, so nothing is submitted before the lease has passed since the freeze.
There is no point of no return: until the end, an abort suspends what was submitted and resumes what was suspended.
"""

from __future__ import annotations

from dataclasses import replace

from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, Unreachable
from vastplan.model.operation import Operation, Outcome, Phase
from vastplan.operations.calls.copy import patience
from vastplan.operations.calls.job import STILL, new_name, phase, suspend
from vastplan.operations.ends import Ends, Home, jobs_of, unread
from vastplan.operations.modes.global_access.prefetch import warm
from vastplan.operations.stage import Call, Gate, Holds, Stage, look, waiting
from vastplan.operations.stages.work import FREEZE, START, freeze, others, start, unmoved
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica, SideRole

READ = "read gate"
MARGIN = 5.0  # seconds after the lease
LEAST = 600.0  # seconds that a gate gets in addition to the lease


@dataclass(frozen=True, slots=True)
class Crossing:
    """The time that a checkpoint takes at the satellite: `text` is it in words, `problem` is why workloads must not run there."""

    text: str
    problem: str = ""


@dataclass(slots=True)
class Counted:
    """The data of an origin, which workloads at all of its sites write to: only the origin counts its bytes."""

    site: str
    origin: Replica

    def used(self) -> int | None:
        """As the origin counts them."""
        return self.origin.used()


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedEnds(Ends):
    """The ends of a move, one of which is a satellite of the other. `lease` is the document's, `size` the bytes at the origin."""

    origin: Replica
    cached: tuple[Cached, Cached]
    """Source and target, each about itself."""
    directory: str
    """The directory of the satellite to prefetch: all of it, or the part that `--warm` names."""
    lease: float
    size: int | None = None
    crossing: Crossing | None = None

    @property
    def outbound(self) -> bool:
        """Whether the workloads leave the origin."""
        return self.origin.site == self.source.site

    @property
    def satellite(self) -> Replica:
        """The side that has the cache."""
        return self.target if self.outbound else self.source

    @property
    def frozen(self) -> Home:
        """What the freeze covers: workloads at the source, writes at the origin."""
        return Home(
            source=Counted(self.source.site, self.origin), clock=self.clock, work=self.work, unread=self.unread,
            source_jobs=self.source_jobs, source_mounts=self.source_mounts,
        )  # fmt: skip

    def stated_lease(self) -> float | None:
        """The longer lease that the two sides report, `None` if neither does."""
        return max((lease for side in self.cached if (lease := side.lease()) is not None), default=None)

    def standing(self, operation: Operation) -> str:
        """Which side has the data, as each system reports, and where the workloads are."""
        sentences = []
        for replica in (self.origin, self.satellite):
            role_text = "has the data" if replica is self.origin else f"reads and writes the data of {self.origin.site}"
            try:
                sentences.append(f"{replica.site} {role_text} ({replica.look().stated_role})")
            except (Refused, Unreachable) as problem:
                sentences.append(unread(replica.site, problem))
        return ", ".join((*sentences, *_work_of(self, operation)))


def _work_of(ends: SharedEnds, operation: Operation) -> list[str]:
    """Where the workloads are, by the record; it does not know whether they run."""
    if operation.phase is Phase.ABORTED:
        return []
    stopped = any(attempt.outcome is Outcome.SEEN for attempt in operation.of(FREEZE)) and not operation.of(
        f"undo {FREEZE}"
    )
    sentences = [f"its workloads are suspended at {ends.source.site}"] if stopped else []
    if any(attempt.outcome in (Outcome.SEEN, Outcome.PENDING) for attempt in operation.of(START)):
        sentences.append(f"the workloads submitted at {ends.target.site} may be running")
    return sentences


def stages(ends: SharedEnds) -> tuple[Stage, ...]:
    """Its stages, in order. Towards the origin nothing is prefetched, because it has the data."""
    bound = patience(ends.size)
    prefetch = (warm(ends.cached[1], ends.directory, ends.size, bound),) if ends.outbound else ()
    return (_look(ends), *prefetch, freeze(ends.frozen), _read_gate(ends), _start(ends))


def amiss(ends: SharedEnds) -> str:
    """Why it is not possible, "" if it is."""
    origin, satellite = ends.origin.look(), ends.satellite.look()
    names = ends.origin.site, ends.satellite.site
    if (origin.role, satellite.role) != (SideRole.SOURCE, SideRole.DESTINATION):
        return f"{names[0]} has to be SOURCE and {names[1]} DESTINATION, its satellite; they are {origin.stated_role} and {satellite.stated_role}"
    for site, side in zip(names, (origin, satellite), strict=True):
        if not side.good:
            return f"{site} is in state {side.state or 'unknown'}"
        if not side.connected:
            return f"the peer of {site} is not connected"
    for cached in ends.cached:
        if not cached.shared():
            return f"{cached.site} does not say that it is shared by global access"
    if ends.stated_lease() is None:
        return "neither side reports a lease, so the age of a read is unknown"
    return ends.crossing.problem if ends.outbound and ends.crossing is not None else ""


def _look(ends: SharedEnds) -> Stage:
    return look(
        "read both sides",
        f"{ends.origin.site} is SOURCE, {ends.satellite.site} its satellite, both good; the workloads are those of the plan",
        lambda operation: amiss(ends) or others(ends, operation),
    )


def _read_gate(ends: SharedEnds) -> Stage:
    # When this run first saw it frozen, by its own clock: `frozen_at` may be by that of another machine.
    since: list[float] = []

    def gate(operation: Operation) -> Gate:
        lease = ends.stated_lease()
        if lease is None:
            return Gate(Holds.NOT_YET, "neither side reports a lease")
        if not since:
            since.append(ends.clock.ticks())
        if ends.clock.ticks() - since[0] < lease + MARGIN:
            return Gate(Holds.NOT_YET, f"the lease of {lease:.0f} s")
        problem = amiss(ends)
        return waiting(problem, lease=lease)

    satellite, origin = ends.satellite.site, ends.origin.site
    text = f"wait until no read at {satellite} can be older than the freeze"
    if (
        not ends.outbound
    ):  # only a live system shows where a write arrives, and when, so the lease is waited for here, too
        text = f"wait while {satellite} may see another state than {origin}"
    return Stage(
        READ,
        text,
        f"the lease and {MARGIN:.0f} s have passed since the freeze, and both sides are unchanged",
        bound=ends.lease + MARGIN + LEAST,
        pause=ends.lease + MARGIN,
        precondition=lambda operation: unmoved(ends.frozen, operation),
        gate=gate,
    )


def _start(ends: SharedEnds) -> Stage:
    """Like the start of any move, but with a way back."""

    def rollback(operation: Operation) -> tuple[Call, ...]:
        jobs, calls = ends.target_jobs, []
        for name in _submitted(operation) if jobs is not None else ():
            job = jobs.named(name) if jobs is not None else None
            if jobs is None or job is None:
                continue
            call = suspend(jobs, {"id": job.id, "name": name, "type": job.type, "phase": "", "project": ""})
            if job.phase not in STILL or operation.of(f"undo {START}", call.name):
                calls.append(call)
        return tuple(calls)

    def undone(operation: Operation) -> Gate:
        jobs = ends.target_jobs
        names = _submitted(operation) if jobs is not None else ()
        submitted = [job for name in names if jobs is not None and (job := jobs.named(name)) is not None]
        moving = [f"{job.name} is {now}" for job in submitted if jobs and (now := phase(jobs, job.id)) not in STILL]
        return waiting("; ".join(moving))

    return replace(
        start(ends, FREEZE),
        back=f"suspend the workloads that this stage submitted at {ends.target.site} and wait until they stop; they stay there, suspended",
        precondition=lambda operation: unmoved(ends.frozen, operation),
        rollback=rollback,
        undone=undone,
    )


def _submitted(operation: Operation) -> tuple[str, ...]:
    """The names of the workloads that this operation tried to submit: each is unique, so one that arrived late is found, too."""
    calls = {attempt.call for attempt in operation.of(START)}
    return tuple(
        new_name(operation, str(fact["name"])) for fact in jobs_of(operation) if f"submit {fact['id']}" in calls
    )
