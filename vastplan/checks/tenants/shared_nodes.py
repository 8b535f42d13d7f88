"""TEN-04: tenants recognized by client addresses only, whose projects run on the same nodes."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        by_range = {
            tenant.address: tenant
            for tenant in facts.objects.on(site, "tenant").values()
            if tenant.values.get("client_ip_ranges")
            and not facts.objects.referring(site, "vip_pool", "tenant", tenant.address)
        }
        on_pool: dict[str, set[str]] = {}
        for project in facts.objects.on(site, "project").values():
            tenant = facts.tenant_of(project)
            if isinstance(tenant, Ref) and tenant.target in by_range:
                for pool in project.values.get("node_pools") or ():
                    on_pool.setdefault(pool, set()).add(tenant.target.name)
        for pool, names in sorted(on_pool.items()):
            for tenant in by_range.values() if len(names) > 1 else ():
                others = sorted(names - {tenant.address.name})
                if tenant.address.name in names:
                    yield Violation(
                        tenant,
                        f"is recognized by client addresses only, and shares node pool {pool} with {others[0]}"
                        + _more(others),
                        group=f"tenants recognized by client addresses only share node pool {pool}:",
                        item=tenant.address.name,
                    )


def _more(others: list[str]) -> str:
    return f" and {len(others) - 1} more" if len(others) > 1 else ""


CHECK = Check(
    code="TEN-04",
    title="tenants recognized by the addresses of nodes that they share",
    severity=Severity.WARNING,
    why="Nodes mount the volumes: on a shared node every pod has the address that gives access to all these tenants.",
    fix="give each tenant a VIP pool of its own, or node pools of its own",
    source="inferred: the CSI driver mounts from the node's network, so VMS sees the node's address",
    run=_run,
)
