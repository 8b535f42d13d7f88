"""The ends of a move over the clients of its sites: VAST for what is replicated, Run:AI for work, Kubernetes for who mounts it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

from vastplan.app.connect import Providers
from vastplan.app.moving.beside import with_copy
from vastplan.app.moving.pair import Pair
from vastplan.app.operating.clients import claim_of, jobs_at, mounts_at, vast_at
from vastplan.app.workspace import Workspace
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Ends, Work
from vastplan.schema.replicated import Kept, Point, Replica, Side
from vastplan.systems.vast.replica import VastReplica, find
from vastplan.systems.vast.restorable import VastDirectory


class Silent:
    """A side whose system does not answer: whatever it is asked, it is unreachable."""

    def __init__(self, site: str, why: str) -> None:
        self.site, self.path, self._why = site, "/protectedpaths/", why

    def _no(self) -> Unreachable:
        return Unreachable(self._why)

    def look(self) -> Side:
        """Nothing is known of it."""
        raise self._no()

    def points(self) -> tuple[Point, ...]:
        """Nor of its points."""
        raise self._no()

    def used(self) -> int | None:
        """Nor of what it holds."""
        raise self._no()

    def replicate_now(self) -> None:
        """Nothing can be asked of it."""
        raise self._no()

    def keep(self, name: str) -> None:
        """Nothing can be asked of it."""
        raise self._no()

    def kept(self, name: str) -> Kept | None:
        """Nor is anything known that it keeps."""
        raise self._no()

    take_over = give_up = detach = force = enable = reattach = replicate_now


@dataclass(frozen=True, slots=True)
class Met:
    """The ends, and the guid that both sides share."""

    ends: Ends
    guid: str


def meet(workspace: Workspace, providers: Providers, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock) -> Met:
    """The ends of a pair. Raises `VastplanError` where the target has no such path."""
    source, target = pair.source, pair.target
    problem = ""
    row = None
    try:
        here = vast_at(providers, source)
        row = find(here, name=pair.name)
        if row is None:
            raise VastplanError(f"{pair.path}: {here.describe()} has no protected path {pair.name}; apply first")
    except Unreachable as unreachable:
        problem = str(unreachable)
    guid = str((row or {}).get("guid") or "")
    there = vast_at(providers, target)
    twin = find(there, guid=guid, name=pair.name)
    if twin is None:
        raise VastplanError(f"{pair.path}: {there.describe()} has no copy of it ({guid or pair.name})")
    guid = str(twin["guid"])
    silent: Replica = Silent(source, problem)
    near = (
        silent
        if row is None
        else VastReplica(source, vast_at(providers, source), str(row["id"]), guid, pair.source_directory, clock.now)
    )
    far = VastReplica(target, there, str(twin["id"]), guid, pair.target_directory, clock.now)
    forecast = 0.0
    with contextlib.suppress(Refused, Unreachable):  # whoever needs the source says so
        forecast = near.look().read_only
    work, unread = work_of(workspace, providers, pair, ledger)
    ends = Ends(
        source=near, target=far, clock=clock, work=work, unread=unread, forecast=forecast,
        source_jobs=jobs_at(providers, source), target_jobs=jobs_at(providers, target),
        source_mounts=mounts_at(workspace, providers, source),
    )  # fmt: skip
    store = VastDirectory(target, there, int(twin["tenant_id"]), pair.target_directory.rstrip("/"))
    return Met(with_copy(workspace, providers, pair, ends, store, ledger), guid)


def work_of(
    workspace: Workspace, providers: Providers, pair: Pair, ledger: Mapping[str, SiteLedger]
) -> tuple[tuple[Work, ...], str]:
    """The claims of both sides, and why they are not all."""
    project = workspace.registry.kinds["project"]
    found, unread = list[Work](), ""
    for here, there in pair.work:
        try:
            source = claim_of(providers, project, here, ledger)
        except (Refused, Unreachable) as problem:
            unread = unread or str(problem)
            continue
        if source is None:
            continue
        try:
            becomes, why = None if there is None else claim_of(providers, project, there, ledger), ""
        except (Refused, Unreachable) as problem:
            becomes, why = None, str(problem)
        along = frozenset(name for of, name in pair.along if of == here.project)
        found.append(Work(source, becomes, why, along))
    return tuple(found), unread
