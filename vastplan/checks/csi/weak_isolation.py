"""CSI-09: classes that only resource quotas restrict."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for name, site in facts.sites.items():
        classes = sorted(facts.objects.on(name, "storage_class").values(), key=lambda entry: entry.address)
        if site.settings.get("isolation") == "resource_quota" and classes:
            more_classes = f" and {len(classes) - 1} more" if len(classes) > 1 else ""
            text = f"only resource quotas in the document's namespaces restrict this class{more_classes} of {name}"
            yield Violation(classes[0], text)


CHECK = Check(
    code="CSI-09",
    title="only resource quotas restrict classes",
    severity=Severity.WARNING,
    why="A namespace that is created later, or that the document does not name, has no such quota and may use every class.",
    fix="write isolation: admission_policy on the site; it needs Kubernetes 1.30",
    source="Kubernetes: a ResourceQuota holds for its own namespace",
    run=_run,
)
