"""Workloads that an operation suspends, resumes and submits again. They stay their users' own: nothing else of them is written."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.errors import ObjectNotFound, Unreachable
from vastplan.model.secret_words import names_secret, secret_in
from vastplan.schema.checkpoint import CHECKPOINT
from vastplan.schema.ports.workloads import Job, PoolGpus, Resumption
from vastplan.schema.rows import dig
from vastplan.systems.runai.client import PAGE, RunaiProvider
from vastplan.systems.runai.workload_types import NEVER_SUSPENDED, PATHS
from vastplan.systems.transport import segment

WORKLOADS = "/api/v1/workloads"
PROJECTS = "/api/v1/org-unit/projects"
_ASKED = ("spec", "masterSpec", "masterSpecSameAsWorker")
_SPECS = ("spec", "masterSpec")
_INNER = ("leader", "worker")
"""The parts of a distributed inference's `spec`, which itself has what they share."""
_GPUS, _WORKERS = "gpuDevicesRequest", ("numWorkers", "workers")
_MANY = ("minReplicas", "maxReplicas", "replicas", "slotsPerWorker", "parallelism", "completions", "autoscaling")
"""The fields that say how many run, beside GPUs and workers; without them one does."""
_OWN = ("nodePools", "nodeType", "nodeAffinityRequired", "exposedUrls")
"""The fields that belong to one cluster: another one has other pools, nodes and addresses."""
Row = Mapping[str, Any]


class RunaiJobs:
    """The workloads of one site's cluster."""

    def __init__(self, site: str, provider: RunaiProvider) -> None:
        self.site = site
        self._provider = provider

    def using(self, project: str, claim: str) -> tuple[Job, ...]:
        """The workloads of a project that have not stopped and mount a claim, of the types that show their mounts."""
        jobs = []
        for row in self._rows():
            job = _job(row)
            if job.project != project or job.stopped or job.type not in PATHS:
                continue
            claims = _claims(self.specification(job))
            if claim in claims:
                jobs.append(replace(job, claims=tuple(sorted(claims))))
        return tuple(sorted(jobs, key=lambda job: (job.name, job.id)))

    def job(self, id: str) -> Job | None:
        """The workload as it is now, `None` if it is gone."""
        try:
            row = self._provider.ask("GET", f"{WORKLOADS}/{segment(id)}")
        except ObjectNotFound:
            return None
        return None if row.get("deletedAt") else _job(row)

    def named(self, name: str) -> Job | None:
        """The workload of that name; deleted ones are not listed."""
        return next((_job(row) for row in self._rows() if row.get("name") == name), None)

    def submitted(self, project: str, name: str, label: str) -> Job | None:
        """The workload of that name and project whose specification has the label."""
        for row in self._rows():
            job = _job(row)
            if (job.project, job.name) == (project, name) and job.type in PATHS and label in self._labels(job):
                return job
        return None

    def quota(self, project: str) -> tuple[str, tuple[PoolGpus, ...]]:
        """The project's name and quota. Raises `Unreachable` if the answer lacks the quota, or what is allocated of it."""
        row = self._provider.ask("GET", f"{PROJECTS}/{segment(project)}")
        name, pools = str(row.get("name") or project), quota_of(row)
        if not pools:
            raise Unreachable(f"{self._provider.describe()}: project {name} reports no quota, or not what is allocated")
        return name, pools

    def remove(self, job: Job) -> None:
        """Delete it. The answer is 202 (204 in 2.20); that it is gone shows later."""
        with contextlib.suppress(ObjectNotFound):
            self._provider.sent("DELETE", self._path(job))

    def suspend(self, job: Job) -> None:
        """Suspend it. The answer is 202; that it has stopped shows later."""
        self._provider.ask("POST", f"{self._path(job)}/suspend")

    def resume(self, job: Job) -> None:
        """Resume it, likewise."""
        self._provider.ask("POST", f"{self._path(job)}/resume")

    def specification(self, job: Job) -> Row:
        """Its specification as Run:AI returns it, with the effect of policies."""
        row = self._provider.ask("GET", self._path(job))
        return {name: row[name] for name in _ASKED if row.get(name) is not None}

    def secrets(self, specification: Row) -> tuple[str, ...]:
        """Environment variables that hold a value under a name for secrets, and words of the command that do."""
        return tuple(dict.fromkeys(name for part in _parts(specification) for name in _secrets(part)))

    def submit(self, type: str, name: str, project: str, specification: Row) -> None:
        """Submit it. A name is unique in a project, so a request that took effect is found by its name."""
        place = {"name": name, "projectId": project, "clusterId": self._provider.cluster_id()}
        self._provider.ask("POST", f"{WORKLOADS}/{PATHS[type]}", {**place, **specification})

    def small(self, specification: Row) -> Row:
        """The specification with one worker and at most one GPU; a fraction of a GPU stays."""
        return _each(specification, _small, _small)

    def mapped(self, specification: Row, claims: Mapping[str, str], label: str) -> Row:
        """The specification with mapped claims and the label, without pools, nodes and addresses of its former cluster."""
        return _each(specification, lambda part: _mapped(part, claims, label), _without_place)

    def resumed(self, specification: Row, resume: Resumption) -> Row:
        """The specification with the variables and arguments in each of its parts: the master of a distributed one starts the same program."""
        mounted = next(filter(None, (_mounted(part, resume.claim) for part in _parts(specification))), "")
        return _each(specification, lambda part: _resumed(part, resume, mounted), dict)

    def _labels(self, job: Job) -> set[str]:
        try:
            specification = self.specification(job)
        except ObjectNotFound:  # it was deleted meanwhile
            return set()
        labels = [part.get("labels") for part in _parts(specification)]
        rows = [label for items in labels if isinstance(items, list) for label in items if isinstance(label, Mapping)]
        return {f"{label.get('name')}={label.get('value')}" for label in rows}

    def _path(self, job: Job) -> str:
        return f"{WORKLOADS}/{PATHS[job.type]}/{segment(job.id)}"

    def _rows(self) -> Iterator[Row]:
        offset = 0
        while True:
            query = {"filterBy": f"clusterId=={self._provider.cluster_id()}", "offset": offset, "limit": PAGE}
            rows = self._provider.ask("GET", WORKLOADS, query=query).get("workloads")
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise Unreachable(
                    f"{self._provider.describe()}: the answer to GET {WORKLOADS} is not a list of objects"
                )
            yield from rows
            if len(rows) < PAGE:
                return
            offset += PAGE


