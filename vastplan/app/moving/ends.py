"""The ends of a move over its sites' clients: VAST for the replicated path, Run:AI for workloads, Kubernetes for pods that mount it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from vastplan.app.connect import Providers
from vastplan.app.moving.beside import with_copy
from vastplan.app.operating.clients import jobs_at, mounts_at, vast_at, work_of
from vastplan.app.workspace import Workspace
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clients.silent import SilentReplica
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Ends
from vastplan.operations.plan.pair import Pair
from vastplan.schema.ports.replica import Replica
from vastplan.systems.vast.replica import VastReplica, find
from vastplan.systems.vast.restorable import VastDirectory


@dataclass(frozen=True, slots=True)
class Met:
    """The ends of a pair, and the guid of the path, which is the same on both sides."""

    ends: Ends
    guid: str


def meet(workspace: Workspace, providers: Providers, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock) -> Met:
    """The ends of a pair. Raises `VastplanError` if a site does not have the path."""
    source, target = pair.source, pair.target
    near: Replica
    row, why = None, ""
    try:
        here = vast_at(providers, source)
        row = find(here, name=pair.name)
        if row is None:
            raise VastplanError(f"{pair.path}: {here.describe()} has no protected path {pair.name}; apply first")
    except Unreachable as problem:
        why = str(problem)
    guid = "" if row is None else str(row.get("guid") or "")
    there = vast_at(providers, target)
    twin = find(there, guid=guid, name=pair.name)
    if twin is None:
        raise VastplanError(f"{pair.path}: {there.describe()} has no copy of it ({guid or pair.name})")
    guid = str(twin["guid"])
    if row is None:
        near = SilentReplica(source, why)
    else:
        near = VastReplica(source, here, str(row["id"]), guid, pair.source_directory, clock.now)
    far = VastReplica(target, there, str(twin["id"]), guid, pair.target_directory, clock.now)
    forecast = 0.0
    with contextlib.suppress(Refused, Unreachable):  # a mode that needs the source reports it
        forecast = near.look().read_only
    work, unread = work_of(workspace, providers, pair.work, ledger, pair.along)
    ends = Ends(
        source=near, target=far, clock=clock, work=work, unread=unread, forecast=forecast,
        source_jobs=jobs_at(providers, source), target_jobs=jobs_at(providers, target),
        source_mounts=mounts_at(workspace, providers, source),
    )  # fmt: skip
    store = VastDirectory(target, there, int(twin["tenant_id"]), pair.target_directory.rstrip("/"))
    return Met(with_copy(workspace, providers, pair, ends, store, ledger), guid)
