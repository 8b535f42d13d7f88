"""The workloads that use the data of a project or volume now."""

from __future__ import annotations

from vastplan.model.address import Address
from vastplan.model.errors import Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.job_list import ListedJob
from vastplan.model.value import Ref
from vastplan.operations.modes.arm import keepable
from vastplan.operations.plan.claims import ClaimOf, claims_by_directory
from vastplan.operations.plan.pair import movable
from vastplan.operations.sites import Sites
from vastplan.operations.subject import Parts
from vastplan.schema.entries import Entry
from vastplan.schema.ports.workloads import Job, Jobs


def jobs_using(entries: tuple[Entry, ...], sites: Sites, parts: Parts, address: Address) -> tuple[ListedJob, ...]:
    """The workloads that mount a claim of a project, or the claims of a volume. Raises `VastplanError`."""
    claims = tuple(_claims(entries, address))
    if not claims:
        raise VastplanError(
            f"{inert(address, 200)} is not a project or volume with a claim of a project of this document"
        )
    jobs = sites.jobs(address.site)
    if jobs is None:
        raise VastplanError(f"{address.site} has no Run:AI in this document, so its workloads are unknown")
    works, unread = sites.work(((claim, None) for claim in claims), parts)
    if unread:
        raise Unreachable(unread)
    if not works:
        raise VastplanError(f"{claims[0].project} is not in the ledger, or does not exist in Run:AI; apply first")
    moving = _moving(entries)
    users = [(work.source, job) for work in works for job in jobs.using(work.source.project, work.source.name)]
    movers = {job.id for claim, job in users if claim.address in moving}
    by_id = {job.id: job for _, job in users}
    return tuple(
        ListedJob(job.name, job.type, job.phase, job.gpus, job.claims, _not_kept(jobs, job, moves=job.id in movers))
        for job in sorted(by_id.values(), key=lambda job: (job.name, job.id))
    )


def _claims(entries: tuple[Entry, ...], address: Address) -> list[ClaimOf]:
    return [
        ClaimOf(entry.address, entry.called, namespace.target)
        for entry in entries
        if entry.address.kind == "persistent_volume_claim"
        and isinstance(namespace := entry.values.get("namespace"), Ref)
        and namespace.target.kind == "project"
        and (address in (namespace.target, entry.address) or entry.origin == str(address))
    ]


def _moving(entries: tuple[Entry, ...]) -> set[str]:
    """The claims of all directories whose roles a move can change."""
    claims = claims_by_directory(entries)
    paths = (path for path in entries if path.address.kind == "protected_path")
    return {str(claim.address) for path in paths for place in movable(path).items() for claim in claims.get(place, ())}


def _not_kept(jobs: Jobs, job: Job, *, moves: bool) -> str:
    return keepable(jobs, job)[1] if moves else "no move takes a claim that it mounts to another site"
