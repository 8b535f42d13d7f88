"""The hard limits that are promised under each tenant, nothing counted twice."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import lru_cache
from typing import NamedTuple

from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.checks.paths import enclosing, path_names
from vastplan.model.address import Address
from vastplan.model.value import Ref

HardLimits = dict[Address, dict[str, int]]  # by tenant and directory


class QuotaSums(NamedTuple):
    """The hard limits of quotas, and the bytes that they promise by tenant."""

    hard_limits: HardLimits
    by_tenant: Mapping[Address, int]


@lru_cache(maxsize=2)  # two checks and the table of commitments call this
def promised_by(objects: Index) -> QuotaSums:
    """What the quotas of the objects promise."""
    hard_limits = hard_limits_of(objects)
    return QuotaSums(hard_limits, outermost(hard_limits))


def hard_limits_of(objects: Index) -> HardLimits:
    """The hard limits of quotas, in bytes."""
    hard_limits: HardLimits = {}
    for quota in objects.all("quota"):
        limit, path, tenant = quota.values.get("hard_limit"), quota.values["path"], quota.values["tenant"]
        # live values are as a system returned them, or as a snapshot has them
        if limit and isinstance(limit, int) and isinstance(path, str) and isinstance(tenant, Ref):
            hard_limits.setdefault(tenant.target, {})[path] = limit
    return hard_limits


def outermost(hard_limits: HardLimits) -> dict[Address, int]:
    """Bytes by tenant; a quota inside another one is not added to it."""
    return {
        tenant: sum(by_path[path] for path, outer in enclosing(by_path).items() if not outer)
        for tenant, by_path in hard_limits.items()
    }


def claimed_bytes(
    facts: Facts, hard_limits: HardLimits, existing: Mapping[Address, int] | None = None
) -> dict[Address, int]:
    """Bytes by tenant of claims whose class's directory has no quota; for claims in `existing`, only what they grow by.

    If the document does not name the tenant of a class, the bytes count for the class; any tenant's quota may cover its directory.
    """
    claimed_bytes: dict[Address, int] = {}
    sizes_now = existing or {}
    paths_by_site: dict[str, set[str]] = {}
    for tenant_address, by_path in hard_limits.items():
        paths_by_site.setdefault(tenant_address.site, set()).update(by_path)
    for storage_class in facts.objects.all("storage_class"):
        tenant, path = facts.tenant_of_class(storage_class), storage_class.values.get("storage_path")
        owner = tenant.target if isinstance(tenant, Ref) else storage_class.address
        quotas = hard_limits.get(owner, {}) if isinstance(tenant, Ref) else paths_by_site.get(owner.site, ())
        if _under(path, quotas):
            continue
        growth = [
            max(0, (claim.values.get("size") or 0) - sizes_now.get(claim.address, 0))
            for claim in facts.claims.get(storage_class.address, ())
        ]
        claimed_bytes[owner] = claimed_bytes.get(owner, 0) + sum(growth)
    return claimed_bytes


def promised_bytes(facts: Facts) -> dict[Address, int]:
    """What the document promises, in bytes by tenant."""
    hard_limits, by_tenant = promised_by(facts.objects)
    promised = dict(by_tenant)
    for tenant, size in claimed_bytes(facts, hard_limits).items():
        promised[tenant] = promised.get(tenant, 0) + size
    return promised


def _under(path: str | None, quotas: Container[str]) -> bool:
    """Whether a directory has a quota, or lies inside a directory that has one."""
    steps = path_names(path or "")
    return path is not None and any("/" + "/".join(steps[:end]) in quotas for end in range(len(steps) + 1))
