"""Volumes: the storage that a project mounts.

With `storage_class` a volume is a claim that the CSI driver provisions. With `path` vastplan owns the directory of the
data (view, quota, QoS, snapshots) and binds a static persistent volume and a claim to it, so that limits and schedules
apply to the directory that jobs write to. In both cases `mount` creates the Run:AI data source.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from vastplan.kinds.compose._claims import claimed
from vastplan.kinds.compose._csi_secret import csi_user_of, secret_of
from vastplan.kinds.compose._people import name_of
from vastplan.kinds.compose._source import Copies, Source, cloned
from vastplan.kinds.compose._two_sites import REPLICATE, may_read, offers, path_between, shared, sites_of
from vastplan.kinds.compose._volume_recovery import OF_ITS_VIEW, recover
from vastplan.kinds.kubernetes._common import FILE_DRIVER
from vastplan.kinds.kubernetes._secrets import VolumeSecrets, one_form
from vastplan.kinds.kubernetes.persistent_volume import AccessModes
from vastplan.kinds.vast._two_sites import Failover, MountedOnTwoSites
from vastplan.kinds.vast.quota import (
    OF_USERS,
    GroupQuotas,
    IsUserQuota,
    LimitsUsers,
    QuotaLimits,
    SizedQuota,
    UserQuotas,
    quota_of_size,
    refuse_soft_above_size,
)
from vastplan.kinds.vast.view import PartNames, ShareName, View
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.checkpoint import Checkpoint
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry, composite
from vastplan.schema.markers import DOCUMENT, NAMED, SET, Refers
from vastplan.schema.types import MISSING, PATH_PART, Count, KubernetesName, Name, ReferenceName, Says, Size, Text

Path = Annotated[
    str,
    StringConstraints(pattern=rf"^(/{PATH_PART})+$", max_length=1024),
    Says("a path: it starts with /, does not end with /, and has no //, ., .. or control characters"),
]
_Qos = View.model_fields["qos"].annotation


_OF_A_PATH = (
    "view_policy", "vip_pool", "secret", "secrets", "protocols", "share", "bucket", "bucket_owner", "qos", "qos_policy", "snapshots",
    "max_inodes", "quota", "mount_options", "active", "replicate", "global_access", "access", *OF_USERS,
)  # fmt: skip


class VolumePartNames(PartNames):
    """Names of the objects of a volume. One that is left out follows from the entry: PROJECT-CLAIM for the persistent
    volume, the claim's name for the data source, the entry's for all others."""

    persistent_volume: KubernetesName | MISSING = MISSING
    """Name of the persistent volume; left out, PROJECT-CLAIM. Needs `path`."""
    data_source: Name | MISSING = MISSING
    """Name of the data source in Run:AI; left out, the name of the claim. Needs `mount`."""


class Volume(LimitsUsers, MountedOnTwoSites):
    """A volume of a project: a claim of a StorageClass, or a directory in VAST that is bound to a claim.

    With `storage_class` the CSI driver provisions it. With `path` vastplan creates the view, quota, QoS policy and
    snapshots of the directory, and binds a static persistent volume and a claim to it; only such a volume takes the
    fields that belong to these.
    """

    name: Annotated[KubernetesName | MISSING, NAMED] = MISSING
    """Name of the claim and of the data source; other objects of the volume are named after the entry, or as `names`
    says."""
    names: Annotated[VolumePartNames | MISSING, DOCUMENT] = MISSING
    """Names of the objects of the volume, where they differ from what follows from the entry."""
    tenant: Annotated[ReferenceName | MISSING, Refers("tenant")] = MISSING
    """Tenant of the volume. Left out, a volume with `path` belongs to the tenant of its project."""
    project: Annotated[ReferenceName | MISSING, Refers("project")] = MISSING
    """Run:AI project in whose namespace the claim is created; left out, the only project of the tenant."""
    size: Size
    """Requested size of the claim in bytes; of a volume with `path` also the hard limit of the quota on its directory."""
    storage_class: Annotated[ReferenceName | MISSING, Refers("storage_class")] = MISSING
    """StorageClass from which the CSI driver provisions the volume. Excludes `path`; one of the two is needed."""
    path: Path | MISSING = MISSING
    """Directory in the tenant that gets a view and a quota and is bound to the claim by a static persistent volume.
    Excludes `storage_class`."""
    mount: Path | MISSING = MISSING
    """Absolute path in containers at which workloads of the project find the volume, by a Run:AI data source."""
    description: Text | MISSING = MISSING
    """Description of the Run:AI data source that `mount` creates."""
    access_modes: Annotated[AccessModes, SET] = ["ReadWriteMany"]
    """Access modes of the claim and, of a volume with `path`, of its persistent volume."""
    volume_mode: Literal["Filesystem", "Block"] | MISSING = MISSING
    """Whether pods see a file system or a raw block device; a volume with `path` is a file system."""
    view_policy: Annotated[ReferenceName | MISSING, Refers("view_policy")] = MISSING
    """View policy of the directory's view: which hosts may reach it and how. Left out, the tenant's only one."""
    vip_pool: Annotated[ReferenceName | MISSING, Refers("vip_pool")] = MISSING
    """VIP pool through which nodes mount the directory; left out, the DNS name that all classes of the tenant use, else
    the tenant's only pool."""
    secret: Annotated[ReferenceName | MISSING, Refers("secret")] = MISSING
    """Kubernetes Secret with which the CSI driver logs in to VMS; left out, the one that the tenant's classes and CSI
    user agree on."""
    secrets: VolumeSecrets | MISSING = MISSING
    """Secrets of the CSI driver by purpose, in place of `secret`; null for a purpose that has none."""
    protocols: Annotated[list[Literal["NFS", "NFS4", "SMB", "S3"]] | MISSING, SET] = MISSING
    """Protocols by which clients reach the directory; left out, NFS. SMB needs `share`; S3 needs `bucket`
    and `bucket_owner`."""
    share: ShareName | MISSING = MISSING
    """Name of the SMB share by which clients reach the directory; protocol SMB needs it."""
    bucket: Name | MISSING = MISSING
    """Name of the bucket by which S3 clients reach the same files; needs protocol S3 and `bucket_owner`."""
    bucket_owner: Annotated[ReferenceName | MISSING, Refers("user")] = MISSING
    """User who owns the bucket: a user of the document, or `{existing: NAME}`; needs protocol S3."""
    mount_options: list[Text] | MISSING = MISSING
    """Mount options of the persistent volume, used by every node that mounts it."""
    max_inodes: Annotated[Count | MISSING, Field(ge=1)] = MISSING
    """Most files and directories that the directory may hold, as the hard limit of its quota on inodes."""
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
    qos: Annotated[_Qos, DOCUMENT] = MISSING  # type: ignore[valid-type]
    """QoS limits for this volume alone, as a policy of its own that its view uses; excludes `qos_policy`."""
    qos_policy: Annotated[ReferenceName | MISSING, Refers("qos_policy")] = MISSING
    """QoS policy that limits the view; other views may use the same one. Excludes `qos`."""
    snapshots: Annotated[ReferenceName | MISSING, Refers("protection_policy")] = MISSING
    """Snapshot schedule of the directory, by a protected path of its own; one, which may have several `frames`. Excludes `replicate` and
    `global_access`."""
    checkpoint: Annotated[Checkpoint | MISSING, DOCUMENT] = MISSING
    """Checkpoints that jobs write to the volume. Checks and budgets compute with them; nothing of it is sent anywhere."""
    failover: Annotated[Failover | MISSING, DOCUMENT] = MISSING
    """What `vastplan watch` does by itself when the active site is lost; left out, it alarms. Needs `replicate`."""
    source: Source | MISSING = MISSING
    """Volume, and snapshot of it, whose data this volume has when it is created. It is used once: another source
    later is refused (VP350)."""
    copies: Annotated[Copies | MISSING, DOCUMENT] = MISSING
    """`background` copies all data of the source once the clone exists, and is the default; `on_read` reads it from
    the snapshot, which then stays forever. Needs `source` and `path`."""

    @model_validator(mode="after")
    def _failover_of_a_copy(self) -> "Volume":
        if self.failover is not MISSING and self.replicate is MISSING:
            raise ValueError("failover needs replicate")
        return self

    @model_validator(mode="after")
    def _copies_of_a_source(self) -> "Volume":
        if self.source is MISSING and self.copies is not MISSING:
            raise ValueError("copies needs source")
        return self

    @model_validator(mode="after")
    def _of_one_sort(self) -> "Volume":
        if (self.storage_class is MISSING) == (self.path is MISSING):
            raise ValueError(
                f"has {'neither storage_class nor' if self.path is MISSING else 'both storage_class and'} path; write one of them: "
                "storage_class (the CSI driver provisions it) or path (a directory that vastplan owns)"
            )
        if self.path is MISSING:
            if self.snapshots is not MISSING:
                raise ValueError(
                    "a schedule of snapshots is for volumes with a path; for a snapshot of a volume of a class, a block device too, "
                    "write snapshots: {NAME: {volume: VOLUME}} at the top of the document"
                )
            for name in _OF_A_PATH:
                if getattr(self, name) is not MISSING:
                    raise ValueError(
                        f"{name} is for volumes with a path; the class decides it for a provisioned volume"
                    )
        elif self.volume_mode == "Block":
            raise ValueError("a volume with a path is a file system")
        refuse_soft_above_size(self)
        one_form(self.secret, self.secrets)
        protocols = self.protocols if isinstance(self.protocols, list) else []
        if "SMB" in protocols and self.share is MISSING:
            raise ValueError("protocol SMB needs share")
        by_s3 = "S3" in protocols
        if by_s3 != (self.bucket is not MISSING) or by_s3 != (self.bucket_owner is not MISSING):
            raise ValueError("protocol S3, bucket and bucket_owner go together")
        return self

    @model_validator(mode="after")
    def _names_of_its_objects(self) -> "Volume":
        creators = {
            "persistent_volume": "path", "quota": "path", "data_source": "mount", "protected_path": self.protected_by(),
            "qos_policy": "qos",
        }  # fmt: skip
        for part, needed in creators.items() if self.names is not MISSING else ():
            if getattr(self.names, part) is not MISSING and getattr(self, needed) is MISSING:
                raise ValueError(f"names.{part} is for volumes with {needed}")
        return self


