"""IDN-14: the owner of a new bucket is nobody whom the document or the local provider of its tenant has."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import BucketView, buckets, provider_users, tenant_provider
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for bucket in _without_a_user(facts):
        site = bucket.view.address.site
        users, views = facts.seen.get((site, "user")), facts.seen.get((site, "view"), ())
        exists = any(view.address == bucket.view.address for view in views)
        if users is None or exists or any(user.values.get("name") == bucket.owner for user in users):
            continue
        yield Violation(
            bucket.view,
            f"no user {bucket.owner} exists on {site}, unless a directory of tenant {bucket.tenant.name} has one",
        )


def _without_a_user(facts: Facts) -> Iterator[BucketView]:
    """The buckets whose owner is a name that the document does not have in the tenant."""
    for bucket in buckets(facts):
        provider = tenant_provider(facts, bucket.tenant)
        known = provider is not None and bucket.owner in provider_users(facts, provider)
        if bucket.owner and not known and bucket.view.values.get("bucket_owner_type") != "ROLE":
            yield bucket


def _wanted(facts: Facts) -> Iterator[str]:
    yield from {bucket.view.address.site for bucket in _without_a_user(facts)}


CHECK = Check(
    code="IDN-14",
    title="a new bucket of an unknown owner",
    severity=Severity.WARNING,
    why="VMS refuses a bucket whose owner is in none of the tenant's providers. vastplan does not see who is in a directory (AD, LDAP).",
    fix="declare the user in users of the tenant, or correct the name; ignore this where a directory has the user",
    source="VMS 5.5 document, views.bucket_owner",
    run=_run,
    reads=("user", "view"),
    wanted=_wanted,
)
