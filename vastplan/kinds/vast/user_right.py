"""Rights of a user of another provider (AD, LDAP, NIS), or of a local one in another tenant: no user is created."""

from typing import Annotated

from vastplan.kinds.vast._common import OFF
from vastplan.kinds.vast._identities import AttachedPolicies, Switch
from vastplan.kinds.vast._rights import Rights, Tenant, asked, locator
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, IMMUTABLE, NAMED, Opens, Wire
from vastplan.schema.types import MISSING, VendorName


class UserRight(Rights):
    """Rights of an existing user to S3 in one tenant. Without an entry the user has none.

    `user` is the name as the provider has it; the entry's key when left out.
    """

    SETS = ("allow_create_bucket", "allow_delete_bucket", "s3_superuser", "s3_policies")

    user: Annotated[VendorName | MISSING, NAMED, IDENTITY, IMMUTABLE, Wire("username")] = MISSING
    """Name of the user as the provider has it; the entry's key when left out."""
    tenant: Tenant
    """Tenant in which the user has the rights."""
    allow_create_bucket: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    """Whether the user may create S3 buckets in the tenant; an identity policy that says otherwise has priority."""
    allow_delete_bucket: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    """Whether the user may delete S3 buckets in the tenant; an identity policy that says otherwise has priority."""
    s3_superuser: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    """Whether the user is a superuser of S3 in the tenant; an identity policy that says otherwise has priority."""
    s3_policies: AttachedPolicies = MISSING
    """Identity policies of the tenant that are attached to the user; null or an empty list is none."""


KIND = Kind(
    UserRight,
    name="user_right",
    system="vast",
    section="user_rights",
    endpoint=asked(
        "/users/query/",
        "username",
        allow_create_bucket=False,
        allow_delete_bucket=False,
        s3_superuser=False,
        s3_policies_ids=[],
    ),
    attributes=(locator("user"),),
    read_by_name=True,
)
