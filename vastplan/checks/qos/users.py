"""The USER policies of a document by tenant, and the users in them."""

from collections.abc import Mapping
from typing import Any

from vastplan.checks.index import Index
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

Tenant = tuple[str, Address | None]  # the site, and the tenant there


def user_policies(entries: Index) -> dict[Tenant, list[Entry]]:
    """The USER policies by their tenant."""
    by_tenant: dict[Tenant, list[Entry]] = {}
    for policy in entries.all("qos_policy"):
        if policy.values.get("policy_type") == "USER":
            by_tenant.setdefault(policy_tenant(policy), []).append(policy)
    return by_tenant


def policy_tenant(entry: Entry) -> Tenant:
    """The tenant of a policy, and its site; `None` for a policy of all tenants."""
    tenant = entry.values.get("tenant")
    return entry.address.site, tenant.target if isinstance(tenant, Ref) else None


def tenant_label(tenant: Tenant) -> str:
    """The name of a tenant in a message."""
    return f"tenant {tenant[1].name}" if tenant[1] else "all tenants"


def user_or_group(item: Mapping[str, Any]) -> tuple[str, str]:
    """How a list names a user or group, and which one: `user`, `alice`."""
    way = next(way for way in ("user", "group", "uid", "gid", "sid") if way in item)
    return way, str(item[way])
