"""QTA-07: a soft limit below what is used already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts, LiveObject
from vastplan.checks.live_values import mapping_of, number_of
from vastplan.checks.paths import enclosing
from vastplan.model.finding import Severity
from vastplan.model.units import BYTES, show_alike

_LIMITS = (("soft_limit", "used", BYTES), ("soft_limit_inodes", "used_inodes", ""))


def _run(facts: Facts) -> Iterator[Violation]:
    for kind, field in (("quota", ""), ("tenant", "capacity_rules")):
        for entry in facts.objects.all(kind):
            live = _live(facts, entry.address.site, kind, entry.address.name)
            if live is None:
                continue
            wanted, now = (mapping_of(_part(values, field)) for values in (entry.values, live.values))
            for limit, figure, unit in _LIMITS:
                soft = wanted.get(limit)
                used = _used(facts, live, figure)
                if soft and soft != now.get(limit) and used > soft:
                    soft_text, used_text = show_alike(unit, soft, int(used)) if unit else (str(soft), str(int(used)))
                    path = f"{field}.{limit}" if field else limit
                    text = f"{path} {soft_text} is below what is used already, {used_text}: warnings start at once"
                    yield Violation(entry, text + _and_then(wanted, now))


def _live(facts: Facts, site: str, kind: str, name: str) -> LiveObject | None:
    return next((live for live in facts.seen.get((site, kind), ()) if live.address.name == name), None)


def _part(values: Mapping[str, Any], field: str) -> Any:
    return values.get(field) if field else values


def _and_then(wanted: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    grace = wanted["grace_period"] if "grace_period" in wanted else now.get("grace_period")
    return ", and writes fail once grace_period is over" if grace else ""


def _used(facts: Facts, live: LiveObject, figure: str) -> float:
    """What is used of a quota; of a tenant what its outermost quotas count or its outermost views hold, if that is more."""
    if live.address.kind == "quota":
        return number_of(live.figures.get(figure))
    return max(_sum(facts, live, kind, figure) for kind in ("quota", "view"))


def _sum(facts: Facts, tenant: LiveObject, kind: str, figure: str) -> float:
    of_it = [
        live
        for live in facts.seen.get((tenant.address.site, kind), ())
        if str(live.values.get("tenant")) == str(tenant.attributes.get("id"))
    ]
    above = enclosing(str(live.values.get("path")) for live in of_it)
    return sum(number_of(live.figures.get(figure)) for live in of_it if not above[str(live.values.get("path"))])


CHECK = Check(
    code="QTA-07",
    title="a soft limit below what is used",
    severity=Severity.WARNING,
    why="The limit is exceeded when it is set: warnings start at once, and with a grace_period writes fail when that ends.",
    fix="write a soft limit above what is used, or free space first",
    source="VMS 5.5 document, quotas.soft_limit and grace_period, tenants.capacity_rules",
    run=_run,
    glances=("quota", "tenant", "view"),
)
