"""QOS-18: a QoS policy of a tenant that limits nothing of it, or not all that the tenant has."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    used = {
        ref.target._replace(site="")
        for kind in ("view", "storage_class")
        for user in facts.objects.all(kind)
        if isinstance(ref := user.values.get("qos_policy"), Ref)
    }  # on any site: one that a site alone does not use is no mistake
    for policy in facts.written.all("qos_policy"):
        tenant, name = policy.values["tenant"], policy.address.name
        if policy.values["policy_type"] != "VIEW" or not isinstance(tenant, Ref):
            continue
        is_used = policy.address._replace(site="") in used
        of_whole_tenant = policy.inside is not None and policy.inside.shares_name
        users = _users(facts, tenant) if of_whole_tenant or not is_used else ()
        free = dict.fromkeys(_written(facts, user) for user in users if "qos_policy" not in user.values)
        if free and is_used:
            text = f"limits only what names it, and not {some(list(free), 3)} of the same tenant"
            fix = f"write qos_policy: {name} in {some(list(free))}; for all of the tenant together, write qos in it"
            yield Violation(policy, text, fix, Severity.NOTE)
        elif free:
            text = "limits nothing: no view and no class of this document names it"
            yield Violation(policy, text, f"write qos_policy: {name} in {some(list(free))}, or remove it")


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
