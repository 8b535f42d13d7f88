"""TEN-09: a view, a view policy or a manager that names an object of another tenant."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref

_NAMED = (
    ("view", "view_policy"),
    ("view", "qos_policy"),
    ("view_policy", "vip_pools"),
    ("view_policy", "vip_pools_read_only"),
    ("manager", "roles"),
)


def _run(facts: Facts) -> Iterator[Violation]:
    for kind, field in _NAMED:
        for entry in facts.objects.all(kind):
            named, tenant = entry.values.get(field), entry.values.get("tenant")
            for ref in named if isinstance(named, list) else [named]:
                target = facts.objects.get(ref)
                owner = target.values.get("tenant") if target is not None else None
                if target is not None and isinstance(owner, Ref) and isinstance(tenant, Ref) and owner != tenant:
                    text = f"{field}: {target.address.kind} {target.address.name} is of tenant {owner}, and this is of tenant {tenant}"
                    yield Violation(entry, text)


CHECK = Check(
    code="TEN-09",
    title="an object of another tenant",
    severity=Severity.ERROR,
    why="A view policy, QoS policy, VIP pool or role of one tenant serves that tenant alone: VMS refuses what names it in another.",
    fix="name one of the same tenant, or one that serves all tenants (tenant: null)",
    source="VAST knowledge base, tenants: policies and VIP pools belong to one tenant or to all",
    run=_run,
)
