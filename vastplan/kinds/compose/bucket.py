"""Buckets: a team's S3 storage, with its owner, its size limit and the lifecycle of its objects.

A bucket is a view of protocol S3 with a quota, QoS limits, snapshots and lifecycle rules of its own. Each of these can also be an
entry of its own.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from vastplan.kinds.compose._bucket_mounts import BucketDelivery, delivered, mounted, with_its_key
from vastplan.kinds.compose._people import name_of, owner_of
from vastplan.kinds.compose._two_sites import path_between, shared
from vastplan.kinds.compose.bucket_rights import HOLDERS, RIGHTS, of_a_directory, part_name, policy
from vastplan.kinds.compose.volume import Path
from vastplan.kinds.vast._two_sites import MountedOnTwoSites, SynchronousReplication
from vastplan.kinds.vast.qos_policy import QosLimits
from vastplan.kinds.vast.quota import (
    OF_A_SIZE,
    GroupQuotas,
    IsUserQuota,
    LimitsUsers,
    QuotaLimits,
    SizedQuota,
    UserQuotas,
    quota_of_size,
    refuse_soft_above_size,
    size_of_quota,
)
from vastplan.kinds.vast.s3_policy import PolicyName
from vastplan.kinds.vast.view import (
    LifecycleRules,
    PartNames,
    Period,
    Retention,
    refuse_names_of_missing_parts,
    refuse_wrong_retention,
)
from vastplan.model.address import Address
from vastplan.model.s3_policy import canonical_policy
from vastplan.model.value import Ref, json_text
from vastplan.model.wording import quoted
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry, composite
from vastplan.schema.markers import DOCUMENT, SET, Refers
from vastplan.schema.recovery import Pieces, Recovered
from vastplan.schema.types import MISSING, Count, KubernetesName, Name, ReferenceName, Size, Text

_NAME = re.compile(r"[a-z0-9][-.a-z0-9]{1,61}[a-z0-9]")
_IP = re.compile(r"\d+\.\d+\.\d+\.\d+")


def _bucket_name(name: str) -> str:
    """Check Amazon's rules for bucket names, which S3 clients apply to buckets of VAST, too."""
    if not _NAME.fullmatch(name) or ".." in name or _IP.fullmatch(name):
        raise ValueError(
            f"{quoted(name)} cannot be the name of a bucket: 3 to 63 lowercase letters, digits, - and . between them, and no IP address"
        )
    return name


BucketName = Annotated[str, AfterValidator(_bucket_name)]
_OF_ITS_VIEW = (
    "view_policy", "qos", "qos_policy", "snapshots", "lifecycle", "s3_versioning", "locking", "s3_locks_retention_mode",
    "files_retention_mode", "default_retention_period", "min_retention_period", "max_retention_period", "auto_commit",
)  # fmt: skip


_Subjects = Annotated[list[ReferenceName] | MISSING, SET, Refers("group", "user")]


class BucketPartNames(PartNames):
    """Names of the objects of a bucket. One that is left out follows from the bucket's name or the entry's."""

    read_policy: PolicyName | MISSING = MISSING
    """Name of the identity policy that lets those in `read` in; left out, BUCKET-read."""
    write_policy: PolicyName | MISSING = MISSING
    """Name of the identity policy that lets those in `write` in; left out, BUCKET-write."""
    persistent_volume: KubernetesName | MISSING = MISSING
    """Name of the persistent volume of a bucket that is mounted by NFS; left out, PROJECT-BUCKET."""
    data_source: Name | MISSING = MISSING
    """Name of the data source in Run:AI; left out, the name of the bucket. Needs `mount`."""