def _job(row: Row) -> Job:
    gpus = dig(row, ("workloadRequestedResources", "gpu", "request"))
    return Job(
        id=str(row.get("id")), name=str(row.get("name")), type=str(row.get("type")), phase=str(row.get("phase")),
        project=str(row.get("projectId")), gpus=float(gpus) if isinstance(gpus, int | float) else 0.0,
        preemptible=row.get("preemptible") is True, says=str(row.get("phaseMessage") or ""),
        suspends=row.get("type") not in NEVER_SUSPENDED,
    )  # fmt: skip


def quota_of(row: Row) -> tuple[PoolGpus, ...]:
    """A project's quota in its default node pools, or in all if it has none; nothing if one figure is missing."""
    entries, statuses = row.get("resources"), dig(row, ("status", "nodePoolQuotaStatuses"))
    if not isinstance(entries, list) or not isinstance(statuses, list):
        return ()
    allocated = {str(dig(status, ("nodePoolId",))): dig(status, ("allocated",)) for status in statuses}
    chosen = dig(row, ("effective", "defaultNodePools"))
    pools = []
    for entry in entries:
        pool, guaranteed = dig(entry, ("nodePool", "name")), dig(entry, ("gpu", "deserved"))
        if isinstance(chosen, list) and chosen and pool not in chosen:
            continue
        held = allocated.get(str(dig(entry, ("nodePool", "id"))))
        used = held.get("gpu", 0) if isinstance(held, Mapping) else None
        if not isinstance(guaranteed, int | float) or not isinstance(used, int | float):
            return ()
        pools.append(PoolGpus(str(pool), float(guaranteed), float(used)))
    return tuple(pools)


def _parts(specification: Row) -> list[Row]:
    """The parts of a specification that describe pods."""
    specs = [spec for name in _SPECS if isinstance(spec := specification.get(name), Mapping)]
    return [part for spec in specs for part in _inner(spec).values() or [spec]]


