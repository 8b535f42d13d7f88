"""CSI-12: classes and static volumes that name a VIP pool which the driver's log-in cannot see."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    of_tenants = {
        manager.values["deliver"]["secret"].target: manager
        for manager in facts.objects.all("manager")
        if manager.values.get("user_type") == "TENANT_ADMIN" and "deliver" in manager.values
    }
    for kind, loss in (
        ("storage_class", "its volumes cannot be mounted"),
        ("persistent_volume", "it cannot be mounted"),
    ):
        for entry in facts.objects.all(kind):
            secrets = [entry.values.get("secret"), (entry.values.get("secrets") or {}).get("controller_publish")]
            used = [of_tenants[ref.target] for ref in secrets if isinstance(ref, Ref) and ref.target in of_tenants]
            pool = entry.values.get("vip_pool")
            if used and pool is not None:
                text = f"names VIP pool {pool}, and its log-in, manager {used[0].called} of a tenant, cannot see VIP pools: {loss}"
                yield Violation(entry, text)


CHECK = Check(
    code="CSI-12",
    title="a VIP pool that the driver cannot see",
    severity=Severity.WARNING,
    why="The driver looks up the addresses of a VIP pool by its name, and a tenant's manager cannot see VIP pools.",
    fix="write vip_pool_fqdn: DNS-NAME instead of vip_pool in the tenant's class: it needs no look-up, and static volumes follow the class",
    source="VAST knowledge base: cluster and tenant administrators; vast-csi session/resources.py",
    run=_run,
)
