"""Tenant managers: callers who name their tenant with `X-Tenant-Name`, and what they may then see.

Clients of live clusters send the header at log-in and with every call; what a tenant's manager may see
and change is from the vendor's pages about roles, not from an API document.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import permissions
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import VmsError

HEADER = "x-tenant-name"
OWN = frozenset(
    {
        "views",
        "viewpolicies",
        "quotas",
        "snapshots",
        "qospolicies",
        "protectionpolicies",
        "protectedpaths",
        "s3policies",
        "roles",
        "realms",
        "folders",
        "globalsnapstreams",
        "volumes",
        "managers",
        "apitokens",
    }
)
OF_ALL = frozenset({"clusters", "versions", "vms", "vtasks", "events"})  # read by everybody


@dataclass(frozen=True, slots=True)
class Manager:
    """A manager of the cluster, or of one tenant, whose name is part of the log-in; a `role` (a name) limits the manager to its permissions."""

    password: str
    tenant: str | None = None
    role: str = ""


@dataclass(frozen=True, slots=True)
class CallerScope:
    """What one caller may see: everything, or the rows of `tenant` (an id), limited further by `permissions` if given."""

    tenant: int | None = None
    permissions: frozenset[str] | None = None

    def sees(self, collection: str, row: Row) -> bool:
        """Whether a row is visible to this caller."""
        if self.tenant is None or collection in OF_ALL:
            return True
        if collection == "tenants":
            return bool(row["id"] == self.tenant)
        return collection in OWN and _owner(row) in (self.tenant, None)

    def admit(self, method: str, collection: str, row: Row | None) -> None:
        """Raise `VmsError` (403) for what the caller may not do; `row` is the object that the call is about."""
        held = self.permissions
        if held is not None and not permissions.allows(held, method, collection, of_one=row is not None):
            raise denied()
        if self.tenant is None:
            return
        foreign = row is not None and _owner(row) != self.tenant
        if collection not in OWN | OF_ALL | {"tenants"} or (method != "GET" and (collection not in OWN or foreign)):
            raise denied()

    def completed(self, body: Row) -> Row:
        """A body for a new object, with the caller's tenant; raises `VmsError` (403) for another tenant."""
        if self.tenant is None:
            return body
        self.within(body.get("tenant_id"))
        return {**body, "tenant_id": self.tenant}

    def within(self, tenant: Any) -> None:
        """Raise `VmsError` (403) if the caller belongs to another tenant."""
        if self.tenant is not None and tenant not in (None, self.tenant):
            raise denied()


def _owner(row: Row) -> Any:
    """The tenant of a row; for a clone stream the tenant it copies into, for a volume that of its view."""
    return row.get("tenant_id", row.get("_tenant"))


def denied() -> VmsError:
    """A refusal by role: its code distinguishes it from an expired token."""
    return VmsError(403, {"detail": "You do not have permission to perform this action.", "code": "permission_denied"})


def tenant_named(cluster: VastCluster, name: Any) -> Row | None:
    """The tenant that a header names, by its name or its domain name."""
    row = next(cluster.rows("tenants", name=name), None) or next(cluster.rows("tenants", domain_name=name), None)
    return row if name else None
