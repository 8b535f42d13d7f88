"""QOS-11: QoS policies of users where a view policy squashes all users."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.qos.users import policy_tenant, user_policies
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    limited = user_policies(facts.objects)
    for policy in facts.objects.all("view_policy"):
        if policy.values.get("nfs_all_squash") and policy_tenant(policy) in limited:
            name = limited[policy_tenant(policy)][0].address.name
            yield Violation(
                policy, f"nfs_all_squash makes one user of all, so USER policy {name} cannot limit single users"
            )


CHECK = Check(
    code="QOS-11",
    title="QoS limits of users have no effect: the view policy squashes all users",
    severity=Severity.WARNING,
    why="nfs_all_squash makes one user of all clients, so they share one user's limit or have none.",
    fix="limit the view instead, or squash root only",
    source="inferred: QoS of users looks at who the request is from after squashing",
    run=_run,
)
