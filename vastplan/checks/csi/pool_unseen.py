"""CSI-12: classes and static volumes that name a VIP pool which the driver cannot look up with the log-in that they give it."""

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
    for kind, lost in (("storage_class", "its volumes are not mounted"), ("persistent_volume", "it is not mounted")):
        for entry in facts.objects.all(kind):
            secrets = [entry.values.get("secret"), (entry.values.get("secrets") or {}).get("controller_publish")]
            used = [of_tenants[ref.target] for ref in secrets if isinstance(ref, Ref) and ref.target in of_tenants]
            pool = entry.values.get("vip_pool")
            if used and pool is not None:
                text = f"names VIP pool {pool}, which manager {used[0].called} of a tenant is not shown: {lost}"
                yield Violation(entry, text)


CHECK = Check(
    code="CSI-12",
    title="a VIP pool that the driver is not shown",
    severity=Severity.WARNING,
    why="The driver looks up the addresses of a pool that is named; a tenant's manager is shown no pools.",
    fix="vip_pool_fqdn in the tenant's class: the pool's name in the cluster's DNS, which needs no look-up; its static volumes follow",
    source="VAST knowledge base: cluster and tenant administrators; vast-csi session/resources.py",
    run=_run,
)
