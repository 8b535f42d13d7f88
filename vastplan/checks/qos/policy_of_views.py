"""QOS-17: a view with a QoS policy of users or volumes."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for view in facts.objects.all("view"):
        policy = facts.objects.get(view.values.get("qos_policy"))
        type_ = policy.values.get("policy_type", "VIEW") if policy is not None else "VIEW"
        if policy is not None and type_ != "VIEW":
            yield Violation(
                view, f"qos_policy {policy.address.name} is of policy_type {type_}, and views take VIEW alone"
            )


CHECK = Check(
    code="QOS-17",
    title="a view with a QoS policy of another type",
    severity=Severity.ERROR,
    why="VMS refuses the view: policies of users are attached to users, and those of volumes to block volumes.",
    fix="name a QoS policy with policy_type: VIEW",
    source="VMS 5.5 document, qospolicies.policy_type",
    run=_run,
)
