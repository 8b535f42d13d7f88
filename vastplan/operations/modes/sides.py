"""The two sides of a replicated path at their sites, for all modes that do not go through global access."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import partial

from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Ends
from vastplan.operations.plan.owned import guid_of
from vastplan.operations.plan.pair import Pair
from vastplan.operations.sites import PathAt, Sites
from vastplan.operations.stand_ins import silent_path


def sides(sites: Sites, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock) -> tuple[Ends, PathAt]:
    """The ends of a pair, and its path at the target. The source may not answer. Raises `VastplanError` if a site does not have the path."""
    source, why = None, ""
    try:
        source = path_at(sites, pair, pair.source, pair.source_directory, ledger)
    except Unreachable as problem:
        why = str(problem)
    guid = known_guid(pair, ledger) if source is None else source.guid
    target = sites.path(pair.target, pair.name, pair.target_directory, guid)
    if target is None:
        raise VastplanError(f"{pair.path}: {sites.storage(pair.target)} has no copy of it ({guid or pair.name})")
    source_replica = silent_path(pair.source, why)[0] if source is None else source.replica
    forecast = 0.0
    with contextlib.suppress(Refused, Unreachable):  # a mode that needs the source reports it
        forecast = source_replica.look().read_only
    work, unread = sites.work(pair.work, ledger, pair.along)
    ends = Ends(
        source_answers=partial(sites.answers, pair.source),
        source=source_replica, target=target.replica, clock=clock, work=work, unread=unread, forecast=forecast,
        source_jobs=sites.jobs(pair.source), target_jobs=sites.jobs(pair.target), source_mounts=sites.mounts(pair.source),
    )  # fmt: skip
    return ends, target


def path_at(sites: Sites, pair: Pair, site: str, directory: str, ledger: Mapping[str, SiteLedger]) -> PathAt:
    """The path of a pair at one of its sites. Raises `Unreachable`, and `VastplanError` if the site does not have it."""
    guid = known_guid(pair, ledger)
    path = sites.path(site, pair.name, directory, guid)
    if path is None:
        raise VastplanError(
            f"{pair.path}: {sites.storage(site)} has no protected path {guid or pair.name}; apply first"
        )
    return path


def known_guid(pair: Pair, ledger: Mapping[str, SiteLedger]) -> str:
    """The guid of the path of a pair, as a record or the ledger has it; "" if neither does: then the path is found by its name."""
    return pair.guid or guid_of(ledger, pair.path, (pair.source, pair.target))
