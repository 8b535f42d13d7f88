"""TEN-07: a view policy that does not allow the VIP pool through which a class or a volume mounts."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    for storage_class in facts.objects.all("storage_class"):
        yield from _compared(
            facts, storage_class, storage_class.values.get("view_policy"), storage_class.values.get("vip_pool")
        )
    for volume in facts.objects.all("persistent_volume"):
        for view in facts.views_at(volume.address.site, str(volume.values.get("volume_handle"))):
            yield from _compared(facts, volume, view.values.get("view_policy"), volume.values.get("vip_pool"))


def _compared(facts: Facts, entry: Entry, policy_ref: object, pool: object) -> Iterator[Violation]:
    policy = facts.objects.get(policy_ref)
    if policy is None or not isinstance(pool, Ref):
        return
    writing, reading = (policy.values.get(name) or [] for name in ("vip_pools", "vip_pools_read_only"))
    if pool in reading:
        yield Violation(entry, f"view policy {policy.address.name} allows VIP pool {pool} only to read")
    elif (writing or reading) and pool not in writing:
        yield Violation(entry, f"view policy {policy.address.name} does not allow VIP pool {pool}")


CHECK = Check(
    code="TEN-07",
    title="a view policy that does not allow the VIP pool of a mount",
    severity=Severity.ERROR,
    why="A view policy with a list of VIP pools answers on those only: mounts through other pools are refused.",
    fix="add the pool to the policy's vip_pools, or mount through one of these pools",
    source="VMS 5.5 document, viewpolicies.vip_pools and permission_per_vip_pool",
    run=_run,
)