class Bucket(LimitsUsers, MountedOnTwoSites):
    """A bucket of a tenant: a view of protocol S3 with a quota, QoS limits, snapshots and lifecycle rules of its own.

    Identity policies give access to whoever is listed in `read` and `write`; they apply where the view policy has the
    flavor S3_NATIVE. Before you delete the last bucket of a tenant that lists somebody, apply `read: []` and
    `write: []`.

    A bucket that two sites share (`replicate`, `global_access` or `synchronous_replication`) is created on both, with
    policies and a pair of keys of each site's own. With either replication it is mounted on the active site, and on the
    other one where `access` allows reading.
    """

    bucket: BucketName | MISSING = MISSING
    """Name of the bucket that S3 clients use, where it differs from the entry's. VAST cannot rename a bucket."""
    names: Annotated[BucketPartNames | MISSING, DOCUMENT] = MISSING
    """Names of the objects of the bucket, where they differ from what follows from the entry."""
    tenant: Annotated[ReferenceName, Refers("tenant")]
    """Tenant that the bucket belongs to."""
    size: Size
    """Most bytes that the bucket may hold, as the hard limit of the quota on its directory."""
    owner: Annotated[ReferenceName, Refers("user")]
    """User who may do everything with the bucket: one of the document, or `{existing: NAME}`. With another owner
    the former one loses access at once."""
    read: _Subjects = MISSING
    """Groups and users who may list the bucket and read its objects: of the document, or groups of a directory as
    `{existing: NAME}`. Needs a view policy of flavor S3_NATIVE."""
    write: _Subjects = MISSING
    """Groups and users who may read, write and delete objects; whoever is listed here need not be listed in `read`."""
    path: Path | MISSING = MISSING
    """Directory of the bucket in the tenant; left out, /TENANT/BUCKET."""
    protocols: Annotated[list[Literal["S3", "NFS", "NFS4"]] | MISSING, SET] = MISSING
    """Protocols of the bucket's view, of which S3 is always one; with NFS or NFS4 the same files can be mounted. Left
    out, S3."""
    view_policy: Annotated[ReferenceName | MISSING, Refers("view_policy")] = MISSING
    """View policy of the bucket's view; left out, the tenant's only one of flavor S3_NATIVE, else its only one."""
    max_inodes: Annotated[Count | MISSING, Field(ge=1)] = MISSING
    """Most files and directories that the bucket's directory may hold, as the hard limit of its quota on inodes."""
    quota: Annotated[SizedQuota | MISSING, DOCUMENT] = MISSING
    """Soft limits and notices of the quota on the directory; `size` and `max_inodes` are its hard limits."""
    is_user_quota: IsUserQuota = MISSING
    """Turns on limits for users and groups below the directory; writing one of these limits implies it."""
    default_user_quota: QuotaLimits | MISSING = MISSING
    """Limits of each user below the directory whom `user_quotas` does not list."""
    default_group_quota: QuotaLimits | MISSING = MISSING
    """Limits of each group below the directory that `group_quotas` does not list."""
    user_quotas: UserQuotas = MISSING
    """Limits of single users below the directory, as the whole list: a user who is not in it has `default_user_quota`."""
    group_quotas: GroupQuotas = MISSING
    """Limits of single groups below the directory, as the whole list: a group that is not in it has
    `default_group_quota`."""
    qos: Annotated[QosLimits | MISSING, DOCUMENT] = MISSING
    """QoS limits for this bucket alone, as a policy of its own that its view uses; excludes `qos_policy`."""
    qos_policy: Annotated[ReferenceName | MISSING, Refers("qos_policy")] = MISSING
    """QoS policy that limits the bucket's view; other views may use the same one. Excludes `qos`."""
    snapshots: Annotated[ReferenceName | MISSING, Refers("protection_policy")] = MISSING
    """Snapshot schedule of the directory, by a protected path of its own; one, which may have several `frames`. Excludes `replicate`,
    `global_access` and `synchronous_replication`."""
    synchronous_replication: Annotated[SynchronousReplication | MISSING, DOCUMENT] = MISSING
    """Replication of each write to the other site before it is answered, without a schedule; excludes `replicate` and
    `global_access`."""
    lifecycle: Annotated[LifecycleRules | MISSING, DOCUMENT] = MISSING
    """Lifecycle rules of the bucket, which delete objects by age, size, prefix or tag; each is a rule of its own in
    VAST."""
    s3_versioning: bool | MISSING = MISSING
    """Keeps former versions of objects that are overwritten or deleted. It cannot be switched off again."""
    locking: bool | MISSING = MISSING
    """Turns on write-once locking (WORM) for files and object versions; needs `s3_versioning`. It cannot be switched
    off again."""
    s3_locks_retention_mode: Retention | MISSING = MISSING
    """Retention mode of new object versions; GOVERNANCE and COMPLIANCE need `default_retention_period`. An upload may
    say another mode and period."""
    files_retention_mode: Retention | MISSING = MISSING
    """Retention mode of locked files; with `locking` and protocol NFS it is GOVERNANCE or COMPLIANCE, which need
    `default_retention_period`."""
    default_retention_period: Period | MISSING = MISSING
    """How long new object versions and automatically locked files stay locked, such as 30d; needed with a retention
    mode."""
    min_retention_period: Period | MISSING = MISSING
    """Shortest time for which a file can be locked, by hand or automatically, such as 1d."""
    max_retention_period: Period | MISSING = MISSING
    """Longest time for which a file can be locked, by hand or automatically, such as 2y."""
    auto_commit: Period | MISSING = MISSING
    """Time after which a saved file is locked automatically, for `default_retention_period`; applies with `locking`."""
    deliver: Annotated[BucketDelivery | MISSING, DOCUMENT] = MISSING
    """Kubernetes Secret that gets a pair of S3 keys for the bucket. Without it Run:AI can mount the bucket by NFS only."""
    mount: Path | MISSING = MISSING
    """Absolute path in containers at which workloads find the bucket: by S3 with the delivered key, with protocol NFS
    as a volume."""
    project: Annotated[ReferenceName | MISSING, Refers("project")] = MISSING
    """Run:AI project that mounts the bucket; left out, the only project of the tenant. Needs `mount`."""
    description: Text | MISSING = MISSING
    """Description of the Run:AI data source; needs `mount`."""
    vip_pool: Annotated[ReferenceName | MISSING, Refers("vip_pool")] = MISSING
    """VIP pool through which the bucket is mounted: by NFS its addresses, by S3 its `s3_endpoint`. Needs `mount`."""
    secret: Annotated[ReferenceName | MISSING, Refers("secret")] = MISSING
    """Kubernetes Secret with which the CSI driver logs in to VMS, of a bucket that is mounted by NFS; left out, that of
    the tenant's classes."""
    mount_options: list[Text] | MISSING = MISSING
    """Mount options of the persistent volume, of a bucket that is mounted by NFS."""

    @model_validator(mode="after")
    def _as_a_view(self) -> "Bucket":
        protocols = set(self.protocols) if isinstance(self.protocols, list) else {"S3"}
        if "S3" not in protocols:
            raise ValueError("a bucket needs protocol S3; a directory without it is a volume, or a view")
        refuse_soft_above_size(self)
        if self.qos is not MISSING and self.qos_policy is not MISSING:
            raise ValueError("give either qos or qos_policy")
        refuse_wrong_retention(self, protocols)
        refuse_names_of_missing_parts(self, self.names, {**_CREATORS, "protected_path": self.protected_by()})
        return self

    @model_validator(mode="after")
    def _for_a_mount(self) -> "Bucket":
        files = isinstance(self.protocols, list) and not {"NFS", "NFS4"}.isdisjoint(self.protocols)
        for name in ("project", "description", "vip_pool", "access"):
            if getattr(self, name) is not MISSING and self.mount is MISSING:
                raise ValueError(f"{name} says how it is mounted, and needs mount")
        for name in ("secret", "mount_options"):
            if getattr(self, name) is not MISSING and (self.mount is MISSING or not files):
                raise ValueError(f"{name} is for a bucket that is mounted by NFS")
        if isinstance(self.names, BucketPartNames) and self.names.persistent_volume is not MISSING and not files:
            raise ValueError("names.persistent_volume is for a bucket that is mounted by NFS")
        return self


