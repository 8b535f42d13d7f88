"""The ends of a move over the clients of its sites: VAST for what is replicated, Run:AI for work, Kubernetes for who mounts it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

from vastplan.app.connect import Providers
from vastplan.app.moving.pair import ClaimOf, Pair
from vastplan.app.workspace import Workspace
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Claim, Ends, Work
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Provider
from vastplan.schema.replicated import Kept, Point, Replica, Side
from vastplan.systems.kubernetes.mounts import PodMounts
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.runai.jobs import RunaiJobs
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.replica import VastReplica, find


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
        here = _vast(providers, source)
        row = find(here, name=pair.name)
        if row is None:
            raise VastplanError(f"{pair.path}: {here.describe()} has no protected path {pair.name}; apply first")
    except Unreachable as unreachable:
        problem = str(unreachable)
    guid = str((row or {}).get("guid") or "")
    there = _vast(providers, target)
    twin = find(there, guid=guid, name=pair.name)
    if twin is None:
        raise VastplanError(f"{pair.path}: {there.describe()} has no copy of it ({guid or pair.name})")
    guid = str(twin["guid"])
    silent: Replica = Silent(source, problem)
    near = (
        silent
        if row is None
        else VastReplica(source, _vast(providers, source), str(row["id"]), guid, pair.source_directory, clock.now)
    )
    far = VastReplica(target, there, str(twin["id"]), guid, pair.target_directory, clock.now)
    forecast = 0.0
    with contextlib.suppress(Refused, Unreachable):  # whoever needs the source says so
        forecast = near.look().read_only
    ends = Ends(
        near, far, clock, _work(workspace, providers, pair, ledger),
        _jobs(providers, source), _jobs(providers, target), _mounts(workspace, providers, source), forecast,
    )  # fmt: skip
    return Met(ends, guid)


def _vast(providers: Providers, site: str) -> VastProvider:
    provider = providers.get((site, "vast"))
    if isinstance(provider, Exception):
        raise Unreachable(f"{site}: {provider}")
    if not isinstance(provider, VastProvider):
        raise VastplanError(f"{site} has no VAST cluster in this document")
    return provider


def _jobs(providers: Providers, site: str) -> RunaiJobs | None:
    provider = providers.get((site, "runai"))
    return RunaiJobs(site, provider) if isinstance(provider, RunaiProvider) else None


def _mounts(workspace: Workspace, providers: Providers, site: str) -> PodMounts | None:
    provider = providers.get((site, "kubernetes"))
    if provider is None or isinstance(provider, Exception):
        return None
    return PodMounts(provider, workspace.registry.kinds["pod"])


def _work(workspace: Workspace, providers: Providers, pair: Pair, ledger: Mapping[str, SiteLedger]) -> tuple[Work, ...]:
    project = workspace.registry.kinds["project"]
    found = []
    for here, there in pair.work:
        source = _claim(providers, project, here, ledger)
        if source is not None:
            found.append(Work(source, _claim(providers, project, there, ledger) if there is not None else None))
    return tuple(found)


def _claim(providers: Providers, kind: Kind, claim: ClaimOf, ledger: Mapping[str, SiteLedger]) -> Claim | None:
    """A claim with its project's id and namespace as Run:AI says them; `None` where that project is not ours or not there."""
    provider = providers.get((claim.project.site, "runai"))
    owned = ledger[claim.project.site].entries.get(str(claim.project)) if claim.project.site in ledger else None
    if provider is None or isinstance(provider, Exception) or owned is None:
        return None
    try:
        row = _read(provider, kind, owned.locator)
    except Unreachable:
        return None
    namespace = (row or {}).get("status") or {}
    if row is None or not isinstance(namespace, dict):
        return None
    return Claim(str(row.get("id")), str(namespace.get("namespace") or ""), claim.name, str(claim.address))


def _read(provider: Provider, kind: Kind, locator: str) -> dict[str, object] | None:
    row = provider.read(kind, locator)
    return None if row is None else dict(row)
