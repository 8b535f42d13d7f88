"""TEN-03: a tenant with views that no client can reach."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        for tenant in facts.objects.on(site, "tenant").values():
            if tenant.values.get("client_ip_ranges"):
                continue
            views = facts.objects.referring(site, "view", "tenant", tenant.address)
            if views and not facts.objects.referring(site, "vip_pool", "tenant", tenant.address):
                yield Violation(tenant, "has views, and neither a VIP pool of its own nor client_ip_ranges")


CHECK = Check(
    code="TEN-03",
    title="a tenant that no client can reach",
    severity=Severity.WARNING,
    why="Clients reach a tenant through its own VIP pool or by their address; without either nobody can mount its views.",
    fix="give it a vip_pool, or client_ip_ranges; this check does not see a pool outside this document",
    source="inferred from the VMS 5.5 document, tenants.client_ip_ranges and vippools.tenant_id",
    run=_run,
)
