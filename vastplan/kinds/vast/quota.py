"""Quota: how much a directory may hold."""

from typing import Annotated

from pydantic import Field, model_validator

from vastplan.kinds.vast._common import CLOCK, CSI_MADE, INTERNAL, NOTHING, OFF, Directory, Mode, collection
from vastplan.model import units
from vastplan.schema.compile import kind
from vastplan.schema.kind import Keyed, Metric
from vastplan.schema.markers import (
    CREATE_ONLY,
    IDENTITY,
    IMMUTABLE,
    NAMED,
    PROSE,
    WITNESS,
    WRITE_ONLY,
    Clears,
    Opens,
    Refers,
    ServerDefault,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, Bytes, Count, ReferenceName, Span, Spec, Text, VendorName

_Bytes = Annotated[Bytes, Field(gt=0)]
_Inodes = Annotated[Count, Field(gt=0)]
_Limit = Clears(0)  # 0 and null both mean none; VMS answers either


class QuotaLimits(Spec):
    """The limits of a quota; null is none. `grace_period` is how long a soft limit may be exceeded."""

    hard_limit: Annotated[_Bytes | None | MISSING, _Limit, NOTHING] = MISSING
    soft_limit: Annotated[_Bytes | None | MISSING, _Limit, NOTHING] = MISSING
    hard_limit_inodes: Annotated[_Inodes | None | MISSING, _Limit, NOTHING] = MISSING
    soft_limit_inodes: Annotated[_Inodes | None | MISSING, _Limit, NOTHING] = MISSING
    grace_period: Annotated[Span | None | MISSING, CLOCK, NOTHING] = MISSING

    @model_validator(mode="after")
    def _soft_below_hard(self) -> "QuotaLimits":
        for soft, hard in ((self.soft_limit, self.hard_limit), (self.soft_limit_inodes, self.hard_limit_inodes)):
            if isinstance(soft, int) and isinstance(hard, int) and hard < soft:
                raise ValueError("a soft limit is not above its hard limit")
        return self


class Quota(QuotaLimits):
    """A quota of a directory: one per path and tenant. Deleting it lifts the limit and keeps the data.

    VMS never shows `is_physical_quota` again, so it is compared with what was last applied.
    """

    name: Annotated[VendorName | MISSING, NAMED] = MISSING
    path: Annotated[Directory, IDENTITY, IMMUTABLE]
    tenant: Annotated[ReferenceName, Refers("tenant"), Wire("tenant_id"), IDENTITY, IMMUTABLE]
    is_physical_quota: Annotated[
        bool | MISSING, IMMUTABLE, WRITE_ONLY, Since("vms", "5.5"), ServerDefault(False, PROSE)
    ] = MISSING
    create_dir: Annotated[bool, CREATE_ONLY] = True
    create_dir_mode: Annotated[Mode | MISSING, CREATE_ONLY, Opens()] = MISSING
    default_email: Annotated[Text | None | MISSING, Clears("")] = MISSING
    # VMS 5.3 has this in its schema, 5.5 says nothing.
    enable_alarms: Annotated[bool | MISSING, ServerDefault(True, WITNESS)] = MISSING
    enable_email_providers: Annotated[bool | MISSING, OFF] = MISSING


KIND = kind(
    Quota,
    name="quota",
    system="vast",
    section="quotas",
    endpoint=collection("quotas"),
    keyed=Keyed(within="tenant"),
    data_bearing=True,
    metrics=(Metric("used", ("used_effective_capacity",), units.BYTES), Metric("used_inodes", ("used_inodes",))),
    in_use=("used", "used_inodes"),
    floors=(("hard_limit", "used"), ("hard_limit_inodes", "used_inodes")),
    controller_owned=CSI_MADE,
    system_owned=INTERNAL,
)
