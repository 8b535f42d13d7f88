"""Realm: a set of object types for the permissions of roles, besides the realms of VMS."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from vastplan.kinds.vast._common import collection
from vastplan.kinds.vast._realms import BUILT_IN_REALMS
from vastplan.schema.endpoint import Delta
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.markers import EXPLICIT_NULL, IDENTITY, IMMUTABLE, SET, Clears, Opens, Refers, Revokes, Since, Wire
from vastplan.schema.types import MISSING, ReferenceName, Says, Spec, VendorName

# In lower case: https://github.com/vast-data/terraform-provider-vastdata, examples/resources/vastdata_administrator_realm.
_ObjectType = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=253),
    Says("a type of object, such as viewpolicy: lowercase letters, digits and _"),
]


def _other_than_built_in(name: str) -> str:
    """The name of a realm. Raises `ValueError` for one that every cluster has."""
    if name in BUILT_IN_REALMS:
        raise ValueError(f"{name} is a realm of every cluster; write another name")
    return name


MAY = Revokes("managers lose these rights at once")


class Realm(Spec):
    """A realm: a set of object types for the permissions of roles, which are `view_NAME`, `create_NAME`, `edit_NAME`
    and `delete_NAME`.

    With `tenant: null` it belongs to the cluster. Object types are in lower case without spaces: `view`,
    `viewpolicy`, `quota`.
    """

    name: Annotated[Annotated[VendorName, AfterValidator(_other_than_built_in)] | MISSING, IDENTITY] = MISSING
    """Name of the realm, as permissions have it; the entry's key when left out."""
    tenant: Annotated[ReferenceName | None, Refers("tenant"), Wire("tenant_id"), IMMUTABLE, EXPLICIT_NULL]
    """Tenant that the realm belongs to; null is the cluster."""
    object_types: Annotated[list[_ObjectType] | None | MISSING, SET, Clears([]), Opens(), MAY] = MISSING
    """Types of objects in the realm, such as viewpolicy; null or an empty list is none."""


def of_tenant(values: Values, row: Row) -> Values:
    """VMS shows the tenant as a number and as an object; a row with neither belongs to the cluster."""
    tenant = row.get("tenant")
    if values.get("tenant") is None:
        values["tenant"] = tenant.get("id") if isinstance(tenant, dict) else None
    return values


def without_tenant(body: Row, values: Values) -> Row:
    """An object of the cluster is sent without a tenant: the API document has no null."""
    return {name: value for name, value in body.items() if name != "tenant_id" or value is not None}


KIND = Kind(
    Realm,
    name="realm",
    system="vast",
    section="realms",
    endpoint=collection(
        "realms", deltas=(Delta("object_types", ("assign", "object_type"), ("unassign", "object_type")),)
    ),
    versions=(Since("vms", "5.2", subject="realms"),),
    finish_encode=without_tenant,
    finish_decode=of_tenant,
)
