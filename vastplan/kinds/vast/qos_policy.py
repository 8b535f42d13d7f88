"""QoS policy: bandwidth and IOPS limits of views, users and block volumes."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from vastplan.kinds.vast._common import NO_LIMIT, OFF, collection
from vastplan.kinds.vast._subjects import (
    LIMITED,
    USER_TYPES,
    Id,
    Sid,
    SubjectName,
    distinct,
    identifier,
    in_order,
    refuse_other_than_one,
    subject_of,
)
from vastplan.model.plan import Stage
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.markers import (
    EXPLICIT_NULL,
    IDENTITY,
    IMMUTABLE,
    TIGHTER,
    WITNESS,
    Clears,
    Refers,
    ServerDefault,
    Since,
    Typed,
    Wire,
)
from vastplan.schema.types import HOST_NAME, MISSING, Bandwidth, Count, Existing, ReferenceName, Spec, Text, VendorName

_Iops = Annotated[Count, Field(le=2**32)]
_Limit = Clears(0)  # VMS: 0 is unlimited, and an unset limit reads as 0


class StaticLimits(Spec):
    """Fixed limits. `max_*` hold always, `min_*` under contention (mode STATIC only); `*_mbps` are MB/s."""

    min_reads_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Least read bandwidth under contention, in MB/s; 0 or null is none. It needs mode STATIC."""
    max_reads_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained read bandwidth, in MB/s; 0 or null is no limit."""
    min_writes_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Least write bandwidth under contention, in MB/s; 0 or null is none. It needs mode STATIC."""
    max_writes_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained write bandwidth, in MB/s; 0 or null is no limit."""
    min_reads_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Least number of reads under contention, in IOPS; 0 or null is none. It needs mode STATIC."""
    max_reads_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained number of reads, in IOPS; 0 or null is no limit."""
    min_writes_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Least number of writes under contention, in IOPS; 0 or null is none. It needs mode STATIC."""
    max_writes_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained number of writes, in IOPS; 0 or null is no limit."""
    burst_reads_bw_mb: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Highest read bandwidth while burst credit lasts, in MB/s, above max_reads_bw_mbps; 0 or null is no burst."""
    burst_reads_loan_mb: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Burst credit for reads, in MB: the most that may be moved above max_reads_bw_mbps before the limit holds
    again."""
    burst_writes_bw_mb: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Highest write bandwidth while burst credit lasts, in MB/s, above max_writes_bw_mbps; 0 or null is no burst."""
    burst_writes_loan_mb: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Burst credit for writes, in MB: the most that may be moved above max_writes_bw_mbps before the limit holds
    again."""
    burst_reads_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Highest number of reads while burst credit lasts, in IOPS, above max_reads_iops; 0 or null is no burst."""
    burst_reads_loan_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Burst credit for reads, in I/O operations: the most that may be done above max_reads_iops before the limit holds
    again."""
    burst_writes_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Highest number of writes while burst credit lasts, in IOPS, above max_writes_iops; 0 or null is no burst."""
    burst_writes_loan_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Burst credit for writes, in I/O operations: the most that may be done above max_writes_iops before the limit
    holds again."""

    @model_validator(mode="after")
    def _in_order(self) -> "StaticLimits":
        for direction in ("reads", "writes"):
            for unit, burst in (("bw_mbps", "bw_mb"), ("iops", "iops")):
                floor = getattr(self, f"min_{direction}_{unit}")
                ceiling = getattr(self, f"max_{direction}_{unit}")
                peak = getattr(self, f"burst_{direction}_{burst}")
                if isinstance(floor, int) and isinstance(ceiling, int) and 0 < ceiling < floor:
                    raise ValueError(f"min_{direction}_{unit} is above max_{direction}_{unit}")
                if isinstance(peak, int) and isinstance(ceiling, int) and 0 < peak <= ceiling:
                    raise ValueError(f"burst_{direction}_{burst} must exceed max_{direction}_{unit}")
        return self


class StaticTotalLimits(Spec):
    """Fixed limits on reads and writes together, in force with `use_total_limits`."""

    min_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Least bandwidth under contention, reads and writes together, in MB/s; 0 or null is none."""
    max_bw_mbps: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained bandwidth, reads and writes together, in MB/s; 0 or null is no limit."""
    min_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Least number of reads and writes under contention, in IOPS; 0 or null is none."""
    max_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest sustained number of reads and writes, in IOPS; 0 or null is no limit."""
    burst_bw_mb: Annotated[Bandwidth | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Highest bandwidth while burst credit lasts, in MB/s, above max_bw_mbps; 0 or null is no burst."""
    burst_loan_mb: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Burst credit in MB: the most that may be moved above max_bw_mbps before the limit holds again."""
    burst_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Highest number of reads and writes while burst credit lasts, in IOPS, above max_iops; 0 or null is no burst."""
    burst_loan_iops: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT] = MISSING
    """Burst credit in I/O operations: the most that may be done above max_iops before the limit holds again."""


