"""QTA-04: quotas of users above the quota of their directory."""

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.users import user_or_group
from vastplan.model.finding import Severity
from vastplan.model.units import BYTES, show_alike
from vastplan.schema.entries import Entry

_LIMITS = (("hard_limit", BYTES), ("hard_limit_inodes", ""))


def _run(facts: Facts) -> Iterator[Violation]:
    for quota in facts.objects.all("quota"):
        for limit, unit in _LIMITS:
            highest = quota.values.get(limit)
            if isinstance(highest, int):
                yield from _above(quota, limit, highest, unit)


def _above(quota: Entry, limit: str, most: int, unit: str) -> Iterator[Violation]:
    def above(figure: int) -> str:
        return ", above the directory's own ".join(show_alike(unit, figure, most))

    for words, rules in (("users", "user_quotas"), ("groups", "group_quotas")):
        total, reported = 0, False
        for rule in quota.values.get(rules) or ():
            figure = _figure(rule, limit)
            total += figure
            if figure > most:
                reported = True
                way, name = user_or_group(rule)
                yield Violation(
                    quota,
                    f"{limit} of {way} {name} is {above(figure)}",
                )
        default = f"default_{rules.removesuffix('s')}"
        figure = _figure(quota.values.get(default) or {}, limit)
        if figure > most:
            yield Violation(
                quota,
                f"{default}.{limit} is {above(figure)}",
            )
        if total > most and not reported:
            text = f"{limit} of its {words} add up to {above(total)}"
            yield Violation(quota, text, severity=Severity.NOTE)


def _figure(rule: Mapping[str, Any], limit: str) -> int:
    value = rule.get(limit)
    return value if isinstance(value, int) else 0


CHECK = Check(
    code="QTA-04",
    title="quotas of users above the quota of their directory",
    severity=Severity.WARNING,
    why="The tighter limit applies: whoever is promised more than the directory may hold, alone or with others, never gets it.",
    fix="raise hard_limit of the quota, or lower the limits of its users and groups",
    source="VAST knowledge base, overview of quotas: the tighter of two limits holds",
    run=_run,
    milder=Severity.NOTE,
)
