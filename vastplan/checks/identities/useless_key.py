"""IDN-12: a delivered key of a user who may not use the bucket that the key is for."""

from collections.abc import Iterable, Iterator, Mapping

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import BucketView, Person, buckets_by_tenant, identity_policies, person
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.s3_policy import AccessRequest, Policy, PolicyDecision, decide_access
from vastplan.model.yaml_text import yaml_scalar

_Parsed = Mapping[Address, tuple[Address, Policy]]
"""The identity policies, each with its tenant."""
_ACTIONS = ("s3:GetObject", "s3:PutObject")
_READ_BY_A_GROUP = "name a group of the user in the bucket, read: [{existing: GROUP}], or remove user from deliver"
_NO_DENY = "narrow the policy that denies it, or deliver a key of another user"


def _run(facts: Facts) -> Iterator[Violation]:
    by_tenant = buckets_by_tenant(facts)
    parsed = {entry.address: (tenant, policy) for entry, tenant, policy in identity_policies(facts)}
    yield from _of_buckets(facts, by_tenant, parsed)
    yield from _of_tenants(facts, by_tenant, parsed)


def _of_buckets(facts: Facts, by_tenant: Mapping[Address, list[BucketView]], parsed: _Parsed) -> Iterator[Violation]:
    """Keys for one bucket, which delivers them."""
    by_origin = {bucket.view.origin: bucket for views in by_tenant.values() for bucket in views}
    for written_bucket in facts.written.all("bucket"):
        bucket, deliver = by_origin.get(str(written_bucket.address)), written_bucket.values.get("deliver")
        if bucket is None or deliver is None:
            continue
        user = person(facts, bucket.tenant, deliver.get("user", written_bucket.values["owner"]))
        if _is_shut_out(user, bucket, parsed):
            text, fix = (
                f"delivers a key of {user.name}, and this document lets {user.name} neither read nor write it",
                _READ_BY_A_GROUP,
            )
            if _is_denied(user, bucket, parsed):
                text, fix = (
                    f"delivers a key of {user.name}, and identity policies deny {user.name} reading and writing it",
                    _NO_DENY,
                )
            elif user.entry is not None:
                fix = f"name the user in the bucket, read: [{yaml_scalar(user.entry.address.name)}] or write, or a group of the user, or remove user from deliver"
            yield Violation(written_bucket, text, fix=fix)


def _of_tenants(facts: Facts, by_tenant: Mapping[Address, list[BucketView]], parsed: _Parsed) -> Iterator[Violation]:
    """Keys for any bucket of a tenant, or for the buckets that their user creates."""
    by_buckets = {str(bucket.address) for bucket in facts.written.all("bucket")}
    for kind in ("s3_key", "directory_key"):
        for key in facts.objects.all(kind):
            tenant = key.values["tenant"].target
            buckets = by_tenant.get(tenant, [])
            user = person(facts, tenant, key.values["user"])
            if not buckets or key.origin in by_buckets or user.makes_buckets:
                continue
            if all(_is_shut_out(user, bucket, parsed) for bucket in buckets):
                yield Violation(
                    key,
                    f"is a key of {user.name}, and this document lets {user.name} use no bucket of tenant {tenant.name}",
                )


def _is_shut_out(who: Person, bucket: BucketView, parsed: _Parsed) -> bool:
    """Whether the document lets a user neither read nor write a bucket; false if the document does not decide that."""
    if bucket.counts is False:  # access lists and file modes decide, which the document does not contain
        return False
    held_policies, perhaps = _asked(parsed, who.held, bucket), _asked(parsed, who.perhaps, bucket)
    return not any(_may(action, who, bucket, held_policies, group) for action in _ACTIONS for group in (None, *perhaps))


def _is_denied(who: Person, bucket: BucketView, parsed: _Parsed) -> bool:
    """Whether the policies of a user deny everything that the key is for."""
    held_policies = _asked(parsed, who.held, bucket)
    return all(
        decide_access(AccessRequest(action, f"{bucket.name}/object"), held_policies) is PolicyDecision.DENIED
        for action in _ACTIONS
    )


def _asked(parsed: _Parsed, policies: Iterable[Address], bucket: BucketView) -> list[Policy]:
    """Those of the policies that belong to the bucket's tenant: others have no effect there."""
    with_tenants = (parsed[address] for address in policies if address in parsed)
    return [policy for tenant, policy in with_tenants if tenant == bucket.tenant]


def _may(action: str, who: Person, bucket: BucketView, held: list[Policy], group: Policy | None) -> bool:
    policies = [*held, group] if group is not None else held
    verdict = decide_access(AccessRequest(action, f"{bucket.name}/object"), policies)
    if verdict is not PolicyDecision.UNCOVERED:
        return verdict is not PolicyDecision.DENIED
    of_a_part = any(
        statement.allows and statement.has_action(action) and statement.reaches(bucket.name)
        for policy in policies
        for statement in policy.statements
    )
    return of_a_part or who.superuser or who.name == bucket.owner


CHECK = Check(
    code="IDN-12",
    title="a delivered key that may use no bucket",
    severity=Severity.WARNING,
    why=(
        "The owner of a bucket may use it, and others as far as identity policies allow: VAST refuses every request with this key, and "
        "jobs fail at their first one."
    ),
    fix="name the user, or a group of the user, in read or write of a bucket, or write allow_create_bucket: true in the user",
    source="VAST KB: what neither a policy nor an access list allows is refused; a bucket's own list lets its owner in "
    "(overview-of-s3-access-management-1)",
    run=_run,
)
