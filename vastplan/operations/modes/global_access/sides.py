"""The two sides of a path with global access at their sites; one of them may not answer."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace

from vastplan.model import formatting
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.document import Document
from vastplan.operations.modes.global_access.stages import Crossing, SharedEnds
from vastplan.operations.modes.sides import path_at
from vastplan.operations.plan.pair import Pair
from vastplan.operations.sites import Sites
from vastplan.operations.stand_ins import silent_path
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica


def shared_sides(
    document: Document, sites: Sites, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock
) -> tuple[SharedEnds, str]:
    """The ends of a pair with a satellite, and the guid of its path. A later call that needs a side that does not answer raises
    `Unreachable`.

    Raises `Unreachable` if neither side answers, and `VastplanError` if the path is missing or not the same on both sides.
    """
    (near, near_cache, guid), (far, far_cache, other) = (
        _side(sites, pair, site, directory)
        for site, directory in ((pair.source, pair.source_directory), (pair.target, pair.target_directory))
    )
    if not (guid or other):
        raise Unreachable(f"{pair.path}: neither {pair.source} nor {pair.target} answers")
    if guid and other and guid != other:
        raise VastplanError(
            f"{pair.path}: {pair.source} and {pair.target} each have a path {pair.name} of their own, not a shared one"
        )
    satellite = pair.target_directory if pair.origin == pair.source else pair.source_directory
    work, unread = sites.work(pair.work, ledger, pair.along)
    ends = SharedEnds(
        source=near, target=far, clock=clock, work=work, unread=unread,
        source_jobs=sites.jobs(pair.source), target_jobs=sites.jobs(pair.target), source_mounts=sites.mounts(pair.source),
        origin=near if pair.origin == pair.source else far, cached=(near_cache, far_cache),
        directory=pair.warm or satellite, lease=pair.lease, crossing=_crossing(document, pair),
    )  # fmt: skip
    with contextlib.suppress(Refused, Unreachable):  # a stage that needs them reports it
        ends = replace(ends, size=ends.origin.used(), lease=max(ends.lease, ends.stated_lease() or 0.0))
    return ends, guid or other


def _side(sites: Sites, pair: Pair, site: str, directory: str) -> tuple[Replica, Cached, str]:
    try:
        found = path_at(sites, pair, site, directory)
    except Unreachable as problem:
        return *silent_path(site, str(problem)), ""
    return found.replica, found.cache(), found.guid


def _crossing(document: Document, pair: Pair) -> Crossing | None:
    """The time to write a checkpoint at a satellite, from the volume's checkpoint block and the site's bandwidth; `None` without such a block."""
    if not pair.volume or pair.target == pair.origin:
        return None
    found = document.wan_write(pair.volume, pair.target, pair.origin)
    if found is None or isinstance(found, str):
        return None if found is None else Crossing(f"unknown: {found}")
    mode = "async: workloads keep running" if found.asynchronous else "sync: workloads wait"
    size, rate = formatting.size(found.size), formatting.rate(found.rate)
    said = f"{size} take {formatting.span(found.seconds)} at {rate} ({mode})"
    if found.interval is None:
        return Crossing(f"{said}; the interval is unknown")
    said = f"{said}; one is written every {formatting.span(found.interval)}"
    too_long = not found.asynchronous and found.seconds > found.interval
    problem = f"writing a checkpoint over the WAN takes longer than the interval between two: {said}"
    return Crossing(said, problem if too_long else "")