def _systems(values: Mapping[str, Any]) -> frozenset[str]:
    needed = {"kubernetes"} | ({"vast"} if "path" in values else set()) | ({"runai"} if "mount" in values else set())
    return frozenset(needed)


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values, called = entry.values, entry.called
    chosen: list[str] = []
    project = values.get("project")
    if project is None:
        project = scope.only(entry, "project", "project", values.get("tenant"))
        if project is None:
            return
        chosen.append(f"project {project}, the only one of tenant {values.get('tenant')}")
    if "path" in values:
        tenant = values.get("tenant") or _tenant_of(scope, project)
        if tenant is None:
            scope.refuse(
                entry,
                "VP238",
                "a volume with a path needs a tenant",
                "write tenant: NAME, or a project that has a tenant",
            )
            return
        yield from _with_a_home(entry, scope, {**values, "name": called}, project, tenant, tuple(chosen))
        return
    origin = claimed(entry, scope, project, _called(scope, project))
    yield from origin.parts
    of_class = {"storage_class": values["storage_class"], "size": values["size"], **origin.values}
    by_site = sites_of(entry, scope)
    if len(by_site) > 1:
        first = "created from its source there" if "source" in values else "empty at first"
        chosen.append(f"on {', '.join(by_site)}: a separate volume on each, {first}; no data is shared")
    yield _claim(entry, {**values, "name": called}, project, of_class, tuple(chosen), origin.after)
    if "mount" in values:
        yield mounting(entry, {**values, "name": called}, project)


