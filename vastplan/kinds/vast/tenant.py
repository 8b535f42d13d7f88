"""Tenant: an isolated domain of a VAST cluster, with its own hierarchy, client ranges, capacity and QoS limits."""

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds.vast._common import NO_LIMIT, NOTHING, OFF, RANGE, SECONDS, collection
from vastplan.kinds.vast.snapshot import snapshots
from vastplan.model import units
from vastplan.model.plan import Stage
from vastplan.schema.compile import kind
from vastplan.schema.kind import Attribute, Contents, Measure, Witness
from vastplan.schema.markers import (
    ATOMIC,
    IDENTITY,
    IMMUTABLE,
    PROSE,
    SET,
    WITNESS,
    Admits,
    AsWitness,
    Clears,
    Exclusive,
    Opens,
    Refers,
    Revokes,
    SameAs,
    ServerDefault,
    Since,
    Unit,
    Wire,
)
from vastplan.schema.types import MISSING, Bandwidth, Bytes, Count, IpRange, ReferenceName, Span, Spec, Text, VendorName

_SOURCES = Admits(open_when_empty=True)
_NO_RANGES = ServerDefault([], WITNESS)


class CapacityRules(Spec):
    """What the whole tenant may hold. VMS counts bytes and inodes; 0 or null is no limit."""

    hard_limit: Annotated[Bytes | None | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    soft_limit: Annotated[Bytes | None | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    hard_limit_inodes: Annotated[Count | None | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    soft_limit_inodes: Annotated[Count | None | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    grace_period: Annotated[Span | None | MISSING, SECONDS, Unit(units.SECONDS), NOTHING] = MISSING
    notify_hard_limit: Annotated[bool | MISSING, OFF] = MISSING
    notify_soft_limit: Annotated[bool | MISSING, OFF] = MISSING

    @model_validator(mode="after")
    def _soft_below_hard(self) -> "CapacityRules":
        for soft, hard in ((self.soft_limit, self.hard_limit), (self.soft_limit_inodes, self.hard_limit_inodes)):
            if isinstance(soft, int) and isinstance(hard, int) and 0 < hard < soft:
                raise ValueError("the soft limit is above the hard limit; lower the one or raise the other")
        return self


class TenantStaticLimits(Spec):
    """Ceilings and bursts of a tenant; VMS has no floors here (they exist on QoS policies only). 0 is unlimited."""

    max_reads_bw_mbps: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    max_writes_bw_mbps: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    max_reads_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    max_writes_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_reads_bw_mb: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_writes_bw_mb: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_reads_loan_mb: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_writes_loan_mb: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_reads_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_writes_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_reads_loan_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    burst_writes_loan_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING


class TenantQos(Spec):
    """The tenant's own QoS; not a policy object."""

    static_limits: Annotated[TenantStaticLimits | MISSING, ATOMIC] = MISSING


class Tenant(Spec):
    """A VAST tenant. Other entries may stand inside it."""

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    domain_name: Annotated[Text | MISSING, ServerDefault(SameAs("name"), WITNESS)] = MISSING
    client_ip_ranges: Annotated[list[Annotated[IpRange, RANGE]] | None | MISSING,
                                SET, Clears([]), _SOURCES, Exclusive(), _NO_RANGES] = MISSING  # fmt: skip
    access_ip_ranges: Annotated[list[Text] | None | MISSING, SET, Clears([]), _SOURCES, _NO_RANGES] = MISSING
    capacity_rules: Annotated[CapacityRules | MISSING, ATOMIC] = MISSING
    qos: Annotated[TenantQos | MISSING, ATOMIC] = MISSING
    max_views: Annotated[Count | None | MISSING, Clears(0), Since("vms", "5.5"), ServerDefault(0, PROSE)] = MISSING
    encryption_group: Annotated[Text | MISSING, IMMUTABLE] = MISSING
    local_provider: Annotated[
        ReferenceName | MISSING,
        Refers("local_provider"),
        Wire("local_provider_id"),
        Opens(made=False),
        Revokes("its users and groups are nobody here any more, and those of the other provider are"),
        ServerDefault(AsWitness(), WITNESS),
    ] = MISSING
    """Where its users and groups are kept; users and groups inside the tenant go there."""
    trash_gid: Annotated[Count | None | MISSING, Opens(shut=(None,)), NOTHING] = MISSING


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
    witness=Witness(("name",), "default"),
    system_owned=((("name",), "default"),),  # every cluster has it, and it cannot be deleted
)
