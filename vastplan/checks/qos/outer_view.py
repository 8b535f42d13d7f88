"""QOS-12: a view without limits over one that has some."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.paths import enclosing
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    by_tenant: dict[Address, dict[str, Entry]] = {}
    for view in facts.objects.all("view"):
        if isinstance(view.values["tenant"], Ref):
            by_tenant.setdefault(view.values["tenant"].target, {})[view.values["path"]] = view
    for views in by_tenant.values():
        if not any(view.values.get("qos_policy") for view in views.values()):
            continue
        for path, outer in enclosing(views).items():
            if not views[path].values.get("qos_policy"):
                continue
            unlimited = [outer_path for outer_path in outer if not views[outer_path].values.get("qos_policy")]
            if unlimited:
                yield Violation(
                    views[path],
                    f"clients bypass its limits through {unlimited[-1]} ({views[unlimited[-1]].address.name})",
                )


CHECK = Check(
    code="QOS-12",
    title="a view without limits over one with limits",
    severity=Severity.WARNING,
    why="Limits apply to requests through the view that has them: through a view above it the same files have no limits.",
    fix="give the outer view a qos_policy too, or remove the protocols that clients use from it",
    source="inferred: QoS is of the view that is mounted",
    run=_run,
)
