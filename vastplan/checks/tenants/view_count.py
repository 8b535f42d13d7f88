"""TEN-10: more views than a tenant may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    limited = [tenant for tenant in facts.objects.all("tenant") if tenant.values.get("max_views")]
    if not limited:
        return
    tenants = (view.values.get("tenant") for view in (facts.after or facts.objects).all("view"))
    views = Counter(tenant.target for tenant in tenants if isinstance(tenant, Ref))
    for tenant in limited:
        count, most = views[tenant.address], tenant.values["max_views"]
        if count > most:
            yield Violation(tenant, f"it would have {count} views, and its max_views is {most}")


CHECK = Check(
    code="TEN-10",
    title="more views than the tenant may have",
    severity=Severity.ERROR,
    why="VMS refuses every view above the limit, in the middle of an apply. Views that this document does not have count, too.",
    fix="raise max_views, or remove views",
    source="VMS 5.5 document, tenants.max_views",
    run=_run,
)
