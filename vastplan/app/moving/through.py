"""Moves through global access: the two sides over VAST, what stands against one, what a person weighs, and what is left to do."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace

from vastplan.app.connect import Providers
from vastplan.app.moving.crossing import crossing
from vastplan.app.moving.ends import Met, Silent, work_of
from vastplan.app.moving.pair import Pair
from vastplan.app.operating.clients import jobs_at, mounts_at, vast_at
from vastplan.app.workspace import Workspace
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import THROUGH
from vastplan.model.operation_plan import Fact
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Ends
from vastplan.operations.through import SharedEnds, amiss
from vastplan.schema.replicated import Replica
from vastplan.schema.satellite import Cached, Prefetch
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.replica import Row, VastReplica, find
from vastplan.systems.vast.satellite import VastCached

_WAY = "--through-global-access"


class SilentCache:
    """The cache of a side whose system does not answer."""

    def __init__(self, site: str, why: str) -> None:
        self.site, self.path, self._why = site, "/protectedpaths/", why

    def shared(self) -> bool:
        """Nothing is known of it."""
        raise Unreachable(self._why)

    def lease(self) -> float | None:
        """Nor of its lease."""
        raise Unreachable(self._why)

    def prefetch(self, directory: str) -> int:
        """Nothing can be asked of it."""
        raise Unreachable(self._why)

    def running(self, directory: str) -> tuple[int, ...]:
        """Nor is anything known of its prefetches."""
        raise Unreachable(self._why)

    def prefetched(self, task: int, directory: str) -> Prefetch | None:
        """Of none of them."""
        raise Unreachable(self._why)

    def stop(self, task: int) -> None:
        """Nothing can be asked of it."""
        raise Unreachable(self._why)


def meet_sharing(
    workspace: Workspace, providers: Providers, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock
) -> Met:
    """The ends of a pair of which one is a satellite. One may be silent: then what needs it says so."""
    (near, near_cache, guid), (far, far_cache, other) = (
        _side(providers, site, directory, pair, clock)
        for site, directory in ((pair.source, pair.source_directory), (pair.target, pair.target_directory))
    )
    if not (guid or other):
        raise Unreachable(f"{pair.path}: neither {pair.source} nor {pair.target} answers")
    if guid and other and guid != other:
        raise VastplanError(f"{pair.path}: {pair.source} and {pair.target} have two paths {pair.name}, and not one")
    satellite = pair.target_directory if pair.origin == pair.source else pair.source_directory
    ends = SharedEnds(
        source=near, target=far, clock=clock, work=work_of(workspace, providers, pair, ledger),
        source_jobs=jobs_at(providers, pair.source), target_jobs=jobs_at(providers, pair.target),
        source_mounts=mounts_at(workspace, providers, pair.source),
        origin=near if pair.origin == pair.source else far, cached=(near_cache, far_cache),
        directory=pair.warm or satellite, lease=pair.lease, crossing=crossing(workspace, pair),
    )  # fmt: skip
    with contextlib.suppress(Refused, Unreachable):  # whoever needs them says so
        ends = replace(ends, size=ends.origin.used(), lease=max(ends.lease, ends.told_lease() or 0.0))
    return Met(ends, guid or other)


def _side(
    providers: Providers, site: str, directory: str, pair: Pair, clock: Clock
) -> tuple[Replica, Cached, str]:  # fmt: skip
    try:
        provider, row = _row(providers, site, pair)
    except Unreachable as problem:
        return Silent(site, str(problem)), SilentCache(site, str(problem)), ""
    key, guid = str(row["id"]), str(row["guid"])
    return VastReplica(site, provider, key, guid, directory, clock.now), VastCached(site, provider, key, guid), guid


def _row(providers: Providers, site: str, pair: Pair) -> tuple[VastProvider, Row]:
    provider = vast_at(providers, site)
    row = find(provider, name=pair.name)
    if row is None:
        raise VastplanError(f"{pair.path}: {provider.describe()} has no protected path {pair.name}; apply first")
    return provider, row


def shares(ends: Ends) -> SharedEnds:
    """The ends as those of global access. Raises `VastplanError` where they are none."""
    if not isinstance(ends, SharedEnds):
        raise VastplanError("this is not shared by global access any more: the document has changed since it was begun")
    return ends


def warming(pair: Pair, warm: str) -> Pair:
    """The pair with what is to be prefetched of it. Raises `VastplanError` for a directory that is not the satellite's."""
    if not warm:
        return pair
    root = pair.target_directory.rstrip("/")
    if not pair.origin or pair.target == pair.origin:
        raise VastplanError(f"--warm is for {_WAY} to a satellite: {pair.target} is none")
    path = warm.rstrip("/") if warm.startswith("/") else f"{root}/{warm.rstrip('/')}"
    if not f"{path}/".startswith(f"{root}/") or not {"", ".", ".."}.isdisjoint(path.split("/")[1:]):
        raise VastplanError(f"--warm: {inert(warm, 200)} is no directory in {root} at {pair.target}")
    return replace(pair, warm=path)


def refuse_through(ends: Ends, mode: str, pair: Pair) -> None:
    """Raise `VastplanError` where a move and what is shared do not go together, or as things are."""
    if not pair.origin:
        raise VastplanError(f"{pair.path} is not shared by global access, so it is moved without {_WAY}")
    if mode != THROUGH:
        other = f"its work can go to {pair.target} through it: {_WAY}" if pair.target != pair.origin else _WAY
        raise VastplanError(f"{pair.path} is shared by global access, so no role of it can change; {other}")
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
    """What the two sides say, the source first, and what a checkpoint costs at the satellite."""
    facts = [
        fact for one, cached in zip((ends.source, ends.target), ends.cached, strict=True) for fact in _said(one, cached)
    ]
    try:
        used = ends.origin.used()
        facts.append(
            Fact(f"{ends.origin.site} used bytes", "unknown: no quota on the directory" if used is None else str(used))
        )
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
    """Who uses it at the target already: they are left alone."""
    jobs = ends.target_jobs
    claims = {work.target for work in ends.work if work.target is not None}
    if jobs is None:
        return []
    try:
        found = [job for claim in claims for job in jobs.using(claim.project, claim.name)]
    except (Refused, Unreachable) as problem:
        return [Fact(f"workloads at {ends.target.site}", f"unknown: {problem}")]
    return [Fact(f"workload at {ends.target.site}", f"{job.name}, {job.phase}: it is left as it is") for job in found]


def by_hand_through(pair: Pair) -> tuple[str, ...]:
    """What no stage does."""
    told = []
    if not pair.work:
        told.append(
            f"no project of this document mounts it at {pair.source}: stop what uses it there before the freeze, and start it at "
            f"{pair.target} when this has ended, not before"
        )
    told += [
        f"{here.address}: nothing of the document mounts the data at {pair.target}, so its workloads are not submitted there"
        for here, there in pair.work
        if there is None
    ]
    told.append(
        f"pods, clients and workloads that no project of this document runs at {pair.source} have to be stopped"
    )
    if pair.reads:
        told.append(
            f"the document has it to be read at {pair.target} (access): work that writes is submitted there all the same"
        )
    if pair.target != pair.origin:
        told.append(f"active stays {pair.origin} in the document; back it goes the same way: --to {pair.origin} {_WAY}")
    return tuple(told)
