"""TEN-01: client address ranges of two tenants overlap."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.ip_ranges import interval_text, overlaps, parse_interval


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        tenants = facts.objects.on(site, "tenant")
        owned = [
            (parse_interval(text), name)
            for name, tenant in tenants.items()
            for text in tenant.values.get("client_ip_ranges") or ()
        ]
        for earlier, later, shared in overlaps(owned):
            yield Violation(tenants[later], f"client_ip_ranges share {interval_text(shared)} with tenant {earlier}")


CHECK = Check(
    code="TEN-01",
    title="client ranges of two tenants overlap",
    severity=Severity.ERROR,
    why="VMS determines the tenant by the client's address; an address of two tenants may be taken for either.",
    fix="give each tenant addresses of its own",
    source="VMS 5.5 document, tenants.client_ip_ranges: must be unique per tenant",
    run=_run,
)
