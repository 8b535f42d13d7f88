"""How many GPUs the node pools of a site have, and how many of them are promised."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.checks.live_values import mapping_of, number_of
from vastplan.schema.entries import Entry

_LARGEST = 10**15  # live values are as a system returned them; sums of smaller ones are finite


def pools(facts: Facts, site: str) -> dict[str, float]:
    """The GPUs by pool, from the document, else from its nodes; a pool without nodes is left out, because it may get some."""
    gpus_by_pool: dict[str, float] = {}
    for node in facts.seen.get((site, "node"), ()):
        pool, gpus = node.values.get("pool"), node.values.get("gpus")
        if isinstance(pool, str):
            gpus_by_pool[pool] = gpus_by_pool.get(pool, 0) + (gpus if isinstance(gpus, int) else 0)
    return {**gpus_by_pool, **facts.capability(site).get("gpus", {})}


def sites_of_unknown_pools(facts: Facts) -> Iterator[str]:
    """The sites that promise GPUs of a pool for which the document gives no number."""
    for project in facts.objects.all("project"):
        site = project.address.site
        if dict(deserved(project)).keys() - facts.capability(site).get("gpus", {}).keys():
            yield site


def promised_gpus(site: str, objects: Index) -> dict[str, float]:
    """The guaranteed GPUs of a site's projects, by node pool."""
    gpus_by_pool: dict[str, float] = {}
    for project in objects.on(site, "project").values():
        for pool, gpus in deserved(project):
            gpus_by_pool[pool] = gpus_by_pool.get(pool, 0) + gpus
    return gpus_by_pool


def deserved(owner: Entry) -> Iterator[tuple[str, float]]:
    """The guaranteed GPUs of a project or department, by node pool."""
    for pool, quota in mapping_of(owner.values.get("node_pools")).items():
        gpus = number_of(mapping_of(mapping_of(quota).get("gpu")).get("deserved"))
        if 0 < gpus < _LARGEST:
            yield pool, gpus
