"""RAI-11: a new project or department without quota on a cluster with several node pools."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.wording import some
from vastplan.schema.entries import Entry

_UNITS = ("department", "project")


def _run(facts: Facts) -> Iterator[Violation]:
    for unit in _without_quota(facts):
        site, kind = unit.address.site, unit.address.kind
        pools = sorted(pool.address.name for pool in facts.seen.get((site, "node_pool"), ()))
        live = facts.seen.get((site, kind))
        if len(pools) > 1 and live is not None and all(row.address != unit.address for row in live):
            text = f"gpus is left out, and {site} has {len(pools)} node pools: {some(pools)}"
            yield Violation(unit, text)


def _without_quota(facts: Facts) -> Iterator[Entry]:
    yield from (unit for kind in _UNITS for unit in facts.objects.all(kind) if not unit.values.get("node_pools"))


def _wanted(facts: Facts) -> Iterator[str]:
    yield from {unit.address.site for unit in _without_quota(facts)}


CHECK = Check(
    code="RAI-11",
    title="a new project or department without quota where there are several node pools",
    severity=Severity.ERROR,
    why="Run:AI creates a project or department with a quota, and on a cluster with several node pools that names its node pool.",
    fix="write gpus with one of them, such as gpus: {default: 0}",
    source="Run:ai API 2.24, projects.resources.nodePool",
    run=_run,
    reads=("node_pool", *_UNITS),
    wanted=_wanted,
)