class CapacityLimits(Spec):
    """Limits per GB of used or provisioned capacity."""

    max_reads_bw_mbps_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest read bandwidth for each GB of capacity, in MB/s; 0 or null is no limit."""
    max_writes_bw_mbps_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest write bandwidth for each GB of capacity, in MB/s; 0 or null is no limit."""
    max_reads_iops_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest number of reads for each GB of capacity, in IOPS; 0 or null is no limit."""
    max_writes_iops_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest number of writes for each GB of capacity, in IOPS; 0 or null is no limit."""


class CapacityTotalLimits(Spec):
    """Limits per GB of used or provisioned capacity on reads and writes together."""

    max_bw_mbps_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest bandwidth for each GB of capacity, reads and writes together, in MB/s; 0 or null is no limit."""
    max_iops_per_gb_capacity: Annotated[_Iops | None | MISSING, _Limit, NO_LIMIT, TIGHTER] = MISSING
    """Highest number of reads and writes for each GB of capacity, in IOPS; 0 or null is no limit."""


class AttachedUser(Spec):
    """A user that a USER policy limits: one of the document (`alice`, short for `{user: alice}`), one of a directory as
    `{existing: carol}`, or any user by uid or SID.

    VMS shows `name` and `fqdn` for the user. Without them it shows the user as written here, without a domain.
    """

    user: SubjectName | Existing | MISSING = MISSING
    """User of this document, by name; one of a directory as {existing: NAME}."""
    uid: Id | MISSING = MISSING
    """UID of the user, where user is not written."""
    sid: Sid | MISSING = MISSING
    """SID of the user, where user is not written."""
    name: Text | MISSING = MISSING
    """Name that VMS shows for the user; the user as written here when left out."""
    fqdn: Annotated[Text | MISSING, HOST_NAME] = MISSING
    """Domain (FQDN) of the user that VMS shows; none when left out."""

    @model_validator(mode="before")
    @classmethod
    def _as_vms_writes_it(cls, values: Any) -> Any:
        if isinstance(values, str):
            return {"user": values}
        if not isinstance(values, dict):
            return values
        if values.keys() == {"existing"}:
            return {"user": values}
        fields = {name: value for name, value in values.items() if name not in ("identifier_type", "identifier_value")}
        if len(fields) < len(values):
            if values.get("identifier_type") not in USER_TYPES.values() or "identifier_value" not in values:
                raise ValueError(
                    f"identifier_type is one of {', '.join(USER_TYPES.values())}, and comes with identifier_value"
                )
            fields |= subject_of(values["identifier_type"], values["identifier_value"])
        identifiers = (fields.get(each) for each in USER_TYPES)
        called = {str(each.get("existing") if isinstance(each, dict) else each) for each in identifiers}
        same_name = "name" in fields and str(fields["name"]) in called
        implied = {"name": same_name, "fqdn": fields.get("fqdn") == ""}
        if values.get("identifier_type") == USER_TYPES["user"]:
            fields["user"] = {"existing": fields["user"]}  # a user of VMS, who need not be in the document
        return {name: value for name, value in fields.items() if not implied.get(name)}

    @model_validator(mode="after")
    def _somebody(self) -> "AttachedUser":
        refuse_other_than_one(self, USER_TYPES)
        return self


def _just_the_name(item: Any) -> Any:
    return item["user"] if isinstance(item, dict) and item.keys() == {"user"} else item


_Attached = Annotated[
    AttachedUser,
    BeforeValidator(lambda value: value, json_schema_input_type=SubjectName | Existing | AttachedUser),
    Typed(_just_the_name),
]


class QosLimits(Spec):
    """What a QoS policy limits; a view may also write it inline."""

    mode: Annotated[
        Literal["STATIC", "USED_CAPACITY", "PROVISIONED_CAPACITY"] | MISSING, ServerDefault("STATIC", WITNESS)
    ] = MISSING
    """Basis of the limits: fixed values alone (STATIC), or also the capacity used in the view's directory, or
    provisioned for it by its quota."""
    limit_by: Annotated[Literal["BW", "IOPS", "BW_IOPS"] | MISSING, ServerDefault("BW_IOPS", WITNESS)] = MISSING
    """Whether bandwidth (BW), IOPS or both are limited; limits of the other kind have no effect."""
    is_gold: Annotated[bool | MISSING, OFF] = MISSING
    """Whether views with the policy have priority over views whose policy is not gold."""
    use_total_limits: Annotated[bool | MISSING, OFF] = MISSING
    """Whether the total limits, on reads and writes together, hold instead of the separate ones."""
    s3_connections_limit: Annotated[Count | None | MISSING, _Limit, ServerDefault(0, WITNESS)] = MISSING
    """Most S3 connections that may be open; 0 or null is no limit."""
    static_limits: StaticLimits | MISSING = MISSING
    """Fixed limits on reads and on writes, in MB/s and IOPS."""
    static_total_limits: StaticTotalLimits | MISSING = MISSING
    """Fixed limits on reads and writes together; they hold with use_total_limits."""
    capacity_limits: CapacityLimits | MISSING = MISSING
    """Limits on reads and on writes for each GB of capacity; mode says which capacity."""
    capacity_total_limits: CapacityTotalLimits | MISSING = MISSING
    """Limits on reads and writes together for each GB of capacity; they hold with use_total_limits."""

    @model_validator(mode="after")
    def _floors_are_static(self) -> "QosLimits":
        if self.static_limits is not MISSING and self.mode in ("USED_CAPACITY", "PROVISIONED_CAPACITY"):
            floors = [name for name in StaticLimits.model_fields if name.startswith("min_")]
            if any(getattr(self.static_limits, name) not in (MISSING, None, 0) for name in floors):
                raise ValueError("min_* limits need mode STATIC")
        return self


class QosPolicy(QosLimits):
    """A QoS policy: bandwidth and IOPS limits of views, users or block volumes. Views name it in `qos_policy`; users of
    USER policies are listed here."""

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    """Name of the policy in VMS; the entry's key when left out."""
    tenant: Annotated[ReferenceName | None, Refers("tenant"), Wire("tenant_id"), IMMUTABLE, EXPLICIT_NULL]
    """Tenant that the policy belongs to, whose users a USER policy may list; null is no tenant."""
    policy_type: Annotated[Literal["VIEW", "USER", "VOLUME"], IMMUTABLE, Since("vms", "5.5", values=("VOLUME",))] = (
        "VIEW"
    )
    """Objects that the policy limits: views, users or block volumes."""
    is_default: Annotated[bool | MISSING, OFF] = MISSING
    """Whether the USER policy is the default one of the tenant. Without a default one, users without a policy are
    not limited. Setting it empties attached_users."""
    attached_users: Annotated[
        Annotated[list[_Attached], AfterValidator(distinct)] | None | MISSING,
        Clears([]),
        LIMITED,
        ServerDefault([], WITNESS),
    ] = MISSING
    """Users whom the USER policy limits; a user who is left out is detached. A user has one policy per tenant."""

    @model_validator(mode="after")
    def _consistent(self) -> "QosPolicy":
        if self.policy_type == "USER" and (self.mode is not MISSING or self.use_total_limits is not MISSING):
            raise ValueError("a USER policy has no mode and no total limits")
        if self.policy_type != "USER" and self.attached_users is not MISSING:
            raise ValueError("only a USER policy has attached_users")
        if self.policy_type != "USER" and self.is_default is True:
            raise ValueError("only a USER policy can be the default one (is_default)")
        if self.policy_type == "VOLUME" and self.is_gold is True:
            raise ValueError("a VOLUME policy has no priority (is_gold)")
        return self


