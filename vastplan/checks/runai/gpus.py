"""RAI-04: more guaranteed GPUs than a department or a node pool has."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.commitments.pools import deserved, pools, promised_gpus, sites_of_unknown_pools
from vastplan.checks.facts import Facts
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.formatting import number
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        available = pools(facts, site)
        projects = facts.objects.on(site, "project").values()
        for pool, total in sorted(promised_gpus(site, facts.objects).items()):
            first_project = next(project for project in projects if pool in dict(deserved(project)))
            if pool in available and total > available[pool]:
                yield Violation(
                    first_project,
                    f"is one of the projects that are promised {number(total)} GPUs of node pool {pool}, "
                    f"which has {number(available[pool])}",
                )
    for (department, pool), total in _promised_in_departments(facts).items():
        entry = facts.objects.get(Ref(department))
        share = dict(deserved(entry)).get(pool) if entry else None
        if entry is not None and "node_pools" in entry.values and total > (share or 0):
            yield Violation(
                entry,
                f"its projects are promised {number(total)} GPUs of node pool {pool}, and it has {number(share or 0)}",
            )


def _promised_in_departments(facts: Facts) -> dict[tuple[Address, str], float]:
    totals: dict[tuple[Address, str], float] = {}
    for project in facts.objects.all("project"):
        department = project.values.get("department")
        if not isinstance(department, Ref):
            continue
        for pool, gpus in deserved(project):
            totals[department.target, pool] = totals.get((department.target, pool), 0) + gpus
    return totals


CHECK = Check(
    code="RAI-04",
    title="more guaranteed GPUs than exist",
    severity=Severity.WARNING,
    why="Workloads wait for guaranteed GPUs that do not exist, and preempt each other.",
    fix="lower gpus of the projects, or raise gpus of the department; where nodes do not show what a pool has, write it in sites.SITE.capability.gpus",
    source="Run:AI documentation, quotas: the deserved GPUs of projects within those of departments and node pools; Run:AI 2.24 document, nodes: gpuInfo.gpuCount",
    run=_run,
    reads=("node",),
    wanted=sites_of_unknown_pools,
)
