"""Quota: the limits on what a directory may hold."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from vastplan.kinds.vast._common import (
    CLOCK,
    CSI_CREATED,
    INTERNAL,
    NOTHING,
    OFF,
    Directory,
    Mode,
    refuse_soft_above_hard,
    views_below,
)
from vastplan.kinds.vast._subjects import (
    GROUP_TYPES,
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
from vastplan.model import units
from vastplan.schema.dependents import HeldData, Linked
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Metric, States
from vastplan.schema.markers import (
    CREATE_ONLY,
    IDENTITY,
    IMMUTABLE,
    NAMED,
    ONE_WAY,
    PROSE,
    TIGHTER,
    WITNESS,
    WRITE_ONLY,
    Clears,
    Opens,
    Refers,
    ServerDefault,
    Shorthand,
    Since,
    Wire,
)
from vastplan.schema.types import EMAIL, MISSING, Bytes, Count, ReferenceName, Span, Spec, Text, VendorName

_Bytes = Annotated[Bytes, Field(gt=0)]
_Inodes = Annotated[Count, Field(gt=0)]
_Limit = Clears(0)  # 0 and null both mean none; VMS returns either


class QuotaLimits(Spec):
    """The limits of a quota; null is none. `grace_period` is how long a soft limit may be exceeded."""

    hard_limit: Annotated[_Bytes | None | MISSING, _Limit, NOTHING, TIGHTER] = MISSING
    """Most bytes that may be held; writes beyond it fail. null is no limit."""
    soft_limit: Annotated[_Bytes | None | MISSING, _Limit, NOTHING] = MISSING
    """Bytes beyond which warnings are issued, and writes fail once grace_period is over; null is no limit."""
    hard_limit_inodes: Annotated[_Inodes | None | MISSING, _Limit, NOTHING, TIGHTER] = MISSING
    """Most files and directories that may be held; writes beyond it fail. null is no limit."""
    soft_limit_inodes: Annotated[_Inodes | None | MISSING, _Limit, NOTHING] = MISSING
    """Number of files and directories beyond which warnings are issued, and writes fail once grace_period is over; null
    is no limit."""
    grace_period: Annotated[Span | None | MISSING, CLOCK, NOTHING] = MISSING
    """Time for which a soft limit may be exceeded before writes fail."""

    @model_validator(mode="after")
    def _soft_below_hard(self) -> "QuotaLimits":
        refuse_soft_above_hard(self)
        return self


class UserQuota(QuotaLimits):
    """Limits of one user below the directory: by name, uid or SID, of any provider of the tenant."""

    user: SubjectName | MISSING = MISSING
    """Name of the user, who may be of any provider of the tenant."""
    uid: Id | MISSING = MISSING
    """UID of the user, where user is not written."""
    sid: Sid | MISSING = MISSING
    """SID of the user, where user is not written."""

    @model_validator(mode="after")
    def _somebody(self) -> "UserQuota":
        refuse_other_than_one(self, USER_TYPES)
        return self


class GroupQuota(QuotaLimits):
    """Limits of the members of one group together below the directory: by name, gid or SID."""

    group: SubjectName | MISSING = MISSING
    """Name of the group, which may be of any provider of the tenant."""
    gid: Id | MISSING = MISSING
    """GID of the group, where group is not written."""
    sid: Sid | MISSING = MISSING
    """SID of the group, where group is not written."""

    @model_validator(mode="after")
    def _somebody(self) -> "GroupQuota":
        refuse_other_than_one(self, GROUP_TYPES)
        return self


# A quota that is exceeded does what it is for.
_AT_WORK = frozenset(
    {
        None, "OK", "SOFT_EXCEEDED", "INODE_SOFT_EXCEEDED", "SOFT_BOTH_EXCEEDED", "HARD_EXCEEDED", "INODE_HARD_EXCEEDED",
        "HARD_BOTH_EXCEEDED", "GRACE_EXPIRED",
    }
)  # fmt: skip
_RULES = ("user_quotas", "group_quotas")
BY_USER = (*_RULES, "default_user_quota", "default_group_quota")
OF_USERS = (*BY_USER, "is_user_quota")  # a limit is reported before the is_user_quota that it implies


def _implied(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """`is_user_quota` need not be written where limits of users or groups imply it."""
    return {} if values.get("is_user_quota") is True and any(values.get(name) for name in BY_USER) else None


IsUserQuota = Annotated[bool | MISSING, ONE_WAY, OFF, Shorthand(_implied)]
UserQuotas = Annotated[
    Annotated[list[UserQuota], AfterValidator(distinct)] | None | MISSING,
    Clears([]),
    LIMITED,
    ServerDefault([], WITNESS),
]
GroupQuotas = Annotated[
    Annotated[list[GroupQuota], AfterValidator(distinct)] | None | MISSING,
    Clears([]),
    LIMITED,
    ServerDefault([], WITNESS),
]


class LimitsUsers(Spec):
    """Limits of users, besides those of the directory: one of the fields in `BY_USER` switches them on."""

    @model_validator(mode="before")
    @classmethod
    def _switched_on(cls, values: Any) -> Any:
        if isinstance(values, dict) and "is_user_quota" not in values and any(values.get(name) for name in BY_USER):
            return {**values, "is_user_quota": True}
        return values

    @model_validator(mode="after")
    def _on_with_rules(self) -> "LimitsUsers":
        for name in BY_USER if getattr(self, "is_user_quota", MISSING) is False else ():
            if getattr(self, name) not in (MISSING, None, []):
                raise ValueError(f"{name} needs is_user_quota: true")
        return self


class QuotaOptions(Spec):
    """What a quota counts, and who is told of users and groups over their limits."""

    is_physical_quota: Annotated[
        bool | MISSING, IMMUTABLE, WRITE_ONLY, Since("vms", "5.5"), ServerDefault(False, PROSE)
    ] = MISSING
    """Whether physical capacity is counted against the limits, instead of logical capacity."""
    default_email: Annotated[Text | None | MISSING, EMAIL, Clears("")] = MISSING
    """E-mail address for notices to users over their limits for whom no address is found; null is none."""
    # VMS 5.3 has this in its schema, 5.5 says nothing.
    enable_alarms: Annotated[bool | MISSING, ServerDefault(True, WITNESS)] = MISSING
    """Whether alarms say how many users exceed their limits and who is blocked. It needs limits of users."""
    enable_email_providers: Annotated[bool | MISSING, OFF] = MISSING
    """Whether VMS asks Active Directory and LDAP for the e-mail addresses of users over their limits."""


class SoftLimits(Spec):
    """Limits that may be exceeded for a time."""

    soft_limit: Annotated[_Bytes | None | MISSING, _Limit, NOTHING] = MISSING
    """Bytes beyond which warnings are issued, and writes fail once grace_period is over; null is no limit."""
    soft_limit_inodes: Annotated[_Inodes | None | MISSING, _Limit, NOTHING] = MISSING
    """Number of files and directories beyond which warnings are issued, and writes fail once grace_period is over; null
    is no limit."""
    grace_period: Annotated[Span | None | MISSING, CLOCK, NOTHING] = MISSING
    """Time for which a soft limit may be exceeded before writes fail."""


class SizedQuota(QuotaOptions, SoftLimits):
    """The quota of a directory besides its hard limits, which are the `size` and the `max_inodes` of the entry."""

    @model_validator(mode="before")
    @classmethod
    def _hard_limits_are_of_the_entry(cls, values: Any) -> Any:
        for name, field in (("hard_limit", "size"), ("hard_limit_inodes", "max_inodes")):
            if isinstance(values, dict) and name in values:
                raise ValueError(f"{name} is written as {field}, beside quota")
        return values


OF_A_SIZE = frozenset({"hard_limit", "hard_limit_inodes", *OF_USERS, *SizedQuota.model_fields})
"""The fields of a quota that an entry with a size can express."""


def quota_of_size(values: Mapping[str, Any]) -> dict[str, Any]:
    """The quota of an entry with a size: a volume or a bucket."""
    return {
        "hard_limit": values["size"],
        **({"hard_limit_inodes": values["max_inodes"]} if "max_inodes" in values else {}),
        **values.get("quota", {}),
        **{name: values[name] for name in OF_USERS if name in values},
    }


def size_of_quota(quota: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an entry with a size that has this quota."""
    beside = {name: quota[name] for name in SizedQuota.model_fields if name in quota}
    return {
        "size": quota["hard_limit"],
        **({"max_inodes": quota["hard_limit_inodes"]} if "hard_limit_inodes" in quota else {}),
        **{name: quota[name] for name in OF_USERS if name in quota},
        **({"quota": beside} if beside else {}),
    }


