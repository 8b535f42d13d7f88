"""Local provider: where the users and groups of tenants are kept, on the cluster itself."""

from typing import Annotated, Literal

from vastplan.kinds.vast._common import collection
from vastplan.model.plan import Stage
from vastplan.schema.dependents import built_in
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, SET, WITNESS, Clears, Opens, ServerDefault
from vastplan.schema.types import MISSING, Spec, Text, VendorName


class LocalProvider(Spec):
    """A local provider: users and groups that the cluster keeps itself. A tenant uses one (`local_provider`) for its
    users and groups.

    `managed_by` says which managers of VMS may change its users and groups. Where TENANT_ADMIN is among them, managers
    of the cluster may be locked out of them (the vendor's pages about cluster and tenant administrators).
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    """Name of the provider in VMS; the entry's key when left out."""
    description: Annotated[Text | None | MISSING, Clears(""), ServerDefault("", WITNESS)] = MISSING
    """Description of the provider that VMS shows; null is none."""
    managed_by: Annotated[
        list[Literal["SUPER_ADMIN", "TENANT_ADMIN"]] | MISSING,
        SET,
        Opens(at_create=False),
        ServerDefault(["SUPER_ADMIN"], WITNESS),
    ] = MISSING
    """Types of managers that may change its users and groups. With TENANT_ADMIN, managers of the cluster may be locked
    out of them."""


KIND = Kind(
    LocalProvider,
    name="local_provider",
    system="vast",
    section="local_providers",
    stage=Stage.OWNER,
    endpoint=collection("localproviders"),
    # every cluster has it, and it serves every tenant that names no other
    refuses_delete=(built_in("VAST"),),
    system_owned=((("name",), "default"),),
)
