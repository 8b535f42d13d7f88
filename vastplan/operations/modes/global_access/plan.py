"""The mode of a move through global access: why one is refused, what a person weighs, and the steps by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation_plan import Fact
from vastplan.operations.document import Document
from vastplan.operations.ends import Ends
from vastplan.operations.modes.global_access.stages import SharedEnds, amiss, stages
from vastplan.operations.modes.mode import Mode, Users
from vastplan.operations.plan.evidence import of_work, used_bytes
from vastplan.operations.plan.pair import Pair
from vastplan.operations.plan.steps import to_stop, unmounted_claims
from vastplan.operations.stage import Stage
from vastplan.operations.wanted import WantedMove
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica

_WAY = "--through-global-access"
_LONGEST = 1024  # characters of a path


class GlobalAccess(Mode):
    """The move through global access."""

    def aimed(self, document: Document, pair: Pair, wanted: WantedMove) -> Pair:
        """The pair with the directory to prefetch. Raises `VastplanError` for a directory that is not in the satellite's."""
        return _warming(pair, wanted.warm)

    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
        """Its stages, in order."""
        return stages(_shared(ends))

    def refuse(self, ends: Ends, broken: str, pair: Pair) -> None:
        """Raises `VastplanError` if the path is not shared, or its sides are not what they should be."""
        if not pair.origin:
            raise VastplanError(f"{pair.path} is not shared by global access (move it without {_WAY})")
        problem = amiss(_shared(ends))
        if problem:
            raise VastplanError(f"{pair.path} cannot be used from {pair.target}: {problem}")

    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """Nothing, and what it costs."""
        shared, nothing_lost = _shared(ends), "nothing that was written before the freeze"
        if not shared.outbound:
            return {}, nothing_lost
        target, origin = shared.target.site, shared.origin.site
        return {}, (
            f"{nothing_lost}; {origin} stays a single point of failure for what then runs at {target}, "
            "and every write from there crosses the WAN"
        )

    def evidence(self, ends: Ends, users: Users) -> tuple[Fact, ...]:
        """What both sides report of the sharing, and who uses the data."""
        return (*_of_sharing(_shared(ends)), *of_work(ends, users, submits=True))

    def manual_steps(self, pair: Pair) -> tuple[str, ...]:
        """The steps that remain by hand."""
        steps = []
        if not pair.work:
            steps.append(
                f"no project of this document mounts it at {pair.source}: stop what uses it there before the freeze, and start it at "
                f"{pair.target} after the move, not earlier"
            )
        steps += [*unmounted_claims(pair, f"the data at {pair.target}", "submitted there"), to_stop(pair.source)]
        if pair.reads:
            steps.append(
                f"the document lets {pair.target} only read it (access): workloads that write are submitted there all the same"
            )
        if pair.target != pair.origin:
            steps.append(f"active stays {pair.origin} in the document; the way back: --to {pair.origin} {_WAY}")
        return tuple(steps)

    def facts(self, pair: Pair, ends: Ends, users: Users, id: str) -> Mapping[str, Any]:
        """The directory to prefetch, if it is not all."""
        return {"warm": pair.warm} if pair.warm else {}


def refuse_roles(pair: Pair) -> None:
    """Raises `VastplanError` for a path that is shared by global access: no mode changes its roles."""
    if pair.origin:
        other = f"run its workloads at {pair.target}" if pair.target != pair.origin else "bring its workloads back"
        raise VastplanError(f"{pair.path} is shared by global access, so its roles cannot change ({other}: {_WAY})")


def _shared(ends: Ends) -> SharedEnds:
    """The ends, if they are those of global access. Raises `VastplanError` otherwise."""
    if not isinstance(ends, SharedEnds):
        raise VastplanError(
            "the path is no longer shared by global access: the document has changed since the move began"
        )
    return ends


def _warming(pair: Pair, warm: str) -> Pair:
    """The pair with the directory to prefetch. Raises `VastplanError` for a directory that is not in the satellite's."""
    if not warm:
        return pair
    root = pair.target_directory.rstrip("/")
    if not pair.origin or pair.target == pair.origin:
        raise VastplanError(f"--warm is for {_WAY} to a satellite: {pair.target} is not one")
    path = warm.rstrip("/") if warm.startswith("/") else f"{root}/{warm.rstrip('/')}"
    inside = f"{path}/".startswith(f"{root}/") and {"", ".", ".."}.isdisjoint(path.split("/")[1:])
    if not inside or len(path) > _LONGEST or not path.isprintable():
        raise VastplanError(f"--warm: {inert(warm, 200)} is not a directory in {root} at {pair.target}")
    return replace(pair, warm=path)


def _of_sharing(ends: SharedEnds) -> list[Fact]:
    """What the two sides report, the source first, and how long a checkpoint takes at the satellite."""
    facts = [
        fact
        for replica, cached in zip((ends.source, ends.target), ends.cached, strict=True)
        for fact in _facts_of_side(replica, cached)
    ]
    try:
        facts.append(Fact(f"{ends.origin.site} used bytes", used_bytes(ends.origin.used())))
    except (Refused, Unreachable) as problem:
        facts.append(Fact(f"{ends.origin.site} used bytes", f"unknown: {problem}"))
    if ends.outbound and ends.crossing is not None:
        facts.append(Fact("a checkpoint over the WAN", ends.crossing.text))
    return [*facts, *_facts_of_workloads(ends)]


def _facts_of_side(replica: Replica, cached: Cached) -> list[Fact]:
    site = replica.site
    try:
        side, lease = replica.look(), cached.lease()
    except (Refused, Unreachable) as problem:
        return [Fact(site, f"unknown: {problem}")]
    return [
        Fact(f"{site} role", f"{side.stated_role}, {side.state}"),
        Fact(f"{site} peer", "connected" if side.connected else "not connected"),
        Fact(f"{site} lease", "unknown" if lease is None else f"{lease:.0f} s"),
    ]


def _facts_of_workloads(ends: SharedEnds) -> list[Fact]:
    """The workloads that already use the data at the target; the move does not change them."""
    jobs = ends.target_jobs
    claims = {work.target for work in ends.work if work.target is not None}
    if jobs is None:
        return []
    try:
        running = [job for claim in claims for job in jobs.using(claim.project, claim.name)]
    except (Refused, Unreachable) as problem:
        return [Fact(f"workloads at {ends.target.site}", f"unknown: {problem}")]
    return [Fact(f"workload at {ends.target.site}", f"{job.name}, {job.phase}: not changed") for job in running]