def _with_mode(body: Row, values: Values) -> Row:
    """VMS requires a mode for every new policy except a USER one, and a name and a domain for each attached user."""
    if "policy_type" in body and values["policy_type"] != "USER":
        body.setdefault("mode", "STATIC")
    users = []
    for attached in body.get("attached_users", ()):
        user = dict(attached)
        kind_of, value = identifier(user, USER_TYPES)
        users.append({"name": value, "fqdn": "", **user, "identifier_type": kind_of, "identifier_value": value})
    return {**body, "attached_users": users} if "attached_users" in body else body


def _attached(values: Values, row: Row) -> Values:
    """The attached users in the document's form, without a name equal to the identifier and without an empty domain."""
    raw = row.get("attached_users")
    if isinstance(raw, list) and all(isinstance(user, dict) for user in raw):
        users = [
            {
                **subject_of(user.get("identifier_type"), user.get("identifier_value")),
                **({"name": user["name"]} if user.get("name") not in (None, "", user.get("identifier_value")) else {}),
                **({"fqdn": user["fqdn"]} if user.get("fqdn") else {}),
            }
            for user in raw
        ]
        values["attached_users"] = in_order(users)
    return values


KIND = Kind(
    QosPolicy,
    name="qos_policy",
    system="vast",
    section="qos_policies",
    stage=Stage.POLICY,
    endpoint=collection("qospolicies"),
    finish_encode=_with_mode,
    finish_decode=_attached,
)
