"""Shared parts of users and groups: the local provider that keeps them, and their identity policies."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from vastplan.schema.markers import (
    DOCUMENT,
    IDENTITY,
    IMMUTABLE,
    SET,
    WITNESS,
    Clears,
    Opens,
    Refers,
    Revokes,
    ServerDefault,
    ShownAt,
    Wire,
)
from vastplan.schema.types import MISSING, ReferenceName, Spec, VendorName

Switch = Revokes("the user is refused at once what nothing else allows")
AttachedPolicies = Annotated[
    list[ReferenceName] | None | MISSING,
    SET,
    Refers("s3_policy"),
    Wire("s3_policies_ids"),
    Clears([]),
    Opens(either=True),  # a policy that is detached may have denied something
    Revokes("the user or group is refused at once what nothing else allows"),
    ServerDefault([], WITNESS),
]


class InProvider(Spec):
    """A user or a group of a local provider: that of the tenant, or one that is named.

    VMS is sent the provider's id, and shows the provider as an object.
    """

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    """Name in the local provider; the entry's key when left out."""
    tenant: Annotated[ReferenceName | MISSING, Refers("tenant"), DOCUMENT] = MISSING
    """Tenant whose local provider keeps it; all tenants that use the provider have it. It excludes local_provider."""
    local_provider: Annotated[
        ReferenceName | MISSING,
        Refers("local_provider"),
        Wire("local_provider_id"),
        ShownAt("local_provider", "id"),
        IDENTITY,
        IMMUTABLE,
    ] = MISSING
    """Local provider that keeps it, where no tenant is given."""

    @model_validator(mode="after")
    def _in_one_provider(self) -> InProvider:
        if (self.tenant is MISSING) == (self.local_provider is MISSING):
            raise ValueError("give either tenant or local_provider")
        return self
