"""TEN-06: address ranges of two VIP pools overlap."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.ip_ranges import interval_text, overlaps, parse_interval


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        pools = facts.objects.on(site, "vip_pool")
        owned = [
            # the same address in two networks is two addresses
            ((vlan * 10 + version, first, last), name)
            for name, pool in pools.items()
            for vlan in (pool.values.get("vlan") or 0,)
            for version, first, last in map(parse_interval, pool.values["ip_ranges"])
        ]
        for earlier, later, (network, first, last) in overlaps(owned):
            yield Violation(
                pools[later], f"ip_ranges share {interval_text((network % 10, first, last))} with VIP pool {earlier}"
            )


CHECK = Check(
    code="TEN-06",
    title="address ranges of two VIP pools overlap",
    severity=Severity.ERROR,
    why="A virtual address answers for one pool only; with two, clients of one tenant may reach the other's pool.",
    fix="give each pool addresses of its own; the same address on another VLAN is another address",
    source="inferred: an address is on one interface of a network at a time",
    run=_run,
)
