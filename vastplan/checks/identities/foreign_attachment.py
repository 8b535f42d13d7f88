"""IDN-06: an identity policy of a user or group that has no key for the policy's tenant."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import tenant_provider
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for kind in ("user", "group"):
        for holder in facts.objects.all(kind):
            own_provider = holder.values.get("local_provider")
            for ref in holder.values.get("s3_policies") or ():
                policy = facts.objects.get(ref)
                tenant = policy.values.get("tenant") if policy is not None else None
                policy_provider = tenant_provider(facts, tenant.target) if isinstance(tenant, Ref) else None
                if policy_provider is not None and policy_provider != own_provider:
                    yield Violation(
                        holder,
                        f"is in local provider {own_provider}, and its identity policy {ref} is of tenant {tenant}, which uses local provider {policy_provider}",
                    )
    yield from _in_another_tenant(facts)


def _in_another_tenant(facts: Facts) -> Iterator[Violation]:
    for kind in ("user_right", "group_right"):
        for right in facts.objects.all(kind):
            own = right.values["tenant"]
            for ref in right.values.get("s3_policies") or ():
                policy = facts.objects.get(ref)
                tenant = policy.values.get("tenant") if policy is not None else None
                if isinstance(tenant, Ref) and tenant != own:
                    yield Violation(right, f"is of tenant {own}, and its identity policy {ref} is of tenant {tenant}")


CHECK = Check(
    code="IDN-06",
    title="an identity policy of a tenant that has no such user",
    severity=Severity.ERROR,
    why="A policy applies to keys of its own tenant. A user of another provider has no key there, so the policy allows and denies nothing.",
    fix="attach a policy of a tenant that uses the provider",
    source="VAST KB: an identity policy is of one tenant (creating-identity-policies-5)",
    run=_run,
)