def _with_a_home(
    entry: Entry, scope: Scope, values: Mapping[str, Any], project: Ref, tenant: Ref, chosen: tuple[str, ...]
) -> Iterable[Entry]:
    """The directory of a volume with a path, the objects that bind and mount it, and the protected path by which two sites share it.

    Its objects on the other site are created after that path, which creates the directory there.
    """
    site, name, among = entry.address.site, entry.address.name, shared(entry, scope)
    named_otherwise = ("name",) if values["name"] != name else ()
    view, active = _view(values, tenant, scope), among is None or among.is_active(site)
    clone = cloned(entry, scope, values, tenant) if active and "source" in values else None
    if clone is not None:
        yield clone
    view_values = {**view, "create_dir": active and clone is None}
    yield entry.part(
        "view", name, view_values, defaults=named_otherwise, after=() if clone is None else (clone.address,)
    )
    after: tuple[Address, ...] = ()
    if among is not None and active:
        remote = among.copy.values
        remote_tenant = remote.get("tenant") or (_tenant_of(scope, remote["project"]) if "project" in remote else None)
        ends = (values["path"], remote["path"])
        path = path_between(entry, among, tenant, remote_tenant, *ends, named_otherwise)
        after = (path.address,)
        yield path
    yield from bound(entry, scope, values, project, tenant, chosen)
    if "mount" in values:
        yield from offered(entry, values, project, active=active, after=after)


