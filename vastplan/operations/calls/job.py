"""Calls on workloads as stages send them: suspend, resume, submit. Only workloads that the operation suspended are resumed or submitted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.operations.ends import DIRECTORY, LABEL, RESUME, SPECIFICATION, job_of
from vastplan.operations.stage import Call, effect
from vastplan.schema.ports.workloads import STOPPED, Job, Jobs, Resumption

GONE = "gone"
_MOVED = re.compile(r"(-m[0-9a-f]{8})+\Z")
STILL = STOPPED | {GONE}
_STOPPING = STILL | {"Stopping", "Deleting", "Terminating"}
_STARTING = frozenset({"Creating", "Initializing", "Resuming"})


def phase(jobs: Jobs, id: str) -> str:
    """The phase of a workload, or that it is gone."""
    job = jobs.job(id)
    return GONE if job is None else job.phase


def suspend(jobs: Jobs, fact: Facts) -> Call:
    """Suspend a workload."""
    return _changing("suspend", jobs, fact, jobs.suspend, lambda now: now["phase"] in _STOPPING)


def resume(jobs: Jobs, fact: Facts) -> Call:
    """Resume a workload that the operation suspended."""
    return _changing("resume", jobs, fact, jobs.resume, lambda now: now["phase"] not in ("Stopped", "Stopping"))


def _changing(
    verb: str, jobs: Jobs, fact: Facts, send: Callable[[Job], None], shows: Callable[[Facts], object]
) -> Call:
    job = job_of(fact)
    what = f"{verb} {job.type} {job.name} ({job.id}) at {jobs.site}"
    return Call(f"{verb} {job.id}", what, {}, lambda: {"phase": phase(jobs, job.id)}, lambda: send(job), effect(shows))


def base_name(name: str) -> str:
    """The name of a workload before any move."""
    return _MOVED.sub("", name)


def new_name(operation: Operation, name: str) -> str:
    """The name of a workload at the target: each move replaces the suffix of an earlier one."""
    return f"{base_name(name)}-m{operation.id}"


def submit(source: Jobs, target: Jobs, fact: Facts, operation: Operation) -> Call:
    """The same workload at the target, from its specification: the kept one, or as the source returns it when this is sent."""
    job, name = job_of(fact), new_name(operation, str(fact["name"]))
    claim, target_claim, project = (str(fact[key]) for key in ("claim", "to_claim", "to_project"))

    def read() -> Facts:
        job = target.named(name)
        return {"phase": job.phase if job else GONE}

    def send() -> None:
        others = fact.get("others") or {}
        asked = resumed(target, fact.get(SPECIFICATION) or source.specification(job), fact)
        specification = target.mapped(asked, {claim: target_claim, **others}, f"{LABEL}={operation.id}")
        target.submit(job.type, name, project, specification)

    what = f"submit {job.type} {name} at {target.site}"
    return Call(
        f"submit {job.id}",
        what,
        {"of": job.id, "name": name, "claim": target_claim},
        read,
        send,
        effect(lambda now: now["phase"] != GONE),
    )


def resumed(jobs: Jobs, specification: Mapping[str, Any], fact: Facts) -> Mapping[str, Any]:
    """The specification of a workload, so that it goes on from its last checkpoint, by the volumes that it mounts."""
    for claim, how in (fact.get(RESUME) or {}).items():
        resume = Resumption(how.get("env", {}), how.get("args", ""), claim, str(fact.get(DIRECTORY, "")))
        specification = jobs.resumed(specification, resume)
    return specification


def suspended(operation: Operation, stage: str, facts: tuple[Facts, ...]) -> tuple[Facts, ...]:
    """Those of the workloads that the operation suspended in a stage."""
    calls = {attempt.call for attempt in operation.of(stage) if attempt.outcome is Outcome.SEEN}
    return tuple(fact for fact in facts if f"suspend {fact['id']}" in calls)


def is_starting(job: Job | None) -> bool:
    """Whether a workload is still starting; one that is gone counts, too."""
    return job is None or job.phase in _STARTING
