"""The ports of operations over the clients of sites: VAST for data, Run:AI for workloads, Kubernetes for pods, volumes and claims.

Only this module of operations knows systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import field
from datetime import datetime
from typing import TypeVar

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Claim, Work
from vastplan.operations.plan.claims import ClaimOf
from vastplan.operations.plan.owned import owned_at
from vastplan.operations.sites import PathAt
from vastplan.operations.stand_ins import SilentMounts, silent_jobs, silent_volumes
from vastplan.schema.kind import Kind
from vastplan.schema.ports.access import Volumes
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica
from vastplan.schema.ports.snapshots import Clonable, Restorable
from vastplan.schema.ports.workloads import Jobs, Mounts
from vastplan.schema.rows import dig
from vastplan.schema.system import Client
from vastplan.systems.kubernetes.mounts import PodMounts
from vastplan.systems.kubernetes.volumes import StaticVolumes
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.runai.jobs import RunaiJobs
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.directory import VastDirectory, VastProtected
from vastplan.systems.vast.replica import Row, VastReplica, paths_like
from vastplan.systems.vast.satellite import VastCached
from vastplan.systems.vast.views import VastViews

Value = TypeVar("Value")


class VastPath:
    """A protected path on a VAST cluster."""

    def __init__(
        self, site: str, provider: VastProvider, row: Row, directory: str, now: Callable[[], datetime]
    ) -> None:
        self.guid = str(row.get("guid") or "")
        self.replica: Replica = VastReplica(site, provider, str(row["id"]), self.guid, directory, now)
        self._site, self._provider, self._row, self._directory, self._now = site, provider, row, directory, now

    def cache(self) -> Cached:
        """The path as the origin or as the satellite."""
        return VastCached(self._site, self._provider, str(self._row["id"]), self.guid)

    def directory(self) -> VastDirectory:
        """Its directory."""
        return VastDirectory(self._site, self._provider, int(self._row["tenant_id"]), self._directory.rstrip("/"))

    def views(self) -> VastViews:
        """Views of its tenant."""
        directory = self.directory()
        return VastViews(self._site, self._provider, directory.tenant, directory.directory)

    def restorable(self) -> Restorable:
        """The path with its own restore."""
        return VastProtected(self._site, self._provider, self._row, self._directory, self._now)


@dataclass(frozen=True, slots=True)
class Clients:
    """The ports of sites. `clients` are those of each site and system, or why one could not be created.

    A path or claim is read once, when an operation begins or goes on. `silent` are the systems that did not answer then: of a lost site
    each such read is waited for, and an operation may have many paths.
    """

    clients: Mapping[tuple[str, str], Client | Exception]
    kinds: Mapping[str, Kind]
    clock: Clock
    silent: dict[tuple[str, str], str] = field(default_factory=dict)

    def storage(self, site: str) -> str:
        """The cluster of a site. Raises like `path`."""
        return self._vast(site).describe()

    def answers(self, site: str) -> bool:
        """Whether the cluster of a site answers now, even if it did not before."""
        try:
            return self._vast(site).answers()
        except Unreachable:
            return False

    def path(self, site: str, name: str, directory: str, guid: str = "") -> PathAt | None:
        """A protected path of a site's cluster. Raises `Unreachable`, and `VastplanError` if the document has no cluster there."""
        provider = self._vast(site)
        rows = self._heard(site, "vast", lambda: paths_like(provider, guid=guid, name=name))
        if len(rows) > 1:
            raise Unreachable(f"{provider.describe()} has {len(rows)} protected paths {guid or name}")
        return VastPath(site, provider, rows[0], directory, self.clock.now) if rows else None

    def directory(self, site: str, tenant: str, directory: str, id: str = "") -> tuple[Clonable, str]:
        """A directory of a tenant, and the tenant's id. Raises like `path`, and `VastplanError` without such a tenant."""
        provider = self._vast(site)
        rows = [
            row
            for row in provider.rows("/tenants/", {} if id else {"name": tenant})
            if (str(row.get("id")) == id if id else row.get("name") == tenant)
        ]
        if len(rows) != 1 or not isinstance(rows[0].get("id"), int):
            raise VastplanError(f"{provider.describe()} has no tenant {tenant}; apply first")
        vast_directory = VastDirectory(site, provider, int(rows[0]["id"]), directory)
        return vast_directory, str(vast_directory.tenant)

    def jobs(self, site: str) -> Jobs | None:
        """Access to a site's workloads, if it has Run:AI."""
        client = self.clients.get((site, "runai"))
        if isinstance(client, Exception):
            return silent_jobs(site, str(client))
        return RunaiJobs(site, client) if isinstance(client, RunaiProvider) else None

    def mounts(self, site: str) -> Mounts | None:
        """Lists the pods that mount claims on a site, if it has Kubernetes."""
        client = self.clients.get((site, "kubernetes"))
        if isinstance(client, Exception):
            return SilentMounts(str(client))
        return None if client is None else PodMounts(client, self.kinds["pod"])

    def volumes(self, site: str) -> Volumes | None:
        """Creates volumes and claims on a site, if it has Kubernetes."""
        client = self.clients.get((site, "kubernetes"))
        if isinstance(client, Exception):
            return silent_volumes(site, str(client))
        if client is None:
            return None
        return StaticVolumes(site, client, self.kinds["persistent_volume"], self.kinds["persistent_volume_claim"])

    def bound(self, site: str, claim: str) -> bool:
        """Whether a claim is known to be bound, by its locator."""
        client = self.clients.get((site, "kubernetes"))
        if client is None or isinstance(client, Exception):
            return False
        row = client.read(self.kinds["persistent_volume_claim"], claim)
        return row is not None and dig(row, ("status", "phase")) == "Bound"

    def work(
        self,
        claims: Iterable[tuple[ClaimOf, ClaimOf | None]],
        ledger: Mapping[str, SiteLedger],
        along: Set[tuple[Address, str]] = frozenset(),
    ) -> tuple[tuple[Work, ...], str]:
        """The claims at the source, each with its counterpart at the target; and, if some could not be read, why ("" otherwise)."""
        works, unread = list[Work](), ""
        for claim, target in claims:
            try:
                source = self._claim(claim, ledger)
            except Unreachable as problem:
                unread = unread or str(problem)
                continue
            if source is None:
                continue
            try:
                target_work, why = None if target is None else self._claim(target, ledger), ""
            except Unreachable as problem:
                target_work, why = None, str(problem)
            works.append(
                Work(source, target_work, why, frozenset(name for project, name in along if project == claim.project))
            )
        return tuple(works), unread

    def _heard(self, site: str, system: str, read: Callable[[], Value]) -> Value:
        """What a system answers. Raises `Unreachable` at once if it did not answer before."""
        if (site, system) in self.silent:
            raise Unreachable(self.silent[site, system])
        try:
            return read()
        except Unreachable as problem:
            self.silent[site, system] = str(problem)
            raise

    def _vast(self, site: str) -> VastProvider:
        client = self.clients.get((site, "vast"))
        if isinstance(client, Exception):
            raise Unreachable(f"{site}: {client}")
        if not isinstance(client, VastProvider):
            raise VastplanError(f"{site} has no VAST cluster in this document")
        return client

    def _claim(self, claim: ClaimOf, ledger: Mapping[str, SiteLedger]) -> Claim | None:
        """A claim with its project's id and namespace from Run:AI; `None` if the project is not in the ledger or does not exist.

        Raises `Unreachable` if Run:AI does not answer: a project that cannot be read may have workloads.
        """
        client = self.clients.get((claim.project.site, "runai"))
        owned, own_claim = owned_at(ledger, claim.project), owned_at(ledger, claim.address)
        if client is None or owned is None:
            return None
        if isinstance(client, Exception):
            raise Unreachable(f"{claim.project} cannot be read: {client}")
        try:
            row = self._heard(claim.project.site, "runai", lambda: client.read(self.kinds["project"], owned.locator))
        except (Refused, Unreachable) as problem:
            raise Unreachable(f"{claim.project} cannot be read: {problem}") from problem
        status = {} if row is None else row.get("status") or {}
        if row is None or not isinstance(status, dict):
            return None
        name = claim.name if own_claim is None else own_claim.locator.rpartition("/")[2]
        return Claim(str(row.get("id")), str(status.get("namespace") or ""), name, str(claim.address))
