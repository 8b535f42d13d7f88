"""TEN-09: a view, a view policy or a manager that names an object of another tenant."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref

_NAMED = (
    ("view", "view_policy"),
    ("view", "qos_policy"),
    ("view_policy", "vip_pools"),
    ("view_policy", "vip_pools_read_only"),
    ("manager", "roles"),
)
_KINDS = ("view_policy", "qos_policy", "vip_pool", "manager_role")


def _run(facts: Facts) -> Iterator[Violation]:
    for kind, field in _NAMED:
        for entry in facts.objects.all(kind):
            named, tenant = entry.values.get(field), entry.values.get("tenant")
            if not isinstance(tenant, Ref):
                continue
            for ref in (ref for ref in (named if isinstance(named, list) else [named]) if isinstance(ref, Ref)):
                owner = _owner(facts, ref)
                if owner and tenant.target not in owner:
                    target = ref.target
                    text = f"{field}: {target.kind} {target.name} is of tenant {owner[0].name}, and this is of tenant {tenant}"
                    yield Violation(entry, text)


def _owner(facts: Facts, ref: Ref) -> tuple[Address, ...]:
    """The tenant of what a reference means, in the document or live, by its key and its name; empty where it serves all tenants or
    that cannot be determined."""
    target = facts.objects.get(ref)
    if target is not None:
        owner = target.values.get("tenant")
        return (owner.target,) if isinstance(owner, Ref) else ()
    site, kind = ref.target.site, ref.target.kind
    named = [row for row in facts.seen.get((site, kind), ()) if row.address == ref.target]
    raw = str(named[0].values.get("tenant")) if len(named) == 1 else ""
    tenants = facts.seen.get((site, "tenant"), ())
    owners = (row for row in tenants if str(row.attributes.get("id")) == raw)
    return next(((row.address, row.address._replace(name=str(row.attributes.get("name")))) for row in owners), ())


CHECK = Check(
    code="TEN-09",
    title="an object of another tenant",
    severity=Severity.ERROR,
    why="A view policy, QoS policy, VIP pool or role of one tenant serves that tenant alone: VMS refuses what names it in another.",
    fix="name one of the same tenant, or one that serves all tenants (tenant: null)",
    source="VAST knowledge base, tenants: policies and VIP pools belong to one tenant or to all",
    run=_run,
    glances=(*_KINDS, "tenant"),
)
