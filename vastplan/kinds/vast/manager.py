"""Manager: a user of VMS, for the cluster or for one tenant, with the rights of its roles.

Source: the vendor's documents of 5.3 and 5.5, and its Terraform provider, which reads roles as objects and own permissions beside
those of the roles (1.x `managers_functions.go`). No response contains a password.
"""

from __future__ import annotations

import string
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from vastplan.kinds.vast._common import collection
from vastplan.kinds.vast._delivery import Generation, IntoSecret, into_secret
from vastplan.kinds.vast.manager_role import Permission
from vastplan.kinds.vast.realm import MAY, of_tenant, without_tenant
from vastplan.schema.access import LetsIn
from vastplan.schema.creation import Drawn
from vastplan.schema.dependents import built_in
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Attribute
from vastplan.schema.markers import (
    DOCUMENT,
    EXPLICIT_NULL,
    IDENTITY,
    IMMUTABLE,
    SENSITIVE,
    SET,
    WRITE_ONLY,
    Clears,
    Opens,
    Refers,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, ReferenceName, SecretKey, SecretSource, Spec, Text, VendorName

# Each of VMS's four kinds of characters (https://github.com/vast-data/terraform-provider-vastdata, 1.x `validators.go`), and
# none that has a special meaning in YAML, a shell or a URL.
PASSWORD = Drawn(
    "password", ("password",), (string.ascii_uppercase, string.ascii_lowercase, string.digits, "-_.+"), length=32
)


class ManagerKeys(Spec):
    """Keys of the Secret that hold the log-in."""

    username: SecretKey = "username"
    """Key of the Secret that holds the user name."""
    password: SecretKey = "password"  # noqa: S105  (a name)
    """Key of the Secret that holds the password."""

    @model_validator(mode="after")
    def _two_names(self) -> ManagerKeys:
        if self.username == self.password:
            raise ValueError("username and password must differ")
        return self


class ManagerDelivery(IntoSecret):
    """The Secret that gets the log-in."""

    keys: ManagerKeys = ManagerKeys()
    """Keys of the Secret that hold the user name and the password."""


class Manager(Spec):
    """A manager: a user of VMS, of the cluster or of one tenant. With a tenant it manages that tenant, and logs in with
    its name; with `tenant: null` it is the cluster's.

    With `deliver` vastplan draws a password, which goes to that Secret and nowhere else, and another one for a
    greater `generation`. A `password` of yours is sent as it is. A manager with neither can only be adopted.
    """

    name: Annotated[VendorName | MISSING, IDENTITY, Wire("username")] = MISSING
    """User name of the manager; the entry's key when left out. With deliver, another name also gets another
    password."""
    tenant: Annotated[ReferenceName | None, Refers("tenant"), Wire("tenant_id"), IMMUTABLE, EXPLICIT_NULL]
    """Tenant that the manager manages; null is the whole cluster."""
    user_type: Annotated[Literal["SUPER_ADMIN", "TENANT_ADMIN"] | MISSING, Opens("SUPER_ADMIN", at_create=False)] = (
        MISSING
    )
    """Type of the manager: of the cluster (SUPER_ADMIN) or of a tenant (TENANT_ADMIN). It follows from tenant and must
    fit it."""
    roles: Annotated[
        Annotated[list[ReferenceName], Field(min_length=1)], SET, Refers("manager_role"), Opens(at_create=False), MAY
    ]
    """Roles that the manager has, whose permissions it gets; at least one."""
    permissions_list: Annotated[list[Permission] | None | MISSING, SET, Clears([]), Opens(), MAY] = MISSING
    """Permissions that the manager has besides those of its roles, such as view_logical; null or an empty list is
    none."""
    first_name: Annotated[Text | None | MISSING, Clears("")] = MISSING
    """First name of the manager; null is none."""
    last_name: Annotated[Text | None | MISSING, Clears("")] = MISSING
    """Last name of the manager; null is none."""
    password: Annotated[SecretSource | MISSING, WRITE_ONLY, SENSITIVE, Opens(at_create=False)] = MISSING
    """Password of the manager, from an environment variable or a file. It excludes deliver."""
    is_temporary_password: Annotated[bool | MISSING, Since("vms", "5.2")] = MISSING
    """Whether the password is temporary; when it expires is a setting of the cluster."""
    password_expiration_disabled: Annotated[bool | MISSING, Since("vms", "5.2"), Opens(True)] = MISSING
    """Whether the password of the manager never expires."""
    generation: Annotated[Generation, WRITE_ONLY] = 1
    """Number of the password that vastplan draws; a greater number draws another one, a lower one is refused."""
    deliver: Annotated[ManagerDelivery | MISSING, DOCUMENT] = MISSING
    """Secret in Kubernetes that gets the user name and a password that vastplan draws. It excludes password."""

    @model_validator(mode="after")
    def _one_source(self) -> Manager:
        if self.password is not MISSING and self.deliver is not MISSING:
            raise ValueError("give either deliver (vastplan draws the password) or password")
        return self

    @model_validator(mode="after")
    def _fits_its_tenant(self) -> Manager:
        if self.user_type is not MISSING and self.user_type != type_of(self.tenant):
            raise ValueError(
                f"user_type must be {type_of(self.tenant)} {'without' if self.tenant is None else 'with'} a tenant"
            )
        return self


def type_of(tenant: object) -> str:
    """The type of a manager, which depends on whether it has a tenant."""
    return "SUPER_ADMIN" if tenant is None else "TENANT_ADMIN"


def _answered(values: Values, row: Row) -> Values:
    """VMS returns roles as objects, and own permissions beside those of the roles."""
    values = of_tenant(values, row)
    roles: Any = row.get("roles")
    if isinstance(roles, list):
        values["roles"] = [role.get("id") if isinstance(role, dict) else role for role in roles]
    permissions = row.get("permissions")
    if isinstance(permissions, dict) and "manager" in permissions:
        values["permissions_list"] = permissions["manager"]
    return values


KIND = Kind(
    Manager,
    name="manager",
    system="vast",
    section="managers",
    endpoint=collection("managers"),
    attributes=(Attribute("username", ("username",), lambda values: values.get("name"), ("name",)),),
    lets_in=LetsIn("the manager can no longer log in", who=("name", "user_type", "roles", "tenant")),
    refuses_delete=(built_in("VAST"),),
    system_owned=((("is_default",), True),),  # VAST asks not to change it, and it cannot be deleted
    delivers=into_secret(PASSWORD),
    finish_encode=without_tenant,
    finish_decode=_answered,
)
