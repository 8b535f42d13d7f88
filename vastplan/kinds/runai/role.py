"""Role: read only, granted by access rules. Its id differs between control planes, so documents give its name."""

from typing import Annotated

from vastplan.schema.compile import kind
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.markers import IDENTITY
from vastplan.schema.types import Spec


class Role(Spec):
    """A role, predefined or custom, referred to by name."""

    name: Annotated[str, IDENTITY]
    """Name of the role in Run:AI."""


KIND = kind(
    Role,
    name="role",
    system="runai",
    endpoint=Endpoint("/api/v1/authorization/roles", update=Update.NONE, paged=False),
)
