"""TEN-05: a storage class whose VIP pool is another tenant's than its view policy."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for storage_class in facts.objects.all("storage_class"):
        pool = facts.objects.get(storage_class.values.get("vip_pool"))
        owner = pool.values.get("tenant") if pool else None
        tenant = facts.tenant_of_class(storage_class)
        if pool and isinstance(owner, Ref) and isinstance(tenant, Ref) and owner != tenant:
            yield Violation(
                storage_class,
                f"VIP pool {pool.address.name} is of tenant {owner}, and volumes of this class are of tenant {tenant}",
            )


CHECK = Check(
    code="TEN-05",
    title="a class that mounts through another tenant's VIP pool",
    severity=Severity.ERROR,
    why="The driver refuses to provision such a volume: a VIP pool of one tenant does not serve another tenant's views.",
    fix="name a vip_pool of the same tenant as the view policy",
    source="vast-csi: the VIP pool belongs to another tenant",
    run=_run,
)