_CREATORS = {
    "qos_policy": "qos", "read_policy": "read", "write_policy": "write", "persistent_volume": "mount", "data_source": "mount",
}  # fmt: skip


def _systems(values: Mapping[str, Any]) -> frozenset[str]:
    """The systems that a bucket needs. A mount without a project does not need Run:AI, as exports use it, too."""
    needed = (
        {"vast"} | ({"kubernetes"} if "deliver" in values else set()) | ({"runai"} if "project" in values else set())
    )
    return frozenset(needed)


BUCKET = composite(Bucket, name="bucket", section="buckets", systems=_systems)


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values = entry.values
    tenant = values["tenant"]
    try:
        _bucket_name(_called(entry))
    except ValueError as wrong:
        scope.refuse(entry, "VP284", str(wrong), "write bucket: NAME; without it the entry's name is used")
    path, among = _directory(entry, scope), shared(entry, scope)
    active = among is None or among.is_active(entry.address.site)
    view = {
        "tenant": tenant,
        "path": path,
        "protocols": values.get("protocols", ["S3"]),
        "create_dir": active,
        "bucket": _called(entry),
        "bucket_owner": name_of(values["owner"], scope),
        "quota": quota_of_size(values),
        **{name: values[name] for name in _OF_ITS_VIEW if name in values},
    }
    names = {part: name for part, name in values.get("names", {}).items() if part in PartNames.model_fields}
    if names:
        view["names"] = names
    chosen = []
    hosts = _view_policy(entry, scope) if "view_policy" not in values else None
    if hosts is not None:
        view["view_policy"] = hosts
        chosen.append(f"view_policy {hosts}, the only one of tenant {tenant} with flavor S3_NATIVE")
    otherwise = (
        ("name",) if _called(entry) != entry.address.name else ()
    )  # existing objects of the bucket keep the names that they have
    beside = with_its_key(entry)
    yield entry.part("view", entry.address.name, view, chosen=tuple(chosen), beside=beside, defaults=otherwise)
    after: tuple[Address, ...] = ()
    if among is not None and active:
        copy = among.copy
        sent = path_between(entry, among, tenant, copy.values["tenant"], path, _directory(copy, scope), otherwise)
        after = (sent.address,)
        yield sent
    for right in RIGHTS:
        if values.get(right):
            _check(entry, scope, right)
            called = values.get("names", {}).get(f"{right}_policy", f"{_called(entry)}-{right}")
            policy_values = {"name": called, "tenant": tenant, "policy": policy(right, _called(entry))}
            of_it = tuple(
                (field, entry.ref("view", entry.address.name).target) for field in ("name", "policy", "tenant")
            )
            yield entry.part("s3_policy", part_name(entry, right), policy_values, beside=of_it)
    yield from of_a_directory(entry, scope)
    yield from delivered(entry, scope)
    yield from mounted(entry, scope, _called(entry), path, active=active, after=after)


