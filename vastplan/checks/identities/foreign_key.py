"""IDN-08: a key of a user who is not in the local provider of the key's tenant."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import tenant_provider
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for key in facts.objects.all("s3_key"):
        user, tenant = facts.objects.get(key.values["user"]), key.values["tenant"]
        key_provider = tenant_provider(facts, tenant.target)
        user_provider = user.values.get("local_provider") if user is not None else None
        if (
            user is not None
            and key_provider is not None
            and isinstance(user_provider, Ref)
            and user_provider != key_provider
        ):
            text = f"is a key of user {user.called} in local provider {user_provider}, and tenant {tenant} uses local provider {key_provider}"
            yield Violation(key, text)


CHECK = Check(
    code="IDN-08",
    title="a key of a user who is not in the tenant's local provider",
    severity=Severity.ERROR,
    why="A key works in one tenant, which looks up its user in its own provider: there the user does not exist, or the uid is another user's.",
    fix="name a user of the tenant's provider, or move the key to a tenant that uses the user's provider",
    source="VAST KB: keys and permissions are of a tenant, users of its providers (configuring-s3-multi-tenancy)",
    run=_run,
)
