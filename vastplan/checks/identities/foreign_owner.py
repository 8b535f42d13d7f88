"""IDN-04: a bucket whose owner is kept in a local provider that its tenant does not use."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import buckets, provider_users, tenant_provider
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.model.wording import some


def _run(facts: Facts) -> Iterator[Violation]:
    user_providers: dict[str, dict[str, list[str]]] = {}  # by site and user, the providers
    for user in facts.objects.all("user"):
        provider = user.values.get("local_provider")
        if isinstance(provider, Ref):
            user_providers.setdefault(user.address.site, {}).setdefault(user.called, []).append(str(provider))
    for bucket in buckets(facts):
        provider = tenant_provider(facts, bucket.tenant)
        elsewhere = user_providers.get(bucket.view.address.site, {}).get(bucket.owner, [])
        if provider is not None and elsewhere and bucket.owner not in provider_users(facts, provider):
            yield Violation(
                bucket.view,
                f"its owner {bucket.owner} is in local provider {some(sorted(elsewhere))}, and tenant {bucket.tenant.name} uses local provider {provider}",
            )


CHECK = Check(
    code="IDN-04",
    title="a bucket whose owner is a user of another provider",
    severity=Severity.ERROR,
    why="VMS looks up the owner among the tenant's own users: it refuses the view, or takes another user of the same name.",
    fix="declare the user in the tenant, or name an owner who is in it",
    source="VMS API 5.5 views.bucket_owner; VAST KB: a tenant's users are those of its providers",
    run=_run,
)
