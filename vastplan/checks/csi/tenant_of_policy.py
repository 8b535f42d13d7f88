"""CSI-02: a class of one tenant whose view policy puts its volumes into another tenant."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for storage_class in facts.objects.all("storage_class"):
        written_class = facts.written.on(storage_class.address.site, "storage_class").get(storage_class.address.name)
        tenant = written_class.values.get("tenant") if written_class else None
        policy = facts.objects.get(storage_class.values.get("view_policy"))
        owner = policy.values.get("tenant") if policy else None
        if policy and isinstance(tenant, Ref) and isinstance(owner, Ref) and owner != tenant:
            yield Violation(
                storage_class,
                f"is of tenant {tenant}, and view policy {policy.address.name} puts its volumes into tenant {owner}",
            )


CHECK = Check(
    code="CSI-02",
    title="a class whose view policy is another tenant's",
    severity=Severity.ERROR,
    why="The file driver creates volumes in the tenant of the view policy: one team's data would be stored in another's tenant.",
    fix="name a view_policy of the class's tenant, or move the class to the tenant of the policy",
    source="vast-csi volume_builder.py: the tenant is the view policy's",
    run=_run,
)
