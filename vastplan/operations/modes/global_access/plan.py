"""Moves through global access: why one is refused, what a person weighs, and the steps by hand."""

from __future__ import annotations

from dataclasses import replace

from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import THROUGH
from vastplan.model.operation_plan import Fact
from vastplan.operations.ends import Ends
from vastplan.operations.modes.global_access.stages import SharedEnds, amiss
from vastplan.operations.plan.evidence import used_bytes
from vastplan.operations.plan.pair import Pair
from vastplan.operations.plan.steps import to_stop, unmounted
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica

_WAY = "--through-global-access"
_LONGEST = 1024  # characters of a path


def shares(ends: Ends) -> SharedEnds:
    """The ends, if they are those of global access. Raises `VastplanError` otherwise."""
    if not isinstance(ends, SharedEnds):
        raise VastplanError(
            "the path is no longer shared by global access: the document has changed since the move began"
        )
    return ends


def warming(pair: Pair, warm: str) -> Pair:
    """The pair with the directory to prefetch. Raises `VastplanError` for a directory that is not in the satellite's."""
    if not warm:
        return pair
    root = pair.target_directory.rstrip("/")
    if not pair.origin or pair.target == pair.origin:
        raise VastplanError(f"--warm is for {_WAY} to a satellite: {pair.target} is not one")
    path = warm.rstrip("/") if warm.startswith("/") else f"{root}/{warm.rstrip('/')}"
    below = f"{path}/".startswith(f"{root}/") and {"", ".", ".."}.isdisjoint(path.split("/")[1:])
    if not below or len(path) > _LONGEST or not path.isprintable():
        raise VastplanError(f"--warm: {inert(warm, 200)} is not a directory in {root} at {pair.target}")
    return replace(pair, warm=path)


def refuse_through(ends: Ends, mode: str, pair: Pair) -> None:
    """Raise `VastplanError` if the mode does not fit the path, or the present state does not allow it."""
    if not pair.origin:
        raise VastplanError(f"{pair.path} is not shared by global access (move it without {_WAY})")
    if mode != THROUGH:
        other = f"run its workloads at {pair.target}" if pair.target != pair.origin else "bring its workloads back"
        raise VastplanError(f"{pair.path} is shared by global access, so its roles cannot change ({other}: {_WAY})")
    problem = amiss(shares(ends))
    if problem:
        raise VastplanError(f"{pair.path} cannot be used from {pair.target}: {problem}")


def loss_through(ends: SharedEnds) -> str:
    """What is lost, and what it costs, in words."""
    lost = "nothing that was written before the freeze"
    if not ends.outbound:
        return lost
    there, origin = ends.target.site, ends.origin.site
    return (
        f"{lost}; {origin} stays a single point of failure for what then runs at {there}, "
        "and every write from there crosses the WAN"
    )


def of_sharing(ends: SharedEnds) -> list[Fact]:
    """What the two sides report, the source first, and how long a checkpoint takes at the satellite."""
    facts = [
        fact for one, cached in zip((ends.source, ends.target), ends.cached, strict=True) for fact in _said(one, cached)
    ]
    try:
        facts.append(Fact(f"{ends.origin.site} used bytes", used_bytes(ends.origin.used())))
    except (Refused, Unreachable) as problem:
        facts.append(Fact(f"{ends.origin.site} used bytes", f"unknown: {problem}"))
    if ends.outbound and ends.crossing is not None:
        facts.append(Fact("a checkpoint over the WAN", ends.crossing.said))
    return [*facts, *_there(ends)]


def _said(replica: Replica, cached: Cached) -> list[Fact]:
    site = replica.site
    try:
        side, lease = replica.look(), cached.lease()
    except (Refused, Unreachable) as problem:
        return [Fact(site, f"unknown: {problem}")]
    return [
        Fact(f"{site} role", f"{side.said}, {side.state}"),
        Fact(f"{site} peer", "connected" if side.connected else "not connected"),
        Fact(f"{site} lease", "unknown" if lease is None else f"{lease:.0f} s"),
    ]


def _there(ends: SharedEnds) -> list[Fact]:
    """The workloads that already use the data at the target; the move does not change them."""
    jobs = ends.target_jobs
    claims = {work.target for work in ends.work if work.target is not None}
    if jobs is None:
        return []
    try:
        found = [job for claim in claims for job in jobs.using(claim.project, claim.name)]
    except (Refused, Unreachable) as problem:
        return [Fact(f"workloads at {ends.target.site}", f"unknown: {problem}")]
    return [Fact(f"workload at {ends.target.site}", f"{job.name}, {job.phase}: not changed") for job in found]


def by_hand_through(pair: Pair) -> tuple[str, ...]:
    """The steps that remain by hand."""
    told = []
    if not pair.work:
        told.append(
            f"no project of this document mounts it at {pair.source}: stop what uses it there before the freeze, and start it at "
            f"{pair.target} after the move, not earlier"
        )
    told += [*unmounted(pair, f"the data at {pair.target}", "submitted there"), to_stop(pair.source)]
    if pair.reads:
        told.append(
            f"the document lets {pair.target} only read it (access): workloads that write are submitted there all the same"
        )
    if pair.target != pair.origin:
        told.append(f"active stays {pair.origin} in the document; the way back: --to {pair.origin} {_WAY}")
    return tuple(told)
