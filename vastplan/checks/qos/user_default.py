"""QOS-09: USER policies of a tenant that has no default one."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.users import tenant_label, user_policies
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for tenant, policies in user_policies(facts.objects).items():
        if not any(policy.values.get("is_default") is True for policy in policies):
            yield Violation(
                policies[0], f"is a USER policy, and {tenant_label(tenant)} has no default USER policy in this document"
            )


CHECK = Check(
    code="QOS-09",
    title="a USER policy in a tenant without a default USER policy",
    severity=Severity.WARNING,
    why="VMS needs a default USER policy in the tenant before it attaches others to users.",
    fix="add a USER policy with is_default: true; this check does not see one outside this document",
    source="VAST knowledge base, creating a QoS policy: users",
    run=_run,
)
