"""The sums of what each site promises, and what it has: capacity, QoS minimums and maximums, GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from vastplan.checks.commitments.capacity import claimed_bytes, hard_limits_of, outermost, promised_by
from vastplan.checks.commitments.pools import pools, promised_gpus
from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.checks.live_values import mapping_of, number_of
from vastplan.kinds.vast.cluster import READS, USABLE, WRITES
from vastplan.model.address import Address
from vastplan.model.commitment import Commitment
from vastplan.model.units import BANDWIDTH, BYTES
from vastplan.model.value import Ref

CAPACITY = "hard limits"


class Promised(Enum):
    """What is summed."""

    CAPACITY = "capacity"
    QOS_MINIMUM = "qos minimum"
    QOS_MAXIMUM = "qos maximum"
    GPUS = "gpus"


class PromisedSum(NamedTuple):
    """A row of the table of commitments, and what it sums: `Commitment.what` is for people."""

    of: Promised
    row: Commitment


_QOS_SUMS = tuple(
    (promised, f"QoS {word} of {way}", f"{bound}_{way}_{field}", unit)
    for promised, bound, word in ((Promised.QOS_MINIMUM, "min", "minimums"), (Promised.QOS_MAXIMUM, "max", "maximums"))
    for way in ("reads", "writes")
    for field, unit in (("bw_mbps", BANDWIDTH), ("iops", "IOPS"))
)


def commitment_rows(facts: Facts) -> tuple[Commitment, ...]:
    """The rows of every site that promises anything, in a stable order."""
    return tuple(promised.row for promised in _sums(facts))


def sums_of(facts: Facts, promised: Promised) -> Iterator[Commitment]:
    """The rows that sum one thing."""
    return (total.row for total in _sums(facts) if total.of is promised)


@lru_cache(maxsize=2)  # several checks call this
def _sums(facts: Facts) -> tuple[PromisedSum, ...]:
    capacity = _capacity(facts)
    return tuple(
        total
        for site in facts.sites
        for total in _of_site(facts, site, capacity)
        if total.row.after or total.row.before
    )


def capacity_limit(facts: Facts, site: str) -> float | None:
    """How many bytes hard limits may promise: the capacity from the document or the cluster, times the document's percentage."""
    capability = facts.capability(site)
    usable = capability.get("usable_capacity") or facts.figure(site, "cluster", USABLE)
    return usable * capability.get("promised_percent", 100) // 100 if isinstance(usable, int) else None


class _Capacity(NamedTuple):
    """Promised bytes, by site."""

    after: Mapping[str, int]
    before: Mapping[str, int]


def _capacity(facts: Facts) -> _Capacity:
    hard_limits, by_tenant = promised_by(facts.after or facts.objects)
    after = _by_site(by_tenant)
    for site, size in _by_site(claimed_bytes(facts, hard_limits, facts.made)).items():
        after[site] = after.get(site, 0) + size
    if facts.before is None:
        return _Capacity(after, {})
    limits_before = hard_limits_of(facts.before)
    # usually no quota changes; then the nesting of directories need not be computed again
    return _Capacity(after, _by_site(by_tenant if limits_before == hard_limits else outermost(limits_before)))


def _by_site(by_tenant: Mapping[Address, int]) -> dict[str, int]:
    by_site: dict[str, int] = {}
    for tenant, size in by_tenant.items():
        by_site[tenant.site] = by_site.get(tenant.site, 0) + size
    return by_site


def _of_site(facts: Facts, site: str, capacity: _Capacity) -> Iterator[PromisedSum]:
    live, planned = facts.before, facts.after or facts.objects

    def total(
        promised: Promised, what: str, unit: str, after: float, before: float | None, limit: float | None
    ) -> PromisedSum:
        return PromisedSum(promised, Commitment(site, what, unit, after, before, limit))

    capacity_before = None
    if live is not None and (site, "quota") in facts.known:
        capacity_before = capacity.before.get(site, 0)
    capacity_after = capacity.after.get(site, 0)
    yield total(Promised.CAPACITY, CAPACITY, BYTES, capacity_after, capacity_before, capacity_limit(facts, site))

    qos_limits = _qos_limits(facts, site)
    qos = _qos_sums(facts, site, planned, claims=True)
    qos_before = _qos_sums(facts, site, live, claims=False) if live else {}
    qos_known = (site, "view") in facts.known and (site, "qos_policy") in facts.known
    for promised, name, field, unit in _QOS_SUMS:
        before = qos_before.get(field, 0) if qos_known else None
        yield total(promised, name, unit, qos.get(field, 0), before, qos_limits.get(field.split("_", 1)[1]))

    gpus_limits = pools(facts, site)
    gpus, gpus_before = promised_gpus(site, planned), promised_gpus(site, live) if live else {}
    for pool in sorted({*gpus, *gpus_before}):
        before = gpus_before.get(pool, 0) if (site, "project") in facts.known else None
        name = f"GPUs of node pool {pool}"
        yield total(Promised.GPUS, name, "GPUs", gpus.get(pool, 0), before, gpus_limits.get(pool))


def _qos_limits(facts: Facts, site: str) -> dict[str, float | None]:
    """The maximums of a site, by the name of a limit without `min_` or `max_`."""
    capability = facts.capability(site)
    return {
        "reads_bw_mbps": capability.get("reads_bw_mbps") or facts.figure(site, "cluster", READS),
        "writes_bw_mbps": capability.get("writes_bw_mbps") or facts.figure(site, "cluster", WRITES),
        "reads_iops": capability.get("reads_iops"),
        "writes_iops": capability.get("writes_iops"),
    }


def _qos_sums(facts: Facts, site: str, objects: Index, *, claims: bool) -> dict[str, float]:
    """The limits of all views together: each view has the limits of its policy, and so does each claim that will be created."""
    users: dict[str, int] = {}
    for view in objects.on(site, "view").values():
        policy = view.values.get("qos_policy")
        if isinstance(policy, Ref):
            users[policy.target.name] = users.get(policy.target.name, 0) + 1
    for storage_class in facts.objects.on(site, "storage_class").values() if claims else ():
        policy = storage_class.values.get("qos_policy")
        new = sum(claim.address not in facts.made for claim in facts.claims.get(storage_class.address, ()))
        if isinstance(policy, Ref) and new:
            users[policy.target.name] = users.get(policy.target.name, 0) + new
    sums: dict[str, float] = {}
    policies = objects.on(site, "qos_policy")
    for name, count in users.items():
        policy_limits = mapping_of(policies[name].values.get("static_limits")) if name in policies else {}
        for field, value in policy_limits.items():
            sums[field] = sums.get(field, 0) + number_of(value) * count
    return sums
