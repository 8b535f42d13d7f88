"""QOS-13: a limit of a view that its tenant never lets it reach."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import of
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    own = {tenant.address: limits for tenant in facts.objects.all("tenant") if (limits := _ceilings(tenant))}
    asked = {policy.address: list(of(policy)) for policy in facts.objects.all("qos_policy")} if own else {}
    for view in facts.objects.all("view") if own else ():
        policy, tenant = view.values.get("qos_policy"), view.values["tenant"]
        above = own.get(tenant.target, {}) if isinstance(tenant, Ref) else {}
        for limit in asked.get(policy.target, ()) if isinstance(policy, Ref) else ():
            ceiling = above.get((limit.way, limit.unit), 0)
            if 0 < ceiling < limit.ceiling:
                text = f"{limit.ceiling_name} {limit.ceiling} is not reached: tenant {tenant} has {ceiling}"
                yield Violation(view, text)


def _ceilings(tenant: Entry) -> dict[tuple[str, str], int]:
    return {(one.way, one.unit): one.ceiling for one in of(tenant) if one.ceiling}


CHECK = Check(
    code="QOS-13",
    title="a limit of a view above its tenant's",
    severity=Severity.NOTE,
    why="The smallest of the limits of user, view and tenant holds, so this one is never reached.",
    fix="raise the tenant's, or lower the view's so that it says what is",
    source="VAST knowledge base, QoS overview: the strictest limit holds",
    run=_run,
)