def bound(
    entry: Entry, scope: Scope, values: Mapping[str, Any], project: Ref, tenant: Ref, chosen: tuple[str, ...] = ()
) -> Iterable[Entry]:
    """The static persistent volume for the directory of the view with the entry's key, and the project's claim that is bound to it.

    `values` are those of a volume with a path; `name` in them is the name of the claim.
    """
    name, called, names = entry.address.name, values["name"], values.get("names", {})
    volume = f"{project}-{name}"
    volume_called = names.get("persistent_volume", f"{_called(scope, project)}-{called}")
    yield entry.part(
        "persistent_volume",
        volume,
        _static(entry, scope, values, volume_called, project, tenant),
        defaults=("name",) if called != name and "persistent_volume" not in names else (),
        after=(entry.ref("view", name).target,),
    )
    static = {"storage_class": None, "volume": entry.ref("persistent_volume", volume), "nominal_size": values["size"]}
    yield _claim(entry, values, project, static, chosen)


def _claim(
    entry: Entry,
    values: Mapping[str, Any],
    project: Ref,
    of: Mapping[str, Any],
    chosen: tuple[str, ...],
    after: tuple[Address, ...] = (),
) -> Entry:
    claim = {
        "name": values["name"],
        "namespace": project,
        "access_modes": values["access_modes"],
        **{key: values[key] for key in ("volume_mode",) if key in values},
        **of,
    }
    return entry.part(
        "persistent_volume_claim", entry.address.name, claim, chosen=chosen, after=(project.target, *after)
    )


def mounting(entry: Entry, values: Mapping[str, Any], project: Ref) -> Entry:
    """The data source that mounts the claim of an entry."""
    source = {
        "name": values.get("names", {}).get("data_source", values["name"]),
        "project": project,
        "mount": values["mount"],
        "claim": entry.ref("persistent_volume_claim", entry.address.name),
        "existing_claim": True,
        **({"description": values["description"]} if "description" in values else {}),
    }
    return entry.part("data_source", entry.address.name, source)


def offered(
    entry: Entry, values: Mapping[str, Any], project: Ref, *, active: bool, after: tuple[Address, ...]
) -> Iterable[Entry]:
    """The data source of an entry that two sites may share, created `after` the path that replicates it. While another site is active,
    it exists only if the data can be read on this site.

    The claim's access modes are the same on both sites, whichever is active: they are immutable, and a move in either direction must
    not replace anything in use. A copy that a schedule replicates accepts no writes, whatever its access modes. Where writes would be
    accepted and go to the other site (at a satellite, or with synchronous replication), `access: read` makes the data source read-only.
    """
    if offers(entry, active=active):
        source = mounting(entry, values, project)
        reads = not active and REPLICATE not in values and may_read(entry)
        yield replace(source, values={**source.values, **({"read_only": True} if reads else {})}, after=after)


