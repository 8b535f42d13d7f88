"""QOS-18: a QoS policy of a tenant that limits nothing of it, or not all that the tenant has."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    for policy in facts.written.all("qos_policy"):
        tenant = policy.values["tenant"]
        if policy.values["policy_type"] != "VIEW" or not isinstance(tenant, Ref):
            continue
        users = list(_users(facts, tenant))
        used = any(Ref(policy.address) == user.values.get("qos_policy") for user in users)
        of_whole_tenant = policy.inside is not None and policy.inside.shares_name
        free = [user for user in users if "qos_policy" not in user.values]
        if used and not (of_whole_tenant and free):
            continue
        entries = dict.fromkeys(_written(facts, user) for user in free)
        name = policy.address.name
        write = f"write qos_policy: {name} in {some(list(entries), 5) or 'a volume with a path, a bucket, a view or a class'}"
        if used:
            text = f"limits only what names it, and not {some(list(entries), 3)} of the same tenant"
            yield Violation(policy, text, f"{write}; for all of the tenant together, write qos in it", Severity.NOTE)
        else:
            yield Violation(
                policy, "limits nothing: no view and no class of this document names it", f"{write}, or remove it"
            )


def _users(facts: Facts, tenant: Ref) -> Iterator[Entry]:
    """The views and classes of a tenant that a policy of views can limit."""
    site = tenant.target.site
    for view in facts.objects.referring(site, "view", "tenant", tenant):
        if "BLOCK" not in (view.values.get("protocols") or ()):
            yield view
    for class_ in facts.objects.on(site, "storage_class").values():
        if class_.values.get("driver") == "file" and facts.tenant_of_class(class_) == tenant:
            yield class_


def _written(facts: Facts, user: Entry) -> str:
    """The entry of the document in which the policy is written for a view or a class."""
    entry = facts.written.at(user.origin) if user.origin else user
    return f"{entry.address.kind} {entry.address.name}"


CHECK = Check(
    code="QOS-18",
    title="a QoS policy that does not limit its tenant",
    severity=Severity.WARNING,
    why="VAST limits a view or a class by the policy that it names: a policy of the tenant is not inherited.",
    fix="write qos_policy: NAME in each volume, bucket, view and class that it should limit; this check does not see those outside this document",
    source="VMS 5.5 document, views.qos_policy_id; the CSI driver's parameter qos_policy",
    run=_run,
    milder=Severity.NOTE,
)
