"""QTA-01: a tenant that promises more than it may hold."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.commitments.capacity import promised_bytes
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.units import BYTES, show_alike


def _run(facts: Facts) -> Iterator[Violation]:
    sums = promised_bytes(facts)
    for tenant in facts.objects.all("tenant"):
        limit = (tenant.values.get("capacity_rules") or {}).get("hard_limit")
        total = sums.get(tenant.address, 0)
        if limit and total > limit:
            total_text, limit_text = show_alike(BYTES, total, limit)
            text = f"its quotas and claims promise {total_text}, and its hard_limit is {limit_text}"
            yield Violation(tenant, text)


CHECK = Check(
    code="QTA-01",
    title="a tenant that promises more than its hard limit",
    severity=Severity.WARNING,
    why="The tenant is full before its directories are: writes fail where a quota still has room.",
    fix="raise capacity_rules.hard_limit, or lower sizes and quotas",
    source="VMS 5.5 document, tenants.capacity_rules; the CSI driver makes a quota of a claim's size",
    run=_run,
)
