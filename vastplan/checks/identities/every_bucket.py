"""IDN-02: an identity policy that allows something in every bucket of its tenant."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import buckets_by_tenant, identity_policies
from vastplan.model.finding import Severity
from vastplan.model.s3_policy import takes_all
from vastplan.model.wording import some


def _run(facts: Facts) -> Iterator[Violation]:
    by_tenant = buckets_by_tenant(facts)
    for entry, tenant, policy in identity_policies(facts):
        owners = {bucket.owner for bucket in by_tenant.get(tenant, ())}
        actions = {
            action
            for statement in policy.statements
            if statement.allows
            and (statement.but_resources or any(takes_all(pattern, "") for pattern in statement.resources))
            for action in (("all but some actions",) if statement.but_actions else statement.actions)
        }
        if actions and len(owners) > 1:
            yield Violation(
                entry,
                f"allows {some(sorted(actions))} in every bucket of tenant {tenant.name}, whoever owns it ({some(sorted(owners))})",
            )


CHECK = Check(
    code="IDN-02",
    title="an identity policy that covers every bucket of its tenant",
    severity=Severity.WARNING,
    why=(
        "The buckets of the tenant have several owners, and whoever has the policy reaches the data of all of them and every bucket that "
        "is created later. Access lists of the buckets do not apply."
    ),
    fix="name the buckets in Resource: BUCKET for the bucket, BUCKET/* for what is in it",
    source="VAST KB: identity policies are checked before access lists, which then have no effect (overview-of-s3-access-management-1)",
    run=_run,
)