def _check(entry: Entry, scope: Scope, right: str) -> None:
    """Refuse a name that is both a user and a group."""
    for ref in entry.values[right]:
        if ref.managed and ref.target.kind == "group" and scope.get(ref.target._replace(kind="user")) is not None:
            text = f"{right}: {ref.target.name} is both a group and a user of this document"
            scope.refuse(entry, "VP281", text, "give one of the two entries another key, and write name: NAME in it")


def _called(entry: Entry) -> str:
    """The name that S3 clients use."""
    return str(entry.values.get("bucket", entry.address.name))


def _directory(entry: Entry, scope: Scope) -> str:
    """The directory of the bucket; left out, /TENANT/BUCKET."""
    if "path" in entry.values:
        return str(entry.values["path"])
    tenant = scope.get(entry.values["tenant"].target)
    return f"/{tenant.called if tenant is not None else entry.values['tenant']}/{_called(entry)}"


def _view_policy(entry: Entry, scope: Scope) -> Ref | None:
    """The tenant's view policy of flavor S3_NATIVE, with which identity policies apply, if there is exactly one."""
    policies = [
        Ref(policy.address)
        for policy in scope.owned_by(entry.values["tenant"], entry.address.site, "view_policy")
        if policy.values.get("flavor") == "S3_NATIVE"
    ]
    return policies[0] if len(policies) == 1 else None


