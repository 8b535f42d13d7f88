"""IDN-08: a key of a user whom the key's tenant does not know."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.who import provider_of
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for key in facts.objects.all("s3_key"):
        user, tenant = facts.objects.get(key.values["user"]), key.values["tenant"]
        used = provider_of(facts, tenant.target)
        kept = user.values.get("local_provider") if user is not None else None
        if user is not None and used is not None and isinstance(kept, Ref) and kept != used:
            text = f"is of user {user.called}, who is kept in local provider {kept}, and tenant {tenant} uses {used}"
            yield Violation(key, text)


CHECK = Check(
    code="IDN-08",
    title="a key of a user of another provider than the tenant's",
    severity=Severity.ERROR,
    why="A key is good in one tenant, which asks its own provider who its owner is: there he is nobody, or another one of his number.",
    fix="make the key of a user of the tenant's provider, or in a tenant that uses his",
    source="VAST KB: keys and permissions are of a tenant, users of its providers (configuring-s3-multi-tenancy)",
    run=_run,
)
