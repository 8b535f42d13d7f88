"""S3 key of a user of another provider (AD, LDAP, NIS): an entry of `s3_keys` with the user `{existing: NAME}` becomes one.

Source: the vendor's documents of 5.3 and 5.5 (`/users/non_local_keys/`, `/users/query/`), and its Terraform provider, which creates
keys of local users by the same call. That VMS returns LOCAL for a local user is from recordings of 5.5.
"""

from typing import Annotated, Any

from vastplan.kinds.vast._delivery import into_secret
from vastplan.kinds.vast._rights import Tenant
from vastplan.kinds.vast.s3_key import PAIR, S3Key
from vastplan.schema.access import LetsIn
from vastplan.schema.endpoint import AskedMembers, Endpoint
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import IDENTITY, IMMUTABLE
from vastplan.schema.types import VendorName


class DirectoryKey(S3Key):
    """A pair of S3 keys by which a user of AD, LDAP or NIS works with the buckets of a tenant."""

    tenant: Tenant
    """Tenant whose buckets the pair opens."""
    user: Annotated[VendorName, IDENTITY, IMMUTABLE]
    """Name of the user as AD, LDAP or NIS has it."""


def _where(values: Any) -> str | None:
    """The locator by which VMS is asked for all keys of the user in the tenant."""
    tenant, user = values.get("tenant"), values.get("user")
    return AskedMembers.locator(tenant, user) if isinstance(tenant, str) and isinstance(user, str) else None


KIND = Kind(
    DirectoryKey,
    name="directory_key",
    system="vast",
    endpoint=Endpoint(
        "/users/query/",
        query={"context": "aggregated"},
        id=("access_key",),
        shape=AskedMembers(
            name="username",
            place="tenant_id",
            places="/tenants/",
            within="tenant",
            of="user",
            rows="access_keys",
            path="/users/non_local_keys/",
            known_by=("uid", "sid"),
            key="access_key",
            origin=(("origins", "name"), "LOCAL"),
        ),
        answered_once=(("secret_key",),),
    ),
    attributes=(Attribute("path", (), _where, ("tenant", "user")), *PAIR),
    lets_in=LetsIn("requests with the pair are refused", who=("user", "tenant")),
    delivers=into_secret(),
    read_by_name=True,
)
