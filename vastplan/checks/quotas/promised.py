"""The hard limits that a document promises under each tenant, nothing counted twice."""

from __future__ import annotations

from vastplan.checks.facts import Facts
from vastplan.checks.paths import enclosing
from vastplan.model.address import Address
from vastplan.model.value import Ref


def promised(facts: Facts, *, quotas: bool = True) -> dict[Address, int]:
    """Bytes by tenant: outermost quotas, and claims whose class's directory is under none of them."""
    limits: dict[Address, dict[str, int]] = {}
    for quota in facts.objects.all("quota"):
        limit, tenant = quota.values.get("hard_limit"), quota.values["tenant"]
        if limit and isinstance(tenant, Ref):
            limits.setdefault(tenant.target, {})[quota.values["path"]] = limit
    found = {
        tenant: sum(by_path[path] for path, outer in enclosing(by_path).items() if not outer)
        for tenant, by_path in limits.items()
    }
    for one in facts.objects.all("storage_class"):
        tenant, path = facts.tenant_of_class(one), str(one.values.get("storage_path", ""))
        if not isinstance(tenant, Ref) or _held(path, limits.get(tenant.target, {})):
            continue
        size = sum(claim.values.get("size") or 0 for claim in facts.claims.get(one.address, ()))
        found[tenant.target] = found.get(tenant.target, 0) + size
    return found


def _held(path: str, limits: dict[str, int]) -> bool:
    steps = path.strip("/").split("/")
    return any("/" + "/".join(steps[:end]) in limits for end in range(len(steps) + 1)) if path else False
