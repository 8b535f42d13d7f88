"""IDN-05: an identity policy that does not apply to buckets of its tenant, because of their view policy's flavor."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import buckets_by_tenant, identity_policies
from vastplan.model.finding import Severity
from vastplan.model.wording import some


def _run(facts: Facts) -> Iterator[Violation]:
    by_tenant = buckets_by_tenant(facts)
    for entry, tenant, policy in identity_policies(facts):
        skipping = [
            bucket.name
            for bucket in by_tenant.get(tenant, ())
            if bucket.counts is False and any(statement.reaches(bucket.name) for statement in policy.statements)
        ]
        if skipping:
            yield Violation(
                entry,
                f"does not apply to {some(sorted(skipping))}, whose view policy has another flavor than S3_NATIVE",
            )


CHECK = Check(
    code="IDN-05",
    title="an identity policy that does not apply to its buckets",
    severity=Severity.WARNING,
    why=(
        "VAST checks requests against identity policies only where the view policy has the flavor S3_NATIVE. With any other flavor it does "
        "not deny what the policy denies."
    ),
    fix="give the buckets a view_policy with flavor: S3_NATIVE",
    source="VAST KB: overview-of-s3-access-management-1, managing-s3-access-control-lists-acls-4",
    run=_run,
)