def _inner(spec: Row) -> dict[str, Row]:
    return {name: part for name in _INNER if isinstance(part := spec.get(name), Mapping)}


def _each(specification: Row, change: Callable[[Row], Row], share: Callable[[Row], Row]) -> Row:
    """The specification with a change in each of its parts, and `share` in what parts share."""

    def changed(spec: Row) -> Row:
        inner = {name: change(part) for name, part in _inner(spec).items()}
        return {**share(spec), **inner} if inner else change(spec)

    return {
        name: changed(spec) if name in _SPECS and isinstance(spec, Mapping) else spec
        for name, spec in specification.items()
    }


def _mounts(spec: Row) -> list[Row]:
    mounts = dig(spec, ("storage", "pvc"))
    return [mount for mount in mounts if isinstance(mount, Mapping)] if isinstance(mounts, list) else []


def _claims(specification: Row) -> set[str]:
    return {str(mount.get("claimName")) for part in _parts(specification) for mount in _mounts(part)}


def _secrets(spec: Row) -> Iterator[str]:
    variables = spec.get("environmentVariables")
    for variable in variables if isinstance(variables, list) else ():
        name = str(variable.get("name")) if isinstance(variable, Mapping) else ""
        if name and variable.get("value") and (names_secret(name) or secret_in(str(variable["value"]))):
            yield f"variable {name}"
    for field in ("command", "args"):
        if found := secret_in(str(spec.get(field) or "")):
            yield f"{field}: {found}"


def _small(spec: Row) -> Row:
    fields = {name: value for name, value in spec.items() if name not in _MANY}
    compute = fields.get("compute")
    if isinstance(compute, Mapping) and isinstance(compute.get(_GPUS), int):
        fields["compute"] = {**compute, _GPUS: min(compute[_GPUS], 1)}
    return {**fields, **{name: int(bool(fields[name])) for name in _WORKERS if fields.get(name) is not None}}


def _without_place(spec: Row) -> dict[str, Any]:
    fields = {name: value for name, value in spec.items() if name not in _OWN and value is not None}
    if isinstance(port := fields.get("servingPort"), Mapping):
        fields["servingPort"] = {name: value for name, value in port.items() if name != "exposedUrl"}
    return fields


def _mapped(spec: Row, claims: Mapping[str, str], label: str) -> Row:
    fields = _without_place(spec)
    if "storage" in fields:
        # all at once: a claim there may have the name of another claim here
        mounts = [
            {**mount, "claimName": claims.get(str(mount.get("claimName")), mount.get("claimName"))}
            for mount in _mounts(spec)
        ]
        fields["storage"] = {**fields["storage"], "pvc": mounts}
    key, _, value = label.partition("=")
    labels = [label_row for label_row in fields.get("labels") or () if label_row.get("name") != key]
    return {**fields, "labels": [*labels, {"name": key, "value": value}]}


def _resumed(spec: Row, resume: Resumption, mounted: str) -> Row:
    """A part of a specification; `mounted` is where another part mounts the claim, if this one does not."""
    root = f"{_mounted(spec, resume.claim) or mounted}/"
    path = f"{root}{resume.checkpoint}"
    rows = spec.get("environmentVariables") or ()
    variables = [row for row in rows if isinstance(row, Mapping) and row.get("name") not in resume.env]
    variables += [{"name": name, "value": value.replace(CHECKPOINT, path)} for name, value in resume.env.items()]
    args, text = str(spec.get("args") or ""), resume.args.replace(CHECKPOINT, path)
    # a workload that was moved before has them already, with the checkpoint of then
    before = re.escape(resume.args).replace(re.escape(CHECKPOINT), rf"{re.escape(root)}[^/\s]+")
    args, times = re.subn(rf"(?<!\S){before}(?!\S)", lambda _: text, args) if text else (args, 1)
    args = args if times else f"{args} {text}".strip()
    return {**spec, **({"environmentVariables": variables} if variables else {}), **({"args": args} if args else {})}


def _mounted(spec: Row, claim: str) -> str:
    """Where a part of a specification mounts a claim, "" if it does not."""
    return next((str(one.get("path")).rstrip("/") for one in _mounts(spec) if one.get("claimName") == claim), "")
