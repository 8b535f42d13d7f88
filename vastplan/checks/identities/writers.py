"""IDN-07: a bucket that nobody can write to."""

from collections.abc import Iterator, Mapping

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import (
    BucketView,
    buckets,
    held_by,
    identity_policies,
    provider_users,
    tenant_provider,
    tenant_rights,
)
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.s3_policy import AccessRequest, Policy, PolicyDecision, decide_access
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    parsed = {entry.address: policy for entry, _, policy in identity_policies(facts)}
    for bucket in buckets(facts):
        rules = facts.objects.get(bucket.view.values.get("view_policy"))
        if rules is not None and rules.values.get("s3_read_write") == [] and rules.values.get("read_write") == []:
            yield Violation(bucket.view, f"view policy {rules.address.name} lets no host write by S3")
        elif bucket.counts and _all_are_denied(facts, bucket, parsed):
            yield Violation(
                bucket.view, f"identity policies deny writing to its owner {bucket.owner}, and allow it to nobody else"
            )


def _all_are_denied(facts: Facts, bucket: BucketView, parsed: Mapping[Address, Policy]) -> bool:
    """Whether no user of the document may write; false if the owner is not one of them, because the owner's policies are unknown."""
    provider = tenant_provider(facts, bucket.tenant)
    users = provider_users(facts, provider) if isinstance(provider, Ref) else {}
    others = (_allowed(right, bucket, parsed) for right in tenant_rights(facts, bucket.tenant))
    return (
        bucket.owner in users
        and not any(_writes(facts, user, bucket, parsed) for user in users.values())
        and not any(others)
    )


def _allowed(right: Entry, bucket: BucketView, parsed: Mapping[Address, Policy]) -> bool:
    """Whether a user of a directory, or a member of a directory's group, may write to the bucket."""
    refs = right.values.get("s3_policies") or ()
    policies = [parsed[ref.target] for ref in refs if isinstance(ref, Ref) and ref.target in parsed]
    verdict = decide_access(AccessRequest("s3:PutObject", f"{bucket.name}/object"), policies)
    return (
        right.values.get("s3_superuser") is True
        if verdict is PolicyDecision.UNCOVERED
        else verdict is not PolicyDecision.DENIED
    )


def _writes(facts: Facts, user: Entry, bucket: BucketView, parsed: Mapping[Address, Policy]) -> bool:
    policies = [parsed[address] for address in held_by(facts, user) if address in parsed]
    verdict = decide_access(AccessRequest("s3:PutObject", f"{bucket.name}/object", user.called), policies)
    if verdict is PolicyDecision.UNCOVERED:  # the access lists decide
        return user.called == bucket.owner or user.values.get("s3_superuser") is True
    return verdict is not PolicyDecision.DENIED


CHECK = Check(
    code="IDN-07",
    title="a bucket that nobody can write to",
    severity=Severity.WARNING,
    why="A deny of an identity policy applies to the owner, too: jobs that save something there fail at their first write.",
    fix="add hosts to s3_read_write of its view policy, and remove the deny of s3:PutObject for its owner",
    source="VAST KB: what a policy denies no other allows (Managing S3 Access); the owner's own access list gives the owner everything",
    run=_run,
)
