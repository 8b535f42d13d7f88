"""What a move rests on, as a person weighs it before consent: each figure as the side itself says it, or that it is unknown."""

from __future__ import annotations

from vastplan.model.errors import Refused, Unreachable
from vastplan.model.operation_plan import Fact
from vastplan.operations.ends import Ends, Work
from vastplan.operations.unplanned import newest
from vastplan.schema.replicated import Job, Replica


def evidence(ends: Ends, users: tuple[tuple[Work, Job], ...]) -> tuple[Fact, ...]:
    """The facts, source before target."""
    facts = [*_of_side(ends.source), *_of_side(ends.target)]
    if ends.forecast:
        facts.append(Fact("nobody may write for about", f"{ends.forecast:.0f} s"))
    facts += of_jobs(users)
    try:
        facts += [Fact("pod that mounts it", pod) for pod in ends.pods()]
    except (Refused, Unreachable) as problem:
        facts.append(Fact("pods that mount it", f"unknown: {problem}"))
    facts.append(Fact("clients beside pods", "unknown: NFSv3 shows no open files"))
    return tuple(facts)


def of_jobs(users: tuple[tuple[Work, Job], ...]) -> list[Fact]:
    """A fact for each workload and claim of it."""
    facts = []
    for work, job in users:
        becomes = f"becomes {work.target.address}" if work.target else "nothing stands for its claim at the target"
        kind = "preemptible" if job.preemptible else "not preemptible"
        facts.append(
            Fact(f"workload {job.name}", f"{job.phase}, {job.gpus:g} GPUs, {kind}; {work.source.address} {becomes}")
        )
    return facts


def _of_side(replica: Replica) -> list[Fact]:
    site = replica.site
    try:
        side = replica.look()
        guid, created = newest(replica)
        used = replica.used()
    except (Refused, Unreachable) as problem:
        return [Fact(site, f"unknown: {problem}")]
    return [
        Fact(f"{site} role", f"{side.said}, {side.state}" + ("" if side.enabled else ", replication suspended")),
        Fact(f"{site} peer", "connected" if side.connected else "not connected"),
        Fact(f"{site} newest restore point", f"{guid} as of {created}" if guid else "none"),
        Fact(f"{site} used bytes", "unknown: no quota on the directory" if used is None else str(used)),
    ]
