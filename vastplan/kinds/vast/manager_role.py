"""Role of managers: what managers with the role may see and do in VMS. Not an IAM role, and not a role of Run:AI."""

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from vastplan.kinds.vast._common import collection
from vastplan.kinds.vast.realm import MAY, of_tenant, without_tenant
from vastplan.schema.dependents import built_in
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.markers import EXPLICIT_NULL, IDENTITY, IMMUTABLE, SET, Clears, Opens, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName, Says, Spec, Text, VendorName

VERBS = ("create", "view", "edit", "delete")
Permission = Annotated[
    str,
    StringConstraints(pattern=rf"^({'|'.join(VERBS)})_\S.*$", max_length=253),
    Says(f"a permission: {'_, '.join(VERBS[:-1])}_ or {VERBS[-1]}_, then the name of a realm"),
]


class ManagerRole(Spec):
    """A role: a set of permissions for managers. With a tenant it is for managers of that tenant; with `tenant: null`
    for those of the cluster.

    One of the cluster may be limited to `tenants`; with null it is for all. Permissions are `VERB_REALM`: create, view,
    edit or delete in one of VMS's realms (support, settings, security, monitoring, logical, hardware, events, database,
    applications) or in one of `realms`.
    """

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    """Name of the role in VMS; the entry's key when left out."""
    tenant: Annotated[ReferenceName | None, Refers("tenant"), Wire("tenant_id"), IMMUTABLE, EXPLICIT_NULL]
    """Tenant whose managers may have the role; null is for managers of the cluster."""
    tenants: Annotated[
        Annotated[list[ReferenceName], Field(min_length=1)] | None | MISSING,
        SET,
        Refers("tenant"),
        Wire("tenant_ids"),
        Clears([]),
        Opens(at_create=False),
    ] = MISSING
    """Tenants that a role of the cluster is limited to; null is all. It needs tenant: null."""
    permissions_list: Annotated[list[Permission] | None | MISSING, SET, Clears([]), Opens(), MAY] = MISSING
    """Permissions of the role, as VERB_REALM, such as view_logical; null or an empty list is none."""
    ldap_groups: Annotated[list[Text] | None | MISSING, SET, Clears([]), Opens(), MAY] = MISSING
    """Groups of LDAP or Active Directory whose members may log in to VMS with the role; null or an empty list is
    none."""

    @model_validator(mode="after")
    def _of_one_tenant(self) -> "ManagerRole":
        if self.tenant is not None and isinstance(self.tenants, list):
            raise ValueError("tenants needs tenant: null; a role with a tenant is for that tenant only")
        return self


def _answered(values: Values, row: Row) -> Values:
    """VMS returns two fields under other names than it accepts: https://github.com/vast-data/vast-ansible, schema_overrides.py."""
    values = of_tenant(values, row)
    for name, answered in (("permissions_list", "permissions"), ("tenants", "tenants")):
        if answered in row:
            values[name] = row[answered]
    return values


KIND = Kind(
    ManagerRole,
    name="manager_role",
    system="vast",
    section="roles",
    endpoint=collection("roles"),
    refuses_delete=(built_in("VAST"),),
    system_owned=((("is_default",), True),),  # VAST asks not to change the roles that a cluster comes with
    finish_encode=without_tenant,
    finish_decode=_answered,
)