def refuse_soft_above_size(entry: Any) -> None:
    """Raises `ValueError` for an entry whose quota has a soft limit above its size or its number of inodes."""
    if isinstance(entry.quota, SizedQuota):
        refuse_soft_above_hard(entry.quota, entry, "size", "max_inodes")


class QuotaRules(QuotaOptions, LimitsUsers, QuotaLimits):
    """The limits of a directory, and of users and groups below it; a quota that is written inside a view has these.

    `user_quotas` and `group_quotas` are the complete lists: who is left out has the default, if there is one. Once
    on, limits of users cannot be switched off. The e-mail of a rule is not managed: VMS may show another one than
    was sent.
    """

    is_user_quota: IsUserQuota = MISSING
    """Whether users and groups have limits below the directory; limits of users or groups imply it. Once on, it
    cannot be switched off."""
    default_user_quota: QuotaLimits | MISSING = MISSING
    """Limits of each user below the directory whom user_quotas does not list."""
    default_group_quota: QuotaLimits | MISSING = MISSING
    """Limits of each group below the directory that group_quotas does not list."""
    user_quotas: UserQuotas = MISSING
    """Limits of single users below the directory, instead of the default; a user who is left out has the default."""
    group_quotas: GroupQuotas = MISSING
    """Limits of single groups below the directory, instead of the default; a group that is left out has the default."""


