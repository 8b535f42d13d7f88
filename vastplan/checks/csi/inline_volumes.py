"""CSI-10: sites where pods may mount volumes of VAST without a class."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for name, site in facts.sites.items():
        reason = site.settings.get("inline_volumes")
        classes = sorted(facts.objects.on(name, "storage_class").values(), key=lambda entry: entry.address)
        if reason and classes:
            yield Violation(classes[0], f"pods of {name} may mount VAST without this class or any other: {reason}")


CHECK = Check(
    code="CSI-10",
    title="pods may mount VAST without a class",
    severity=Severity.WARNING,
    why="An inline volume of a pod names any path, view policy and VIP pool, and admission policies of classes do not check it.",
    fix="remove inline_volumes from the site once no pod needs it; a plan names the pods that do",
    source="Kubernetes: a CSI volume in a pod's spec needs no claim; VAST CSI driver: inline volumes carry root_export",
    run=_run,
)
