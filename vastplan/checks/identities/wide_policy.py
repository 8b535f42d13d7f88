"""IDN-11: an identity policy that lets a user or group use a bucket that does not name it."""

from collections.abc import Iterator, Mapping, Set

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import identity_policies
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.s3_policy import AccessRequest, Policy, PolicyDecision, allowed_in, decide_access
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_READS, _WRITES = ("s3:GetObject",), ("s3:PutObject", "s3:DeleteObject")


def _run(facts: Facts) -> Iterator[Violation]:
    by_tenant: dict[Address, dict[str, Entry]] = {}
    for bucket in facts.written.all("bucket"):
        if "read" in bucket.values or "write" in bucket.values:
            bucket_name = str(bucket.values.get("bucket", bucket.address.name))
            by_tenant.setdefault(bucket.values["tenant"].target, {})[bucket_name] = bucket
    holders = _holders(facts) if by_tenant else {}
    for entry, tenant, policy in identity_policies(facts):
        buckets = by_tenant.get(tenant, {})
        for name in dict.fromkeys(allowed_in(policy, buckets)):
            bucket = buckets[name]
            rights = dict(_rights(policy, name, bucket)) if entry.origin != str(bucket.address) else {}
            for holder in holders.get(entry.address, ()) if rights else ():
                unnamed_rights = [
                    right
                    for right, named_holders in rights.items()
                    if not _is_named(facts, holder, bucket, named_holders)
                ]
                if unnamed_rights:
                    holder_text = f"{holder.address.kind} {holder.address.name}"
                    text = f"lets {holder_text} {' and '.join(unnamed_rights)} in bucket {bucket.address.name}, and the bucket does not name {holder_text} for that"
                    yield Violation(entry, text)


def _rights(policy: Policy, name: str, bucket: Entry) -> Iterator[tuple[str, set[Address]]]:
    """The rights that a policy gives in a bucket, each with the holders that the bucket names for it: who may write may read, too."""
    named_holders = {right: {ref.target for ref in bucket.values.get(right) or ()} for right in ("read", "write")}
    if _lets(policy, _READS, name):
        yield "read", named_holders["read"] | named_holders["write"]
    if _lets(policy, _WRITES, name):
        yield "write", named_holders["write"]


def _lets(policy: Policy, actions: tuple[str, ...], name: str) -> bool:
    """Whether a policy allows one of these actions on anything in a bucket, and does not deny it for the whole bucket."""
    return any(
        statement.allows and statement.has_action(action) and statement.reaches(name)
        for action in actions
        for statement in policy.statements
        if decide_access(AccessRequest(action, f"{name}/object"), [policy]) is not PolicyDecision.DENIED
    )


def _holders(facts: Facts) -> Mapping[Address, list[Entry]]:
    holders: dict[Address, list[Entry]] = {}
    for kind in ("user", "group"):
        for holder in facts.objects.all(kind):
            for ref in holder.values.get("s3_policies") or ():
                if isinstance(ref, Ref):
                    holders.setdefault(ref.target, []).append(holder)
    return holders


def _is_named(facts: Facts, holder: Entry, bucket: Entry, listed: Set[Address]) -> bool:
    """Whether a bucket names a user directly, as its owner, or by a group of the user."""
    if holder.address in listed or bucket.values["owner"] == Ref(holder.address):
        return True
    gids = (
        {*(holder.values.get("gids") or ()), holder.values.get("leading_gid")}
        if holder.address.kind == "user"
        else set()
    )
    groups = (facts.objects.get(Ref(address)) for address in listed if address.kind == "group")
    return any(group is not None and group.values.get("gid") in gids for group in groups)


CHECK = Check(
    code="IDN-11",
    title="an identity policy that is wider than the bucket's own readers and writers",
    severity=Severity.WARNING,
    why=(
        "`read` and `write` of a bucket look like the complete list of who may use it. A policy that is written elsewhere, often with a "
        "pattern for another bucket, lets in more."
    ),
    fix="name them in read or write of the bucket, or narrow Resource in the policy",
    source="VAST KB: what any policy of somebody allows is allowed, unless another one denies it (overview-of-s3-access-management-1)",
    run=_run,
)
