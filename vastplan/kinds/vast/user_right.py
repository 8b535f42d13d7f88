"""Rights of a user whom another provider has (AD, LDAP, NIS), or of a local one in one tenant more: nobody is made."""

from typing import Annotated

from vastplan.kinds.vast._common import OFF
from vastplan.kinds.vast._identities import AttachedPolicies, Switch
from vastplan.kinds.vast._rights import Rights, Tenant, asked, locator
from vastplan.schema.compile import kind
from vastplan.schema.markers import IDENTITY, IMMUTABLE, NAMED, Opens, Wire
from vastplan.schema.types import MISSING, VendorName


class UserRight(Rights):
    """What a user may do by S3 in a tenant. He is there already; where nothing is set of him, there are no rights.

    `user` is his name as the provider has it, and the entry's own where it is left out.
    """

    SETS = ("allow_create_bucket", "allow_delete_bucket", "s3_superuser", "s3_policies")

    user: Annotated[VendorName | MISSING, NAMED, IDENTITY, IMMUTABLE, Wire("username")] = MISSING
    tenant: Tenant
    allow_create_bucket: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    allow_delete_bucket: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    s3_superuser: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    s3_policies: AttachedPolicies = MISSING


KIND = kind(
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