def _names_kept(entry: Entry, scope: Scope) -> Mapping[str, Any]:
    """The fields that follow from names and identify the bucket. If the entry is renamed, it can be given the former values."""
    return {"bucket": _called(entry), "path": _directory(entry, scope)}


_VIEW = {"path", "tenant", "protocols", "bucket", "bucket_owner", "quota", "names", *_OF_ITS_VIEW}


def _recover(pieces: Pieces) -> Iterable[Recovered]:
    """A bucket for each view of protocol S3 with a hard limit, if a bucket can express all of the view; with its read and write
    policies, if all their holders can be named."""
    policies = _policies(pieces)
    for view in pieces.of("view"):
        live, quota = view.values, view.values.get("quota") or {}
        protocols, tenant, owner = live.get("protocols") or (), live.get("tenant"), live.get("bucket_owner")
        if "S3" not in protocols or not isinstance(tenant, Ref) or not isinstance(owner, str) or "bucket" not in live:
            continue
        if live.keys() - _VIEW or quota.keys() - OF_A_SIZE or not quota.get("hard_limit"):
            continue
        values = {
            "tenant": tenant,
            "owner": owner_of(pieces, view, tenant, owner),
            "path": live["path"],
            **size_of_quota(quota),
            **({"protocols": protocols} if protocols != ["S3"] else {}),
            **{name: live[name] for name in ("names", *_OF_ITS_VIEW) if name in live},
        }
        bucket = str(live["bucket"])
        if bucket != view.address.name:
            values["bucket"] = bucket
        if values["path"] == f"/{pieces.name(tenant)}/{bucket}":
            del values["path"]
        address = Address(view.address.site, "bucket", view.address.name)
        bare, names, parts = Entry(address, values), dict(values.get("names", {})), [view.address]
        rights: dict[str, Any] = {}
        for right in RIGHTS:
            document = policy(right, bucket)
            match = policies.get((tenant, _same(document), part_name(bare, right)))
            holders = sorted(pieces.referring(match.address)) if match is not None else []
            if match is not None and holders and {holder.kind for holder in holders} <= HOLDERS:
                rights[right] = [Ref(holder) for holder in holders]
                parts.append(match.address)
                if match.called != f"{bucket}-{right}":
                    names[f"{right}_policy"] = match.called
        if rights:
            yield Recovered(Entry(address, {**values, **rights, **({"names": names} if names else {})}), tuple(parts))
        yield Recovered(bare, (view.address,))


def _policies(pieces: Pieces) -> dict[tuple[Ref, str, str], Entry]:
    """The identity policies that consist of a policy document only, by tenant, policy document and key."""
    return {
        (entry.values["tenant"], _same(entry.values["policy"]), entry.address.name): entry
        for entry in pieces.of("s3_policy")
        if not entry.values.keys() - {"name", "tenant", "policy"} and isinstance(entry.values.get("tenant"), Ref)
    }


def _same(document: Mapping[str, Any]) -> str:
    """The same text for equal documents."""
    return json_text(canonical_policy(document))


_CREATES = frozenset({"persistent_volume", "persistent_volume_claim"})
_CHOSEN = frozenset({"view_policy", "path"})
COMPOSITION = Composition(
    "bucket", _compose, creates=_CREATES, recover=_recover, rank=4, chooses=_CHOSEN, keeps=_names_kept
)
