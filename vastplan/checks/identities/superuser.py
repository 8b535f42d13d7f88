"""IDN-03: a user whom no access list holds."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.model.wording import some


def _run(facts: Facts) -> Iterator[Violation]:
    for user in facts.objects.all("user"):
        if user.values.get("s3_superuser") is True:
            provider = user.values.get("local_provider")
            tenants = facts.objects.referring(user.address.site, "tenant", "local_provider", provider)
            names = sorted(tenant.address.name for tenant in tenants)
            whose = f" of {'tenants' if len(names) > 1 else 'tenant'} {some(names)}" if names else ""
            where = f" in provider {provider}" if isinstance(provider, Ref) and not names else ""
            yield Violation(user, f"is an S3 superuser{where}: no access list of a bucket{whose} holds him")
    for right in facts.objects.all("user_right"):
        if right.values.get("s3_superuser") is True:
            whose = f"tenant {right.values['tenant']}"
            yield Violation(
                right, f"makes {right.values['user']} an S3 superuser: no access list of a bucket of {whose} holds him"
            )


CHECK = Check(
    code="IDN-03",
    title="an S3 superuser",
    severity=Severity.WARNING,
    why="A superuser gets at every bucket in which a key of his is good, whatever the access lists say; only identity policies bind him.",
    fix="attach an identity policy that says what he needs, and take s3_superuser away",
    source="VAST KB: superuser permissions override access lists, identity policies override them (managing-user-s3-permissions-1)",
    run=_run,
)
