"""TEN-02: client ranges of a tenant whose VIP pools serve this tenant only."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        shared = any(
            "tenant" in pool.values and pool.values["tenant"] is None
            for pool in facts.objects.on(site, "vip_pool").values()
        )
        for tenant in facts.objects.on(site, "tenant").values():
            bound = facts.objects.referring(site, "vip_pool", "tenant", tenant.address)
            if tenant.values.get("client_ip_ranges") and bound and not shared:
                names = ", ".join(sorted(pool.address.name for pool in bound))
                yield Violation(
                    tenant, f"client_ip_ranges have no effect: its VIP pools ({names}) serve this tenant only"
                )


CHECK = Check(
    code="TEN-02",
    title="client ranges that have no effect",
    severity=Severity.NOTE,
    why="A VIP pool of one tenant serves that tenant to every client; client ranges apply only to pools of all tenants.",
    fix="remove client_ip_ranges, unless a pool outside this document serves all tenants; to keep clients out, use the view policy",
    source="VMS 5.5 document, tenants.client_ip_ranges: used for VIP pools without a tenant",
    run=_run,
)
