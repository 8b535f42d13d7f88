"""Rights of a group of another provider (AD, LDAP, NIS): the group exists, and vastplan manages its identity policies."""

from typing import Annotated

from vastplan.kinds.vast._identities import AttachedPolicies
from vastplan.kinds.vast._rights import Rights, Tenant, asked, locator
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, IMMUTABLE, NAMED, Wire
from vastplan.schema.types import MISSING, VendorName


class GroupRight(Rights):
    """Identity policies of an existing group in one tenant. `group` is its name as the provider has it; the entry's
    key when left out."""

    SETS = ("s3_policies",)

    group: Annotated[VendorName | MISSING, NAMED, IDENTITY, IMMUTABLE, Wire("groupname")] = MISSING
    """Name of the group as the provider has it; the entry's key when left out."""
    tenant: Tenant
    """Tenant in which the group has the policies."""
    s3_policies: AttachedPolicies = MISSING
    """Identity policies of the tenant that are attached to the group; null or an empty list is none."""


KIND = Kind(
    GroupRight,
    name="group_right",
    system="vast",
    section="group_rights",
    endpoint=asked("/groups/query/", "groupname", s3_policies_ids=[]),
    attributes=(locator("group"),),
    read_by_name=True,
)
