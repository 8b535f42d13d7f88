"""Buckets, identity policies and their holders, by site and tenant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vastplan.checks.facts import Facts
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.s3_policy import Policy, applies, parse_policy
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class BucketView:
    """A view that is a bucket of the document; `counts` is whether identity policies apply to it, `None` if unknown."""

    view: Entry
    name: str
    tenant: Address
    owner: str
    counts: bool | None


def buckets(facts: Facts) -> Iterator[BucketView]:
    """The buckets of a document."""
    for view in facts.objects.all("view"):
        tenant, name = view.values.get("tenant"), view.values.get("bucket")
        if name and isinstance(tenant, Ref) and "S3" in (view.values.get("protocols") or ()):
            policy = facts.objects.get(view.values.get("view_policy"))
            flavor = policy.values.get("flavor") if policy is not None else None
            counts = applies(flavor) if isinstance(flavor, str) else None
            yield BucketView(view, str(name), tenant.target, str(view.values.get("bucket_owner") or ""), counts)


def buckets_by_tenant(facts: Facts) -> dict[Address, list[BucketView]]:
    """The buckets by their tenant."""
    by_tenant: dict[Address, list[BucketView]] = {}
    for bucket in buckets(facts):
        by_tenant.setdefault(bucket.tenant, []).append(bucket)
    return by_tenant


def identity_policies(facts: Facts) -> Iterator[tuple[Entry, Address, Policy]]:
    """The identity policies that are not disabled, with their tenants."""
    for entry in facts.objects.all("s3_policy"):
        tenant = entry.values.get("tenant")
        if isinstance(tenant, Ref) and entry.values.get("enabled") is not False:
            yield entry, tenant.target, parse_policy(entry.values["policy"])


def tenant_provider(facts: Facts, tenant: Address) -> Ref | None:
    """The local provider that the document says a tenant uses."""
    entry = facts.objects.get(Ref(tenant))
    provider = entry.values.get("local_provider") if entry is not None else None
    return provider if isinstance(provider, Ref) else None


def provider_users(facts: Facts, provider: Ref) -> dict[str, Entry]:
    """The users that a document has in a provider, by their names."""
    users = facts.objects.referring(provider.target.site, "user", "local_provider", provider)
    return {user.called: user for user in users}


@dataclass(frozen=True, slots=True)
class Person:
    """Who may use buckets of one tenant: a user of the document (`entry`), or a user of a directory.

    `held` are the identity policies that the document gives the user there. The groups of a directory's user are unknown:
    `perhaps` are the policies of groups that the user may be in.
    """

    name: str
    entry: Entry | None
    held: frozenset[Address]
    perhaps: frozenset[Address]
    superuser: bool
    makes_buckets: bool


def person(facts: Facts, tenant: Address, user: Any) -> Person:
    """A user, given as an entry or a name, with the user's rights in a tenant."""
    entry = facts.objects.get(user)
    name = entry.called if entry is not None else user.target.name if isinstance(user, Ref) else str(user)
    rights = [right for right in tenant_rights(facts, tenant) if right.values.get("user") == name]
    groups = [right for right in tenant_rights(facts, tenant) if "group" in right.values] if entry is None else []
    sources = [*rights, *([entry] if entry is not None else [])]
    return Person(
        name,
        entry,
        frozenset(_attached(rights) | (held_by(facts, entry) if entry is not None else set())),
        frozenset(_attached(groups)),
        any(source.values.get("s3_superuser") is True for source in sources),
        any(source.values.get("allow_create_bucket") is True for source in sources),
    )


def _attached(holders: Iterable[Entry]) -> set[Address]:
    return {ref.target for holder in holders for ref in holder.values.get("s3_policies") or () if isinstance(ref, Ref)}


def tenant_rights(facts: Facts, tenant: Address) -> Iterator[Entry]:
    """The rights of users and groups in a tenant that the document has, whichever provider they are in."""
    for kind in ("user_right", "group_right"):
        yield from facts.objects.referring(tenant.site, kind, "tenant", tenant)


def held_by(facts: Facts, user: Entry) -> set[Address]:
    """The identity policies of a user and of the user's groups."""
    gids = set(user.values.get("gids") or ()) | {user.values.get("leading_gid")}
    provider = user.values.get("local_provider")
    groups = (
        group
        for group in facts.objects.referring(user.address.site, "group", "local_provider", provider)
        if group.values.get("gid") in gids
    )
    return _attached((user, *groups))
