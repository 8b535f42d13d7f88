"""The workloads that use the data of a project or volume as text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vastplan.model.escaping import inert
from vastplan.model.job_list import ListedJob


def jobs_text(address: str, jobs: Sequence[ListedJob]) -> str:
    """A line for each workload: name, type, phase, GPUs, claims, and why `move arm` would not keep it."""
    broad = max((len(inert(job.name, 200)) for job in jobs), default=0)
    lines = (f"{inert(job.name, 200):<{broad}}  {_facts(job)}" for job in jobs)
    return "\n".join(lines) or f"{inert(address)}: no workload uses its data"


def _facts(job: ListedJob) -> str:
    claims = ", ".join(inert(claim, 80) for claim in job.claims)
    kept = f"; move arm does not keep it: {inert(job.not_kept, 300)}" if job.not_kept else ""
    return f"{inert(job.type, 40)}, {inert(job.phase, 40)}, {job.gpus:g} GPUs, mounts {claims}{kept}"
