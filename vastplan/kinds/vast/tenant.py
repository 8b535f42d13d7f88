"""Tenant: an isolated domain of a VAST cluster, with its own hierarchy, client ranges, capacity and QoS limits."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from vastplan.kinds.vast._common import NO_LIMIT, NOTHING, OFF, RANGE, SECONDS, collection, refuse_soft_above_hard
from vastplan.kinds.vast.snapshot import snapshots
from vastplan.model import units
from vastplan.model.plan import Stage
from vastplan.schema.dependents import Contents, Dependents, HeldData, Linked, RefusesDelete, built_in
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute, Measure, States, Witness
from vastplan.schema.markers import (
    ATOMIC,
    IDENTITY,
    IMMUTABLE,
    PROSE,
    SET,
    TIGHTER,
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
from vastplan.schema.shapes.set import IP_RANGES
from vastplan.schema.types import (
    HOST_NAME,
    MISSING,
    Bandwidth,
    Bytes,
    Count,
    IpRange,
    IpSource,
    ReferenceName,
    Span,
    Spec,
    Text,
    VendorName,
)

# Plans show 0 as what it is, no limit: 200 TiB → 0 B would be a smaller one.
_NONE_FOR_ZERO = AfterValidator(lambda limit: limit or None)
_Limit = Annotated[Bytes, _NONE_FOR_ZERO]
_InodeLimit = Annotated[Count, _NONE_FOR_ZERO]
_Few = Annotated[Count, Field(le=2**32)]
_SOURCES = Admits(open_when_empty=True)
# States of its encryption group. Whoever revokes the keys cuts everybody off from the data of the tenant.
_ENCRYPTED = frozenset({None, "", "INIT", "ACTIVE", "UNKNOWN", "EKM_REVOKE_FAILED"})
_REVOKED = frozenset(
    {
        "REVOKE_IN_PROGRESS", "REVOKE_UPDATING_AGENTS", "REVOKED", "EKM_REVOKE_IN_PROGRESS", "EKM_REVOKE_UPDATING_AGENTS",
        "EKM_REVOKED", "EKM_REVOKING_KEYS",
    }
)  # fmt: skip
_NO_RANGES = ServerDefault([], WITNESS)


class CapacityRules(Spec):
    """Limits on what the whole tenant may hold, in bytes and inodes; 0 or null is no limit."""

    hard_limit: Annotated[_Limit | None | MISSING, Clears(None, also=(0,)), NOTHING, TIGHTER] = MISSING
    """Most bytes that the tenant may hold; 0 or null is no limit."""
    soft_limit: Annotated[_Limit | None | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    """Bytes beyond which the tenant may stay only for grace_period; 0 or null is no limit."""
    hard_limit_inodes: Annotated[_InodeLimit | None | MISSING, Clears(None, also=(0,)), NOTHING, TIGHTER] = MISSING
    """Most files and directories that the tenant may hold; 0 or null is no limit."""
    soft_limit_inodes: Annotated[_InodeLimit | None | MISSING, Clears(None, also=(0,)), NOTHING] = MISSING
    """Number of files and directories beyond which the tenant may stay only for grace_period; 0 or null is no limit."""
    grace_period: Annotated[Span | None | MISSING, SECONDS, Unit(units.SECONDS), NOTHING] = MISSING
    """Time for which the tenant may exceed a soft limit before the limit is enforced."""
    notify_hard_limit: Annotated[bool | MISSING, OFF] = MISSING
    """Whether VMS sends a notice when the tenant reaches a hard limit."""
    notify_soft_limit: Annotated[bool | MISSING, OFF] = MISSING
    """Whether VMS sends a notice when the tenant reaches a soft limit."""

    @model_validator(mode="after")
    def _soft_below_hard(self) -> "CapacityRules":
        refuse_soft_above_hard(self)
        return self


class TenantStaticLimits(Spec):
    """Highest values and bursts of a tenant; 0 is no limit. A tenant has no guaranteed minimum, in VMS 5.3 as in 5.5: its views
    have one each, by `min_*` in `qos` or in a QoS policy that they name, where the cluster keeps minimums."""

    max_reads_bw_mbps: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained read bandwidth, in MB/s; 0 or null is no limit."""
    max_writes_bw_mbps: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained write bandwidth, in MB/s; 0 or null is no limit."""
    max_reads_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained number of reads, in IOPS; 0 or null is no limit."""
    max_writes_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained number of writes, in IOPS; 0 or null is no limit."""
    burst_reads_bw_mb: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Highest read bandwidth while burst credit lasts, in MB/s, above max_reads_bw_mbps; 0 or null is no burst."""
    burst_writes_bw_mb: Annotated[Bandwidth | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Highest write bandwidth while burst credit lasts, in MB/s, above max_writes_bw_mbps; 0 or null is no burst."""
    burst_reads_loan_mb: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Burst credit for reads, in MB: the most that may be moved above max_reads_bw_mbps before the limit holds
    again."""
    burst_writes_loan_mb: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Burst credit for writes, in MB: the most that may be moved above max_writes_bw_mbps before the limit holds
    again."""
    burst_reads_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Highest number of reads while burst credit lasts, in IOPS, above max_reads_iops; 0 or null is no burst."""
    burst_writes_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Highest number of writes while burst credit lasts, in IOPS, above max_writes_iops; 0 or null is no burst."""
    burst_reads_loan_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Burst credit for reads, in I/O operations: the most that may be done above max_reads_iops before the limit holds
    again."""
    burst_writes_loan_iops: Annotated[Count | None | MISSING, Clears(0), NO_LIMIT] = MISSING
    """Burst credit for writes, in I/O operations: the most that may be done above max_writes_iops before the limit
    holds again."""

    @model_validator(mode="before")
    @classmethod
    def _no_minimum(cls, values: Any) -> Any:
        minimums = [name for name in values if str(name).startswith("min_")] if isinstance(values, dict) else []
        if minimums:
            raise ValueError(
                f"VAST guarantees no {minimums[0]} to a tenant, only to its views: write qos: {{static_limits: {{{minimums[0]}: ...}}}} in "
                "each of its volumes, buckets or views, or in a QoS policy that they name"
            )
        return values


class TenantQos(Spec):
    """QoS limits of the tenant itself, which are not a QoS policy."""

    static_limits: Annotated[TenantStaticLimits | MISSING, ATOMIC] = MISSING
    """Sustained limits and bursts of reads and writes, in MB/s and IOPS. There is no guaranteed minimum of a tenant: min_*
    is for views, in their `qos` or a QoS policy."""


class Tenant(Spec):
    """A VAST tenant: a separate part of the cluster with its own directories, clients, users and limits. Other
    entries may be written inside it."""

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    """Name of the tenant on the cluster; the entry's key when left out."""
    domain_name: Annotated[Text | MISSING, HOST_NAME, ServerDefault(SameAs("name"), WITNESS)] = MISSING
    """Name of the tenant in the address of its log-in page of VMS."""
    client_ip_ranges: Annotated[list[Annotated[IpRange, RANGE]] | None | MISSING,
                                SET, IP_RANGES, Clears([]), _SOURCES, Exclusive(), _NO_RANGES] = MISSING  # fmt: skip
    """Client addresses that the tenant serves through VIP pools of all tenants. Tenants must not share addresses."""
    access_ip_ranges: Annotated[list[IpSource] | None | MISSING, SET, IP_RANGES, Clears([]), _SOURCES, _NO_RANGES] = (
        MISSING
    )
    """Source addresses that may log in to the tenant's VMS, as addresses, ranges or CIDRs; an empty list allows all."""
    capacity_rules: Annotated[CapacityRules | MISSING, ATOMIC] = MISSING
    """Limits on the bytes and inodes of the whole tenant."""
    qos: Annotated[TenantQos | MISSING, ATOMIC] = MISSING
    """Highest bandwidth and IOPS of the tenant itself, without a QoS policy. VAST guarantees a minimum (min_*) to views
    only, and not to a tenant."""
    max_views: Annotated[_Few | None | MISSING, Clears(0), Since("vms", "5.5"), ServerDefault(0, PROSE)] = MISSING
    """Most views that the tenant may have; 0 or null is no limit."""
    encryption_group: Annotated[Text | MISSING, IMMUTABLE] = MISSING
    """Identifier of the encryption group that the tenant's data belongs to; tenants may share one. A cluster with an
    external key manager needs it."""
    local_provider: Annotated[
        ReferenceName | MISSING,
        Refers("local_provider"),
        Wire("local_provider_id"),
        Opens(at_create=False),
        Revokes("the tenant loses the users and groups of the former provider and gets those of the other one"),
        ServerDefault(AsWitness(), WITNESS),
    ] = MISSING
    """Local provider that keeps the tenant's users and groups, and those that are written inside the tenant. With
    another one, the former users and groups lose their access to the tenant."""
    trash_gid: Annotated[_Few | None | MISSING, Opens(shut=(None,)), NOTHING] = MISSING
    """GID of the group whose NFSv3 users may move files to the trash folder; with null only root may."""


KIND = Kind(
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
    held=HeldData(
        ("used in views", "used under quotas", "inodes under quotas"),
        part="VMS reports no use of a tenant as a whole, and 0 B in its views and quotas",
    ),
    users=(Linked("view", (("id", "tenant"),)), Linked("s3_key", (("id", "tenant"),))),
    states=States(("encryption_group_state",), _ENCRYPTED, failed=_REVOKED, awaited=False),
    unique=(("domain_name",),),
    dependents=(
        snapshots(("id", "tenant")),
        Dependents("protection_policy", "protection policies of it", (("id", "tenant_id"),), by="tenant_id"),
    ),
    # the row of a tenant does not show its usage: what is known inside it is a lower bound
    contents=(
        Contents("used in views", "view", "used", ("id", "tenant"), "path", units.BYTES),
        Contents("used under quotas", "quota", "used", ("id", "tenant"), "path", units.BYTES),
        Contents("inodes under quotas", "quota", "used_inodes", ("id", "tenant"), "path"),
    ),
    refuses_delete=(
        built_in("VAST"),
        *(
            RefusesDelete(
                figure, "VAST deletes no tenant whose directory has files in it", "delete the files, then plan again"
            )
            for figure in ("used in views", "used under quotas", "inodes under quotas")
        ),
        RefusesDelete(
            "snapshots", "VAST deletes no tenant that has snapshots", "delete the snapshots first, then plan again"
        ),
    ),
    floors=(
        ("capacity_rules.hard_limit", "used in views"),
        ("capacity_rules.hard_limit", "used under quotas"),
        ("capacity_rules.hard_limit_inodes", "inodes under quotas"),
    ),
    witness=Witness(("name",), "default"),
    system_owned=((("name",), "default"),),  # every cluster has it, and it cannot be deleted
)