class Quota(QuotaRules):
    """A quota of a directory: one per path and tenant. Deleting it lifts the limit and keeps the data.

    VMS never shows `is_physical_quota`, so it is compared with what was last applied.
    """

    name: Annotated[VendorName | MISSING, NAMED] = MISSING
    """Name of the quota in VMS; the entry's key when left out."""
    path: Annotated[Directory, IDENTITY, IMMUTABLE]
    """Directory that the quota limits, as an absolute path inside the tenant."""
    tenant: Annotated[ReferenceName, Refers("tenant"), Wire("tenant_id"), IDENTITY, IMMUTABLE]
    """Tenant that the directory belongs to."""
    create_dir: Annotated[bool, CREATE_ONLY] = True
    """Whether the directory is created with the quota where it does not exist."""
    create_dir_mode: Annotated[Mode | MISSING, CREATE_ONLY, Opens()] = MISSING
    """Permission bits of the directory that the quota creates, as octal digits, such as 755."""


def _flat(body: Row, values: Values) -> Row:
    """VMS takes each rule as a flat object with an identifier, its type, and a name to show, for which the identifier is sent."""
    for name, types in (("user_quotas", USER_TYPES), ("group_quotas", GROUP_TYPES)):
        rules = []
        for rule in body.get(name, ()):
            limits = dict(rule)
            kind_of, value = identifier(limits, types)
            is_group = name == "group_quotas"
            identified = {"name": value, "identifier": value, "identifier_type": kind_of, "is_group": is_group}
            rules.append({**identified, **limits})
        if name in body:
            body[name] = rules
    return body


def _whose(values: Values, row: Row) -> Values:
    """The rules with the user or group of each, which releases show nested in `entity`, and newer API documents beside the limits."""
    for name in _RULES:
        raw, rules = row.get(name), values.get(name)
        if not isinstance(raw, list) or not isinstance(rules, list):
            continue
        named = []
        for rule, limits in zip(raw, rules, strict=True):
            if isinstance(rule, dict):
                entity = rule["entity"] if isinstance(rule.get("entity"), dict) else rule
                set_ = {limit: value for limit, value in limits.items() if value not in (None, 0)}
                named.append({**set_, **subject_of(entity.get("identifier_type"), entity.get("identifier"))})
        values[name] = in_order(named) if len(named) == len(raw) else raw
    return _in_force(values) if values.get("is_user_quota") is False else values


def _in_force(values: Values) -> Values:
    """The values without limits of users that VMS stores but does not enforce, as they are not switched on."""
    for name in BY_USER:
        limits = values.get(name)
        if isinstance(limits, dict):
            values[name] = dict.fromkeys(limits)
        elif isinstance(limits, list):
            values[name] = []
    return values


VIEW_OF_IT = Linked("view", (("tenant", "tenant"), ("path", "path")))
KIND = Kind(
    Quota,
    name="quota",
    system="vast",
    section="quotas",
    endpoint=Endpoint(
        "/quotas/", query={"show_user_rules": "true"}
    ),  # without it lists lack the rules of users and groups
    keyed=Keyed(within="tenant"),
    unique=(("name", "tenant"),),
    data_bearing=True,
    metrics=(Metric("used", ("used_effective_capacity",), units.BYTES), Metric("used_inodes", ("used_inodes",))),
    in_use=("used", "used_inodes"),
    held=HeldData(("used", "used_inodes"), (VIEW_OF_IT,)),
    users=(VIEW_OF_IT,),
    protects=(views_below("path"),),
    states=States(("state",), _AT_WORK, failed=frozenset({"FAILED"}), awaited=False),
    floors=(("hard_limit", "used"), ("hard_limit_inodes", "used_inodes")),
    controller_owned=CSI_CREATED,
    system_owned=INTERNAL,
    finish_encode=_flat,
    finish_decode=_whose,
)
