"""QoS policy: the bandwidth and IOPS limits that views, users and block volumes are held to."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from vastplan.kinds.vast._common import NO_LIMIT, OFF, collection
from vastplan.model.plan import Stage
from vastplan.schema.compile import kind
from vastplan.schema.kind import Row, Values
from vastplan.schema.markers import (
    EXPLICIT_NULL,
    IDENTITY,
    IMMUTABLE,
    WITNESS,
    Clears,
    Refers,
    ServerDefault,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, Bandwidth, Count, ReferenceName, Spec, VendorName

_Iops = Annotated[Count, Field(le=2**32)]
_Limit = Clears(0)  # VMS: 0 is unlimited, and what an unset limit reads as


class StaticLimits(Spec):
    """Absolute limits. `max_*` hold always, `min_*` under contention (mode STATIC only); `*_mbps` are MB/s."""

    min_reads_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_reads_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    min_writes_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_writes_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    min_reads_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_reads_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    min_writes_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_writes_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_reads_bw_mb: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_reads_loan_mb: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_writes_bw_mb: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_writes_loan_mb: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_reads_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_reads_loan_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_writes_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_writes_loan_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING

    @model_validator(mode="after")
    def _in_order(self) -> "StaticLimits":
        for way in ("reads", "writes"):
            for unit, burst in (("bw_mbps", "bw_mb"), ("iops", "iops")):
                floor = getattr(self, f"min_{way}_{unit}")
                ceiling = getattr(self, f"max_{way}_{unit}")
                peak = getattr(self, f"burst_{way}_{burst}")
                if isinstance(floor, int) and isinstance(ceiling, int) and 0 < ceiling < floor:
                    raise ValueError(f"min_{way}_{unit} is above max_{way}_{unit}")
                if isinstance(peak, int) and isinstance(ceiling, int) and 0 < peak <= ceiling:
                    raise ValueError(f"burst_{way}_{burst} must exceed max_{way}_{unit}")
        return self


class StaticTotalLimits(Spec):
    """Absolute limits on reads and writes together, in force with `use_total_limits`."""

    min_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    min_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_bw_mb: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_loan_mb: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    burst_loan_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING


class CapacityLimits(Spec):
    """Limits per GB of used or provisioned capacity."""

    max_reads_bw_mbps_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_writes_bw_mbps_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_reads_iops_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_writes_iops_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING


class CapacityTotalLimits(Spec):
    """Limits per GB on reads and writes together."""

    max_bw_mbps_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    max_iops_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING


class AttachedUser(Spec):
    """A user that a USER policy holds."""

    name: str
    fqdn: str
    identifier_type: Literal["sid_str", "uid", "username"]
    identifier_value: str


class QosLimits(Spec):
    """What a policy limits; a view may also write it inline."""

    mode: Annotated[
        Literal["STATIC", "USED_CAPACITY", "PROVISIONED_CAPACITY"] | MISSING, ServerDefault("STATIC", WITNESS)
    ] = MISSING
    limit_by: Annotated[Literal["BW", "IOPS", "BW_IOPS"] | MISSING, ServerDefault("BW_IOPS", WITNESS)] = MISSING
    is_gold: Annotated[bool | MISSING, OFF] = MISSING
    use_total_limits: Annotated[bool | MISSING, OFF] = MISSING
    s3_connections_limit: Annotated[Count | None | MISSING, _Limit, ServerDefault(0, WITNESS)] = MISSING
    static_limits: StaticLimits | MISSING = MISSING
    static_total_limits: StaticTotalLimits | MISSING = MISSING
    capacity_limits: CapacityLimits | MISSING = MISSING
    capacity_total_limits: CapacityTotalLimits | MISSING = MISSING

    @model_validator(mode="after")
    def _floors_are_static(self) -> "QosLimits":
        if self.static_limits is not MISSING and self.mode in ("USED_CAPACITY", "PROVISIONED_CAPACITY"):
            floors = [name for name in StaticLimits.model_fields if name.startswith("min_")]
            if any(getattr(self.static_limits, name) not in (MISSING, None, 0) for name in floors):
                raise ValueError("min_* limits need mode STATIC")
        return self


class QosPolicy(QosLimits):
    """A QoS policy. Views name it in `qos_policy`; users of USER policies are listed here."""

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    tenant: Annotated[ReferenceName | None, Refers("tenant"), Wire("tenant_id"), IMMUTABLE, EXPLICIT_NULL]
    policy_type: Annotated[Literal["VIEW", "USER", "VOLUME"], IMMUTABLE, Since("vms", "5.5", values=("VOLUME",))] = (
        "VIEW"
    )
    is_default: Annotated[bool | MISSING, OFF] = MISSING
    attached_users: Annotated[list[AttachedUser] | MISSING, Clears([]), ServerDefault([], WITNESS)] = MISSING

    @model_validator(mode="after")
    def _consistent(self) -> "QosPolicy":
        if self.policy_type == "USER" and (self.mode is not MISSING or self.use_total_limits is not MISSING):
            raise ValueError("a USER policy has no mode and no total limits")
        if self.policy_type != "USER" and self.attached_users is not MISSING:
            raise ValueError("only a USER policy has attached_users")
        return self


def _with_mode(body: Row, values: Values) -> Row:
    """VMS wants a mode on every new policy but a USER one; the others say so only where the document does not."""
    if "policy_type" in body and values["policy_type"] != "USER":
        body.setdefault("mode", "STATIC")
    return body


KIND = kind(
    QosPolicy,
    name="qos_policy",
    system="vast",
    section="qos_policies",
    stage=Stage.POLICY,
    endpoint=collection("qospolicies"),
    finish_encode=_with_mode,
)
