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
    (source, source_cache, source_guid), (target, target_cache, target_guid) = (
        _side(sites, pair, site, directory, ledger)
        for site, directory in ((pair.source, pair.source_directory), (pair.target, pair.target_directory))
    )
    if not (source_guid or target_guid):
        raise Unreachable(f"{pair.path}: neither {pair.source} nor {pair.target} answers")
    if source_guid and target_guid and source_guid != target_guid:
        raise VastplanError(
            f"{pair.path}: {pair.source} and {pair.target} each have a path {pair.name} of their own, not a shared one"
        )
    satellite = pair.target_directory if pair.origin == pair.source else pair.source_directory
    work, unread = sites.work(pair.work, ledger, pair.along)
    ends = SharedEnds(
        source=source, target=target, clock=clock, work=work, unread=unread,
        source_jobs=sites.jobs(pair.source), target_jobs=sites.jobs(pair.target), source_mounts=sites.mounts(pair.source),
        origin=source if pair.origin == pair.source else target, cached=(source_cache, target_cache),
        directory=pair.warm or satellite, lease=pair.lease, crossing=_crossing(document, pair),
    )  # fmt: skip
    with contextlib.suppress(Refused, Unreachable):  # a stage that needs them reports it
        ends = replace(ends, size=ends.origin.used(), lease=max(ends.lease, ends.stated_lease() or 0.0))
    return ends, source_guid or target_guid


def _side(
    sites: Sites, pair: Pair, site: str, directory: str, ledger: Mapping[str, SiteLedger]
) -> tuple[Replica, Cached, str]:
    try:
        path = path_at(sites, pair, site, directory, ledger)
    except Unreachable as problem:
        return *silent_path(site, str(problem)), ""
    return path.replica, path.cache(), path.guid


def _crossing(document: Document, pair: Pair) -> Crossing | None:
    """The time to write a checkpoint at a satellite, from the volume's checkpoint block and the site's bandwidth; `None` without such a block."""
    if not pair.volume or pair.target == pair.origin:
        return None
    wan_write = document.wan_write(pair.volume, pair.target, pair.origin)
    if wan_write is None or isinstance(wan_write, str):
        return None if wan_write is None else Crossing(f"unknown: {wan_write}")
    mode = "async: workloads keep running" if wan_write.asynchronous else "sync: workloads wait"
    size, rate = formatting.size(wan_write.size), formatting.rate(wan_write.rate)
    text = f"{size} take {formatting.span(wan_write.seconds)} at {rate} ({mode})"
    if wan_write.interval is None:
        return Crossing(f"{text}; the interval is unknown")
    text = f"{text}; one is written every {formatting.span(wan_write.interval)}"
    too_long = not wan_write.asynchronous and wan_write.seconds > wan_write.interval
    problem = f"writing a checkpoint over the WAN takes longer than the interval between two: {text}"
    return Crossing(text, problem if too_long else "")
