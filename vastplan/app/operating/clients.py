"""The ports of operations over the clients of a site: VAST for data, Run:AI for workloads, Kubernetes for pods, volumes and claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from vastplan.app.connect import Providers
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clients.silent import SilentJobs, SilentMounts, SilentVolumes
from vastplan.operations.ends import Claim, Work
from vastplan.operations.plan.pair import ClaimOf
from vastplan.schema.kind import Kind
from vastplan.schema.ports.access import Volumes
from vastplan.schema.ports.workloads import Jobs, Mounts
from vastplan.systems.kubernetes.mounts import PodMounts
from vastplan.systems.kubernetes.volumes import StaticVolumes
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.runai.jobs import RunaiJobs
from vastplan.systems.vast.client import VastProvider


def vast_at(providers: Providers, site: str) -> VastProvider:
    """The client of a site's VAST cluster. Raises `Unreachable`, and `VastplanError` if the document has no cluster there."""
    provider = providers.get((site, "vast"))
    if isinstance(provider, Exception):
        raise Unreachable(f"{site}: {provider}")
    if not isinstance(provider, VastProvider):
        raise VastplanError(f"{site} has no VAST cluster in this document")
    return provider


def jobs_at(providers: Providers, site: str) -> Jobs | None:
    """Access to a site's workloads, if it has Run:AI."""
    provider = providers.get((site, "runai"))
    if isinstance(provider, Exception):
        return SilentJobs(site, str(provider))
    return RunaiJobs(site, provider) if isinstance(provider, RunaiProvider) else None


def mounts_at(workspace: Workspace, providers: Providers, site: str) -> Mounts | None:
    """Lists the pods that mount claims on a site, if it has Kubernetes."""
    provider = providers.get((site, "kubernetes"))
    if isinstance(provider, Exception):
        return SilentMounts(site, str(provider))
    return None if provider is None else PodMounts(provider, workspace.registry.kinds["pod"])


def volumes_at(workspace: Workspace, providers: Providers, site: str) -> Volumes | None:
    """Creates volumes and claims on a site, if it has Kubernetes."""
    provider = providers.get((site, "kubernetes"))
    if isinstance(provider, Exception):
        return SilentVolumes(site, str(provider))
    kinds = workspace.registry.kinds
    if provider is None:
        return None
    return StaticVolumes(site, provider, kinds["persistent_volume"], kinds["persistent_volume_claim"])


def claim_of(providers: Providers, kind: Kind, claim: ClaimOf, ledger: Mapping[str, SiteLedger]) -> Claim | None:
    """A claim with its project's id and namespace from Run:AI; `None` if the project is not in the ledger or does not exist.

    Raises `Unreachable` if Run:AI does not answer: a project that cannot be read may have workloads.
    """
    provider = providers.get((claim.project.site, "runai"))
    owned = ledger[claim.project.site].entries.get(str(claim.project)) if claim.project.site in ledger else None
    if provider is None or owned is None:
        return None
    if isinstance(provider, Exception):
        raise Unreachable(f"{claim.project} cannot be read: {provider}")
    try:
        row = provider.read(kind, owned.locator)
    except (Refused, Unreachable) as problem:
        raise Unreachable(f"{claim.project} cannot be read: {problem}") from problem
    status = {} if row is None else row.get("status") or {}
    if row is None or not isinstance(status, dict):
        return None
    return Claim(str(row.get("id")), str(status.get("namespace") or ""), claim.name, str(claim.address))


def work_of(
    workspace: Workspace,
    providers: Providers,
    claims: Iterable[tuple[ClaimOf, ClaimOf | None]],
    ledger: Mapping[str, SiteLedger],
    along: Set[tuple[Address, str]] = frozenset(),
) -> tuple[tuple[Work, ...], str]:
    """The claims at the source, each with its counterpart at the target; and, if some could not be read, why ("" otherwise)."""
    project = workspace.registry.kinds["project"]
    found, unread = list[Work](), ""
    for here, there in claims:
        try:
            source = claim_of(providers, project, here, ledger)
        except Unreachable as problem:
            unread = unread or str(problem)
            continue
        if source is None:
            continue
        try:
            becomes, why = None if there is None else claim_of(providers, project, there, ledger), ""
        except Unreachable as problem:
            becomes, why = None, str(problem)
        found.append(Work(source, becomes, why, frozenset(name for of, name in along if of == here.project)))
    return tuple(found), unread
