"""QOS-10: a user in two USER policies of a tenant."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.users import tenant_label, user_or_group, user_policies
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for tenant, policies in user_policies(facts.after or facts.objects).items():  # those of the document come last
        first_policies: dict[tuple[str, str], str] = {}
        for policy in policies:
            for user in policy.values.get("attached_users") or ():
                way, name = user_or_group(user)
                other = first_policies.setdefault((way, name), policy.address.name)
                if other != policy.address.name and facts.objects.get(Ref(policy.address)) is not None:
                    yield Violation(policy, f"{way} {name} of {tenant_label(tenant)} is already in USER policy {other}")


CHECK = Check(
    code="QOS-10",
    title="a user in two USER policies of a tenant",
    severity=Severity.ERROR,
    why="A user has one USER policy in a tenant: VMS refuses the second one, or takes the user out of the first.",
    fix="attach the user to one of them only",
    source="VAST knowledge base, QoS overview: one user policy per user and tenant",
    run=_run,
)
