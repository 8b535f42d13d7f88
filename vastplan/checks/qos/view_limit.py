"""QOS-13: a limit of a view above the limit of its tenant."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import qos_limits
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    by_tenant = {tenant.address: limits for tenant in facts.objects.all("tenant") if (limits := _ceilings(tenant))}
    by_policy = (
        {policy.address: list(qos_limits(policy)) for policy in facts.objects.all("qos_policy")} if by_tenant else {}
    )
    for view in facts.objects.all("view") if by_tenant else ():
        policy, tenant = view.values.get("qos_policy"), view.values["tenant"]
        ceilings = by_tenant.get(tenant.target, {}) if isinstance(tenant, Ref) else {}
        for limit in by_policy.get(policy.target, ()) if isinstance(policy, Ref) else ():
            ceiling = ceilings.get((limit.way, limit.unit), 0)
            if 0 < ceiling < limit.ceiling:
                text = f"{limit.ceiling_name} {limit.ceiling} is never reached: tenant {tenant} has {ceiling}"
                yield Violation(view, text)


def _ceilings(tenant: Entry) -> dict[tuple[str, str], int]:
    return {(limit.way, limit.unit): limit.ceiling for limit in qos_limits(tenant) if limit.ceiling}


CHECK = Check(
    code="QOS-13",
    title="a limit of a view above its tenant's",
    severity=Severity.NOTE,
    why="The smallest of the limits of user, view and tenant applies, so this limit has no effect.",
    fix="raise the tenant's limit, or lower the view's to the same figure",
    source="VAST knowledge base, QoS overview: the strictest limit holds",
    run=_run,
)
