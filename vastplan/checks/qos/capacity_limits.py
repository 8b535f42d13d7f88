"""QOS-14: limits by capacity without a quota."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    counting = [
        (view, policy)
        for view in facts.objects.all("view")
        if (policy := facts.objects.get(view.values.get("qos_policy"))) is not None
        and policy.values.get("mode") in ("USED_CAPACITY", "PROVISIONED_CAPACITY")
    ]
    limited = {
        (quota.values["tenant"].target, quota.values["path"])
        for quota in (facts.objects.all("quota") if counting else ())
        if isinstance(quota.values["tenant"], Ref)
    }
    for view, policy in counting:
        mode, tenant = policy.values["mode"], view.values["tenant"]
        if isinstance(tenant, Ref) and (tenant.target, view.values["path"]) not in limited:
            yield Violation(view, f"has no quota, and the {mode} limits of {policy.address.name} need one")


CHECK = Check(
    code="QOS-14",
    title="limits by capacity without a quota",
    severity=Severity.NOTE,
    why="Limits for each GB need a quota on the view's path; without one VMS creates a quota that this document does not manage.",
    fix="give the view a quota",
    source="VAST knowledge base, QoS overview (an older page)",
    run=_run,
)
