"""IDN-03: a user whom access lists do not restrict."""

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
            tenant_text = f" of {'tenants' if len(names) > 1 else 'tenant'} {some(names)}" if names else ""
            provider_text = f" in provider {provider}" if isinstance(provider, Ref) and not names else ""
            yield Violation(
                user, f"is an S3 superuser{provider_text}: access lists of buckets{tenant_text} do not restrict it"
            )
    for right in facts.objects.all("user_right"):
        if right.values.get("s3_superuser") is True:
            tenant_text = f"tenant {right.values['tenant']}"
            yield Violation(
                right,
                f"makes {right.values['user']} an S3 superuser: access lists of buckets of {tenant_text} do not restrict this user",
            )


CHECK = Check(
    code="IDN-03",
    title="an S3 superuser",
    severity=Severity.WARNING,
    why="A superuser may use every bucket of the tenants in which one of the user's keys works, whatever access lists say; only identity policies apply.",
    fix="attach an identity policy that allows what the user needs, and remove s3_superuser",
    source="VAST KB: superuser permissions override access lists, identity policies override them (managing-user-s3-permissions-1)",
    run=_run,
)