def _view(values: Mapping[str, Any], tenant: Ref, scope: Scope) -> dict[str, Any]:
    quota = quota_of_size(values)
    written = {name: values[name] for name in OF_ITS_VIEW if name in values}
    if "bucket_owner" in values:
        written["bucket_owner"] = name_of(values["bucket_owner"], scope)
    names = {part: name for part, name in values.get("names", {}).items() if part in PartNames.model_fields}
    protocols = values.get("protocols", ["NFS"])
    return {
        "tenant": tenant,
        "path": values["path"],
        "protocols": protocols,
        "quota": quota,
        **written,
        **({"names": names} if names else {}),
    }


def _static(
    entry: Entry, scope: Scope, values: Mapping[str, Any], name: str, project: Ref, tenant: Ref
) -> dict[str, Any]:
    """The persistent volume of the directory: its handle is the path, and it is always retained."""
    domain = _domain_of(entry, scope, tenant) if "vip_pool" not in values else None
    pool = values.get("vip_pool") or (scope.only(entry, "vip_pool", "vip_pool", tenant) if domain is None else None)
    secrets = _secrets_of(entry, scope, tenant)
    secret = values.get("secret") or (next(iter(secrets)) if len(secrets) == 1 else None)
    if secret is None and "secrets" not in values:
        text = f"secret is missing, and no class of tenant {tenant} names one"
        if secrets:
            text = f"secret is missing, and tenant {tenant} uses {' and '.join(sorted(map(str, secrets)))}"
        scope.refuse(entry, "VP239", text, "write secret: NAME")
    return {
        "name": name,
        "size": values["size"],
        "access_modes": values["access_modes"],
        "reclaim_policy": "Retain",
        "claim_namespace": project,
        "claim_name": values["name"],
        "driver": FILE_DRIVER,
        "volume_handle": values["path"],
        **({"vip_pool": pool} if domain is None else {}),
        "volume_attributes": {
            "static_pv_create_views": "no",
            "static_pv_create_quotas": "no",
            **({"vip_pool_fqdn": domain} if domain is not None else {}),
        },
        "volume_mode": "Filesystem",
        **({"secrets": values["secrets"]} if "secrets" in values else {"secret": secret}),
        **({"mount_options": values["mount_options"]} if "mount_options" in values else {}),
    }


def _called(scope: Scope, project: Ref) -> str:
    """The project's name in Run:AI."""
    entry = scope.get(project.target)
    return entry.called if entry else str(project)


def _tenant_of(scope: Scope, project: Ref) -> Ref | None:
    owner = scope.get(project.target)
    tenant = owner.values.get("tenant") if owner else None
    return tenant if isinstance(tenant, Ref) else None


def _domain_of(entry: Entry, scope: Scope, tenant: Ref) -> str | None:
    """The `vip_pool_fqdn` that all classes of the tenant have, if they have the same. A driver without the right to view VIP pools can
    mount by that name only."""
    names = {
        class_.values.get("vip_pool_fqdn") for class_ in scope.owned_by(tenant, entry.address.site, "storage_class")
    }
    return names.pop() if len(names) == 1 else None


def _secrets_of(entry: Entry, scope: Scope, tenant: Ref) -> set[Ref]:
    """The Secrets that the tenant's classes use, and that of its CSI user."""
    secrets = {
        class_.values["secret"]
        for class_ in scope.owned_by(tenant, entry.address.site, "storage_class")
        if "secret" in class_.values
    }
    user = csi_user_of(entry.address.site, tenant, scope)
    return secrets if user is None else {*secrets, secret_of(user, scope)}


VOLUME = composite(Volume, name="volume", section="volumes", systems=_systems)
_CREATES = frozenset({"persistent_volume", "persistent_volume_claim", "clone", "snapshot_content", "bound_snapshot"})
_CHOSEN = frozenset({"project", "view_policy", "vip_pool", "secret"})
_BOUND = frozenset({("persistent_volume_claim", "volume"), ("persistent_volume_claim", "size")})
COMPOSITION = Composition(
    "volume", _compose, creates=_CREATES, recover=recover, rank=3, chooses=_CHOSEN, implied=_BOUND
)
