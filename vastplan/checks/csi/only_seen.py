"""CSI-11: classes whose isolation is seen, and not enforced."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for name, site in facts.sites.items():
        classes = sorted(facts.objects.on(name, "storage_class").values(), key=lambda entry: entry.address)
        if site.settings.get("isolation") == "audit" and classes:
            more = f" and {len(classes) - 1} more" if len(classes) > 1 else ""
            yield Violation(
                classes[0], f"this class{more} of {name} may be used by every namespace: seen, not enforced"
            )


CHECK = Check(
    code="CSI-11",
    title="isolation is seen, and not enforced",
    severity=Severity.WARNING,
    why="The API server warns whoever would be refused, notes it in its audit log, and refuses nobody.",
    fix="isolation: admission_policy on the site, once the audit log shows nobody who needs the class; or open_to on the class",
    source="Kubernetes: validationActions of a ValidatingAdmissionPolicyBinding",
    run=_run,
)
