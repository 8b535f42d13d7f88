"""What each site promises together, against what it has: capacity, QoS minimums and maximums, GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.checks.quotas.promised import claimed, limits, outermost
from vastplan.checks.runai.pools import pools, promised
from vastplan.kinds.vast.cluster import READS, USABLE, WRITES
from vastplan.model.commitment import Commitment
from vastplan.model.units import BANDWIDTH, BYTES
from vastplan.model.value import Ref

CAPACITY = "hard limits"
_QOS = tuple(
    (f"QoS {word} of {way}", f"{bound}_{way}_{field}", unit)
    for bound, word in (("min", "minimums"), ("max", "maximums"))
    for way in ("reads", "writes")
    for field, unit in (("bw_mbps", BANDWIDTH), ("iops", "IOPS"))
)


@lru_cache(maxsize=2)  # several checks ask for the same
def commitments(facts: Facts) -> tuple[Commitment, ...]:
    """The rows of every site that promises something, in a stable order."""
    return tuple(row for site in facts.sites for row in _of_site(facts, site) if row.after or row.before)


def capacity_limit(facts: Facts, site: str) -> float | None:
    """How many bytes hard limits may promise: what the document or the cluster says, and its percentage."""
    said = facts.capability(site)
    usable = said.get("usable_capacity") or facts.figure(site, "cluster", USABLE)
    return usable * said.get("promised_percent", 100) / 100 if isinstance(usable, int) else None


def _of_site(facts: Facts, site: str) -> Iterator[Commitment]:
    before, after = facts.before, facts.after or facts.objects
    held = limits(after)
    total = sum(size for tenant, size in outermost(held).items() if tenant.site == site)
    total += sum(size for tenant, size in claimed(facts, held, facts.made).items() if tenant.site == site)
    was = None
    if before is not None and (site, "quota") in facts.known:
        was = sum(size for tenant, size in outermost(limits(before)).items() if tenant.site == site)
    yield Commitment(site, CAPACITY, BYTES, total, was, capacity_limit(facts, site))
    has = _has(facts, site)
    wanted, had = _qos(facts, site, after, claims=True), _qos(facts, site, before, claims=False) if before else {}
    for what, field, unit in _QOS:
        known = (site, "view") in facts.known and (site, "qos_policy") in facts.known
        live = had.get(field, 0) if known else None
        yield Commitment(site, what, unit, wanted.get(field, 0), live, has.get(field.split("_", 1)[1]))
    there = pools(facts, site)
    wants, gave = promised(site, after), promised(site, before) if before else {}
    for pool in sorted({*wants, *gave}):
        live = gave.get(pool, 0) if (site, "project") in facts.known else None
        yield Commitment(site, f"GPUs of node pool {pool}", "GPUs", wants.get(pool, 0), live, there.get(pool))


def _has(facts: Facts, site: str) -> dict[str, float | None]:
    """What a site can do at most, by the end of a limit's name."""
    said = facts.capability(site)
    return {
        "reads_bw_mbps": said.get("reads_bw_mbps") or facts.figure(site, "cluster", READS),
        "writes_bw_mbps": said.get("writes_bw_mbps") or facts.figure(site, "cluster", WRITES),
        "reads_iops": said.get("reads_iops"),
        "writes_iops": said.get("writes_iops"),
    }


def _qos(facts: Facts, site: str, objects: Index, *, claims: bool) -> dict[str, float]:
    """The limits of all views together: each view has those of its policy, and so has each claim that is to be made."""
    users: dict[str, int] = {}
    for view in objects.on(site, "view").values():
        policy = view.values.get("qos_policy")
        if isinstance(policy, Ref):
            users[policy.target.name] = users.get(policy.target.name, 0) + 1
    for one in facts.objects.on(site, "storage_class").values() if claims else ():
        policy = one.values.get("qos_policy")
        new = sum(claim.address not in facts.made for claim in facts.claims.get(one.address, ()))
        if isinstance(policy, Ref) and new:
            users[policy.target.name] = users.get(policy.target.name, 0) + new
    found: dict[str, float] = {}
    policies = objects.on(site, "qos_policy")
    for name, count in users.items():
        given: Mapping[str, int | None] = (policies[name].values.get("static_limits") or {}) if name in policies else {}
        for field, value in given.items():
            found[field] = found.get(field, 0) + (value or 0) * count
    return found
