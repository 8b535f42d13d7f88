"""IDN-01: an identity policy that allows actions on another tenant's bucket."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import BucketView, buckets_by_tenant, identity_policies
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.s3_policy import Statement, takes_all
from vastplan.model.wording import some


def _run(facts: Facts) -> Iterator[Violation]:
    by_tenant = buckets_by_tenant(facts)
    for entry, tenant, policy in identity_policies(facts):
        own = {bucket.name for bucket in by_tenant.get(tenant, ())}
        foreign_buckets = {
            bucket.name: bucket
            for statement in policy.statements
            if statement.allows and not _of_every_bucket(statement)
            for bucket in _others(by_tenant, tenant)
            if bucket.name not in own and statement.reaches(bucket.name)
        }
        if foreign_buckets:
            bucket_texts = [
                f"{name} of tenant {bucket.tenant.name}" for name, bucket in sorted(foreign_buckets.items())
            ]
            is_named = any(
                _names(statement, bucket) for statement in policy.statements for bucket in foreign_buckets.values()
            )
            yield Violation(
                entry,
                f"allows actions on {some(bucket_texts)}, and is of tenant {tenant.name}",
                severity=None if is_named else Severity.WARNING,
            )


def _others(by_tenant: dict[Address, list[BucketView]], tenant: Address) -> Iterator[BucketView]:
    for other, buckets in by_tenant.items():
        if other != tenant and other.site == tenant.site:
            yield from buckets


def _of_every_bucket(statement: Statement) -> bool:
    """Whether a statement names no buckets, and so covers all of the tenant."""
    return statement.but_resources or any(takes_all(pattern, "") for pattern in statement.resources)


def _names(statement: Statement, bucket: BucketView) -> bool:
    """Whether a statement has the bucket by its name, not by a pattern."""
    return any(pattern.partition("/")[0] == bucket.name for pattern in statement.resources)


CHECK = Check(
    code="IDN-01",
    title="an identity policy that allows actions on another tenant's bucket",
    severity=Severity.ERROR,
    why=(
        "An S3 key reaches the buckets of one tenant, so the statement has no effect there today. It allows something as soon as the "
        "policy's own tenant has a bucket of this name, and that is rarely intended."
    ),
    fix="name buckets of the policy's own tenant in Resource",
    source="VAST KB: an identity policy is of one tenant, and a key of one tenant (creating-identity-policies-5, "
    "managing-user-s3-permissions-1)",
    run=_run,
    milder=Severity.WARNING,
)
