"""Role: read only, granted by access rules. Its id differs between control planes, so documents give its name."""

from typing import Annotated

from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY
from vastplan.schema.types import Spec


class Role(Spec):
    """A role, predefined or custom, referred to by name."""

    name: Annotated[str, IDENTITY]
    """Name of the role in Run:AI."""


KIND = Kind(
    Role,
    name="role",
    system="runai",
    endpoint=Endpoint("/api/v1/authorization/roles", update=Update.NONE, paged=False),
)
