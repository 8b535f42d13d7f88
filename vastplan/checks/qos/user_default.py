"""QOS-09: USER policies of a tenant that has no default one."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.users import tenant_label, user_policies
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for tenant, policies in user_policies(facts).items():
        if not any(policy.values.get("is_default") is True for policy in policies):
            yield Violation(
                policies[0], f"is a USER policy, and {tenant_label(tenant)} has no default one in this document"
            )


CHECK = Check(
    code="QOS-09",
    title="a USER policy without a default one",
    severity=Severity.WARNING,
    why="VMS wants a default USER policy in the tenant before others are attached to users.",
    fix="add a USER policy with is_default: true; one outside this document is not seen here",
    source="VAST knowledge base, creating a QoS policy: users",
    run=_run,
)
