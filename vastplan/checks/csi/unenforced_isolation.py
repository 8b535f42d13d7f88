"""CSI-11: classes whose isolation is reported, not enforced."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for name, site in facts.sites.items():
        classes = sorted(facts.objects.on(name, "storage_class").values(), key=lambda entry: entry.address)
        if site.settings.get("isolation") == "audit" and classes:
            more_classes = f" and {len(classes) - 1} more" if len(classes) > 1 else ""
            yield Violation(
                classes[0],
                f"every namespace of {name} may use this class{more_classes}: isolation audit reports, and does not enforce",
            )


CHECK = Check(
    code="CSI-11",
    title="isolation is reported, not enforced",
    severity=Severity.WARNING,
    why="The API server warns whoever it would refuse, writes that to its audit log, and refuses nobody.",
    fix="write isolation: admission_policy on the site once the audit log shows nobody else who needs the class, or open_to on the class",
    source="Kubernetes: validationActions of a ValidatingAdmissionPolicyBinding",
    run=_run,
)
