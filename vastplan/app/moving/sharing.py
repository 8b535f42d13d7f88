"""The two sides of a global access path over VAST clients; one side may not answer."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace

from vastplan.app.connect import Providers
from vastplan.app.moving.crossing import crossing
from vastplan.app.moving.ends import Met
from vastplan.app.operating.clients import jobs_at, mounts_at, vast_at, work_of
from vastplan.app.workspace import Workspace
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clients.silent import SilentCache, SilentReplica
from vastplan.operations.clock import Clock
from vastplan.operations.modes.global_access.stages import SharedEnds
from vastplan.operations.plan.pair import Pair
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.replica import Row, VastReplica, find
from vastplan.systems.vast.satellite import VastCached


def meet_sharing(
    workspace: Workspace, providers: Providers, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock
) -> Met:
    """The ends of a pair with a satellite. One side may not answer; a later call that needs it raises `Unreachable`.

    Raises `Unreachable` if neither side answers, and `VastplanError` if the path is missing or not the same on both sides.
    """
    (near, near_cache, guid), (far, far_cache, other) = (
        _side(providers, site, directory, pair, clock)
        for site, directory in ((pair.source, pair.source_directory), (pair.target, pair.target_directory))
    )
    if not (guid or other):
        raise Unreachable(f"{pair.path}: neither {pair.source} nor {pair.target} answers")
    if guid and other and guid != other:
        raise VastplanError(
            f"{pair.path}: {pair.source} and {pair.target} each have a path {pair.name} of their own, not a shared one"
        )
    satellite = pair.target_directory if pair.origin == pair.source else pair.source_directory
    work, unread = work_of(workspace, providers, pair.work, ledger, pair.along)
    ends = SharedEnds(
        source=near, target=far, clock=clock, work=work, unread=unread,
        source_jobs=jobs_at(providers, pair.source), target_jobs=jobs_at(providers, pair.target),
        source_mounts=mounts_at(workspace, providers, pair.source),
        origin=near if pair.origin == pair.source else far, cached=(near_cache, far_cache),
        directory=pair.warm or satellite, lease=pair.lease, crossing=crossing(workspace, pair),
    )  # fmt: skip
    with contextlib.suppress(Refused, Unreachable):  # a stage that needs them reports it
        ends = replace(ends, size=ends.origin.used(), lease=max(ends.lease, ends.told_lease() or 0.0))
    return Met(ends, guid or other)


def _side(providers: Providers, site: str, directory: str, pair: Pair, clock: Clock) -> tuple[Replica, Cached, str]:
    try:
        provider, row = _row(providers, site, pair)
    except Unreachable as problem:
        return SilentReplica(site, str(problem)), SilentCache(site, str(problem)), ""
    key, guid = str(row["id"]), str(row["guid"])
    return VastReplica(site, provider, key, guid, directory, clock.now), VastCached(site, provider, key, guid), guid


def _row(providers: Providers, site: str, pair: Pair) -> tuple[VastProvider, Row]:
    provider = vast_at(providers, site)
    row = find(provider, name=pair.name)
    if row is None:
        raise VastplanError(f"{pair.path}: {provider.describe()} has no protected path {pair.name}; apply first")
    return provider, row
