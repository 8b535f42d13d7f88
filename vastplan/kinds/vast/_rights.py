"""Shared parts of the rights of users and groups: they hold in one tenant, for a user or group of any provider."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import model_validator

from vastplan.schema.endpoint import Asked, Endpoint
from vastplan.schema.live import Attribute
from vastplan.schema.markers import IDENTITY, IMMUTABLE, Refers
from vastplan.schema.types import MISSING, ReferenceName, Spec

Tenant = Annotated[ReferenceName, Refers("tenant.name"), IDENTITY, IMMUTABLE]


class Rights(Spec):
    """Rights of a user or group. An entry sets at least one: VMS has no object for somebody without rights."""

    SETS: ClassVar[tuple[str, ...]]

    @model_validator(mode="after")
    def _sets_something(self) -> Rights:
        if not any(getattr(self, name) not in (MISSING, None, False, []) for name in self.SETS):
            raise ValueError(f"nothing is set: write one of {', '.join(self.SETS)}, or remove the entry for no rights")
        return self


def asked(path: str, name: str, **nothing: Any) -> Endpoint:
    """The endpoint at which rights are read and set. The query looks for the user or group in every provider of the tenant."""
    shape = Asked(name, "tenant_id", "/tenants/", "tenant", nothing)
    return Endpoint(path, query={"context": "aggregated"}, shape=shape)


def locator(field: str) -> Attribute:
    """The attribute by which rights are read: the tenant, and the name in `field`."""

    def predicted(values: Any) -> str | None:
        tenant, name = values.get("tenant"), values.get(field)
        return Asked.locator(tenant, name) if isinstance(tenant, str) and isinstance(name, str) else None

    return Attribute("path", (), predicted, ("tenant", field))
