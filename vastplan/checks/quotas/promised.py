"""The hard limits that are promised under each tenant, nothing counted twice."""

from __future__ import annotations

from collections.abc import Container, Mapping

from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.checks.paths import enclosing, parts
from vastplan.model.address import Address
from vastplan.model.value import Ref

Limits = dict[Address, dict[str, int]]  # by tenant and directory


def limits(objects: Index) -> Limits:
    """The hard limits of quotas, in bytes."""
    found: Limits = {}
    for quota in objects.all("quota"):
        limit, tenant = quota.values.get("hard_limit"), quota.values["tenant"]
        if limit and isinstance(tenant, Ref):
            found.setdefault(tenant.target, {})[quota.values["path"]] = limit
    return found


def outermost(held: Limits) -> dict[Address, int]:
    """Bytes by tenant; a quota inside another one is part of it."""
    return {
        tenant: sum(by_path[path] for path, outer in enclosing(by_path).items() if not outer)
        for tenant, by_path in held.items()
    }


def claimed(facts: Facts, held: Limits, made: Mapping[Address, int] | None = None) -> dict[Address, int]:
    """Bytes by tenant of claims whose class's directory is under no quota; of those that are `made`, what they grow by.

    A class whose tenant the document does not say stands for it; its directory is then taken to be under anybody's quota.
    """
    found: dict[Address, int] = {}
    there = made or {}
    anybodys: dict[str, set[str]] = {}
    for holder, by_path in held.items():
        anybodys.setdefault(holder.site, set()).update(by_path)
    for one in facts.objects.all("storage_class"):
        tenant, path = facts.tenant_of_class(one), one.values.get("storage_path")
        owner = tenant.target if isinstance(tenant, Ref) else one.address
        quotas = held.get(owner, {}) if isinstance(tenant, Ref) else anybodys.get(owner.site, ())
        if _under(path, quotas):
            continue
        sizes = [
            max(0, (claim.values.get("size") or 0) - there.get(claim.address, 0))
            for claim in facts.claims.get(one.address, ())
        ]
        found[owner] = found.get(owner, 0) + sum(sizes)
    return found


def promised(facts: Facts) -> dict[Address, int]:
    """What the document promises, in bytes by tenant."""
    held = limits(facts.objects)
    found = outermost(held)
    for tenant, size in claimed(facts, held).items():
        found[tenant] = found.get(tenant, 0) + size
    return found


def _under(path: str | None, quotas: Container[str]) -> bool:
    """Whether a directory is one of those that have a quota, or lies inside one."""
    steps = parts(path or "")
    return path is not None and any("/" + "/".join(steps[:end]) in quotas for end in range(len(steps) + 1))
