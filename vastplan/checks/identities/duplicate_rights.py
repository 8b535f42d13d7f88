"""IDN-10: rights of a user or a group that its own entry in the document sets, too."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.identities.holders import tenant_provider
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for kind, field_of_name in (("user_right", "user"), ("group_right", "group")):
        for right in facts.objects.all(kind):
            tenant, name = right.values["tenant"], right.values[field_of_name]
            provider = tenant_provider(facts, tenant.target)
            holders = (
                facts.objects.referring(right.address.site, field_of_name, "local_provider", provider)
                if provider
                else []
            )
            duplicate_fields = [
                field for holder in holders if holder.called == name for field in right.values if field in holder.values
            ]
            if duplicate_fields:
                yield Violation(
                    right,
                    f"sets {', '.join(sorted({*duplicate_fields} - {'tenant'}))} of {field_of_name} {name}, and so does the entry of that {field_of_name} in {provider}",
                )


CHECK = Check(
    code="IDN-10",
    title="rights that the entry of a local user or group sets, too",
    severity=Severity.WARNING,
    why=(
        "A tenant's users are those of its provider, and rights in the tenant replace those of the user's own entry: whoever reads that "
        "entry does not see what applies."
    ),
    fix="write them in the entry of the user or group, and remove the user_right or group_right",
    source="VMS API 5.5 users/{id}/tenant_data: rights in a tenant stand for the user's own; inferred for queries (VMS-141)",
    run=_run,
)
