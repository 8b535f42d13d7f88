"""QTA-02: a soft limit that is reached together with the hard one."""

from collections.abc import Iterator
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for kind, field in (("quota", ""), ("tenant", "capacity_rules")):
        for entry in facts.objects.all(kind):
            limits: dict[str, Any] = (entry.values.get(field) or {}) if field else entry.values
            for suffix in ("limit", "limit_inodes"):
                soft, hard = limits.get(f"soft_{suffix}"), limits.get(f"hard_{suffix}")
                if soft and soft == hard:
                    yield Violation(entry, f"soft_{suffix} equals hard_{suffix}")


CHECK = Check(
    code="QTA-02",
    title="a soft limit at the hard limit",
    severity=Severity.WARNING,
    why="A soft limit warns before the hard limit stops writes; at the same figure both happen at once.",
    fix="lower the soft limit, to 90 % for example, or remove it",
    source="VMS 5.5 document, quotas.soft_limit and quotas.hard_limit",
    run=_run,
)
