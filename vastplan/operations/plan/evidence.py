"""The evidence for an operation, which a person weighs before consent: each figure as its system reports it, or "unknown"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.model.errors import Refused, Unreachable
from vastplan.model.escaping import inert
from vastplan.model.operation_plan import Fact
from vastplan.operations.calls.replica import newest_arrived
from vastplan.operations.ends import Ends, Home, Work
from vastplan.operations.stage import Stage
from vastplan.schema.ports.replica import Replica
from vastplan.schema.ports.workloads import Job


def used_bytes(used: int | None) -> str:
    """The used bytes of a directory, by its quota."""
    return "unknown: no quota on the directory" if used is None else str(used)


def mounted_by(home: Home) -> tuple[Fact, ...]:
    """The pods that mount the data, and a fact that other clients are unknown."""
    try:
        pods = [Fact("pod that mounts it", pod) for pod in home.pods()]
    except (Refused, Unreachable) as problem:
        pods = [Fact("pods that mount it", f"unknown: {problem}")]
    return (*pods, Fact("clients beside pods", "unknown: NFSv3 shows no open files"))


def of_sides(ends: Ends) -> list[Fact]:
    """What both sides report, source before target."""
    return [*_of_side(ends.source), *_of_side(ends.target)]


def of_work(ends: Ends, users: tuple[tuple[Work, Job], ...], *, submits: bool) -> tuple[Fact, ...]:
    """Who uses the data. `submits` is whether workloads are submitted at the target."""
    unread = [Fact(f"workloads at {ends.source.site}", f"unknown: {ends.unread}")] if ends.unread else []
    return (*unread, *of_jobs(users, submits=submits), *mounted_by(ends))


def of_pause(stages: Iterable[Stage]) -> Iterator[Fact]:
    """How long nobody can write: the sum of what the stages take by themselves; copies and workloads that stop slowly add to it."""
    seconds = sum(stage.pause for stage in stages)
    if seconds:
        yield Fact("writes stop for at least", f"{seconds:.0f} s")


def of_jobs(users: tuple[tuple[Work, Job], ...], *, submits: bool) -> Iterator[Fact]:
    """A fact for each workload, with the claim at the target that replaces each of its claims."""
    by_job: dict[str, list[tuple[Work, Job]]] = {}
    for work, job in users:
        by_job.setdefault(job.id, []).append((work, job))
    for uses in by_job.values():
        job = uses[0][1]
        kind = ("preemptible" if job.preemptible else "not preemptible") + (
            "" if job.suspends else ", cannot be suspended"
        )
        claims = (f"; {work.source.address} {_becomes(work, job)}" for work, job in uses) if submits else ()
        yield Fact(f"workload {job.name}", f"{job.phase}, {job.gpus:g} GPUs, {kind}{''.join(claims)}")


def _becomes(work: Work, job: Job) -> str:
    """Which claim at the target replaces a workload's claim."""
    if work.unread:
        return f"has an unknown counterpart: {work.unread}"
    if work.target is None:
        return "has no counterpart at the target, so the workload is not submitted there"
    unmoved = ", ".join(inert(name, 80) for name in work.stays(job))
    return f"becomes {work.target.address}" + (
        f", but {unmoved} does not move, so the workload is not submitted there" if unmoved else ""
    )


def _of_side(replica: Replica) -> list[Fact]:
    site = replica.site
    try:
        side = replica.look()
        guid, created = newest_arrived(replica)
        used = replica.used()
    except (Refused, Unreachable) as problem:
        return [Fact(site, f"unknown: {problem}")]
    return [
        Fact(f"{site} role", f"{side.stated_role}, {side.state}" + ("" if side.enabled else ", replication suspended")),
        Fact(f"{site} peer", "connected" if side.connected else "not connected"),
        Fact(f"{site} newest restore point", f"{guid} as of {created}" if guid else "none"),
        Fact(f"{site} used bytes", used_bytes(used)),
    ]
