"""QOS-13: a limit of a view that its tenant never lets it reach."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Finding
from vastplan.checks.facts import Facts
from vastplan.checks.qos.limits import of
from vastplan.model.diagnostic import Severity


def _run(facts: Facts) -> Iterator[Finding]:
    for view in facts.objects.all("view"):
        policy, tenant = facts.objects.get(view.values.get("qos_policy")), facts.objects.get(view.values["tenant"])
        if policy is None or tenant is None:
            continue
        own = {(one.way, one.unit): one for one in of(tenant)}
        for limit in of(policy):
            above = own.get((limit.way, limit.unit))
            if above is not None and 0 < above.ceiling < limit.ceiling:
                text = f"{limit.ceiling_name} {limit.ceiling} is not reached: tenant {tenant.address.name} has {above.ceiling}"
                yield Finding(view, text)


CHECK = Check(
    code="QOS-13",
    title="a limit of a view above its tenant's",
    severity=Severity.NOTE,
    why="The smallest of the limits of user, view and tenant holds, so this one is never reached.",
    fix="raise the tenant's, or lower the view's so that it says what is",
    source="VAST knowledge base, QoS overview: the strictest limit holds",
    run=_run,
)
