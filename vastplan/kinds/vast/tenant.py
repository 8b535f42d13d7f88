"""Tenant: an isolated domain of a VAST cluster, with its own hierarchy, client ranges, capacity and QoS limits."""

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds.vast._common import RANGE, SECONDS, collection
from vastplan.kinds.vast.snapshot import snapshots
from vastplan.model import units
from vastplan.model.plan import Stage
from vastplan.schema.compile import kind
from vastplan.schema.kind import Attribute, Contents, Measure
from vastplan.schema.markers import ATOMIC, IDENTITY, IMMUTABLE, SET, Admits, Clears, Exclusive, Opens, Since, Unit
from vastplan.schema.types import MISSING, Bandwidth, Bytes, Count, IpRange, Span, Spec, Text, VendorName

_SOURCES = Admits(open_when_empty=True)


class CapacityRules(Spec):
    """What the whole tenant may hold. VMS counts bytes and inodes; 0 or null is no limit."""

    hard_limit: Annotated[Bytes | None | MISSING, Clears(None, also=(0,))] = MISSING
    soft_limit: Annotated[Bytes | None | MISSING, Clears(None, also=(0,))] = MISSING
    hard_limit_inodes: Annotated[Count | None | MISSING, Clears(None, also=(0,))] = MISSING
    soft_limit_inodes: Annotated[Count | None | MISSING, Clears(None, also=(0,))] = MISSING
    grace_period: Annotated[Span | None | MISSING, SECONDS, Unit(units.SECONDS)] = MISSING
    notify_hard_limit: bool | MISSING = MISSING
    notify_soft_limit: bool | MISSING = MISSING

    @model_validator(mode="after")
    def _soft_below_hard(self) -> "CapacityRules":
        for soft, hard in ((self.soft_limit, self.hard_limit), (self.soft_limit_inodes, self.hard_limit_inodes)):
            if isinstance(soft, int) and isinstance(hard, int) and 0 < hard < soft:
                raise ValueError("a soft limit is not above its hard limit")
        return self


class TenantStaticLimits(Spec):
    """Ceilings and bursts of a tenant; VMS has no floors here (they exist on QoS policies only). 0 is unlimited."""

    max_reads_bw_mbps: Annotated[Bandwidth | None | MISSING, Clears(0)] = MISSING
    max_writes_bw_mbps: Annotated[Bandwidth | None | MISSING, Clears(0)] = MISSING
    max_reads_iops: Annotated[Count | None | MISSING, Clears(0)] = MISSING
    max_writes_iops: Annotated[Count | None | MISSING, Clears(0)] = MISSING
    burst_reads_bw_mb: Annotated[Bandwidth | None | MISSING, Clears(0)] = MISSING
    burst_writes_bw_mb: Annotated[Bandwidth | None | MISSING, Clears(0)] = MISSING
    burst_reads_loan_mb: Annotated[Count | None | MISSING, Clears(0)] = MISSING
    burst_writes_loan_mb: Annotated[Count | None | MISSING, Clears(0)] = MISSING
    burst_reads_iops: Annotated[Count | None | MISSING, Clears(0)] = MISSING
    burst_writes_iops: Annotated[Count | None | MISSING, Clears(0)] = MISSING
    burst_reads_loan_iops: Annotated[Count | None | MISSING, Clears(0)] = MISSING
    burst_writes_loan_iops: Annotated[Count | None | MISSING, Clears(0)] = MISSING


class TenantQos(Spec):
    """The tenant's own QoS; not a policy object."""

    static_limits: Annotated[TenantStaticLimits | MISSING, ATOMIC] = MISSING


class Tenant(Spec):
    """A VAST tenant. Other entries may stand inside it."""

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    domain_name: Text | MISSING = MISSING
    client_ip_ranges: Annotated[list[Annotated[IpRange, RANGE]] | None | MISSING,
                                SET, Clears([]), _SOURCES, Exclusive()] = MISSING  # fmt: skip
    access_ip_ranges: Annotated[list[Text] | None | MISSING, SET, Clears([]), _SOURCES] = MISSING
    capacity_rules: Annotated[CapacityRules | MISSING, ATOMIC] = MISSING
    qos: Annotated[TenantQos | MISSING, ATOMIC] = MISSING
    max_views: Annotated[Count | None | MISSING, Clears(0), Since("vms", "5.5")] = MISSING
    encryption_group: Annotated[Text | MISSING, IMMUTABLE] = MISSING
    trash_gid: Annotated[Count | None | MISSING, Opens(shut=(None,))] = MISSING


KIND = kind(
    Tenant,
    name="tenant",
    system="vast",
    section="tenants",
    contains=True,
    stage=Stage.OWNER,
    measures=(Measure("capacity", ("capacity_rules", "hard_limit"), units.BYTES),),
    endpoint=collection("tenants", vanishes_later=True),
    attributes=(Attribute("guid", ("guid",)),),
    data_bearing=True,
    dependents=(snapshots(("id", "tenant")),),
    # the row of a tenant tells no use: what is known to be in it is at least so much
    contents=(
        Contents("used in views", "view", "used", ("id", "tenant"), "path", units.BYTES),
        Contents("used under quotas", "quota", "used", ("id", "tenant"), "path", units.BYTES),
        Contents("inodes under quotas", "quota", "used_inodes", ("id", "tenant"), "path"),
    ),
    floors=(
        ("capacity_rules.hard_limit", "used in views"),
        ("capacity_rules.hard_limit", "used under quotas"),
        ("capacity_rules.hard_limit_inodes", "inodes under quotas"),
    ),
    system_owned=((("name",), "default"),),  # every cluster has it, and it cannot be deleted
)
