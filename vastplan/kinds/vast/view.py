"""View: a directory of a tenant as clients see it, over NFS, SMB, S3 or as a block subsystem."""

from collections.abc import Mapping, Set
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from vastplan.kinds.vast._common import CSI_CREATED, INTERNAL, OFF, Directory, Mode, collection
from vastplan.kinds.vast._two_sites import OnTwoSites
from vastplan.kinds.vast.clone import clones_of
from vastplan.kinds.vast.qos_policy import QosLimits
from vastplan.kinds.vast.quota import QuotaRules
from vastplan.kinds.vast.s3_lifecycle_rule import LifecycleRule
from vastplan.kinds.vast.snapshot import below
from vastplan.model import units
from vastplan.model.natural_order import natural
from vastplan.model.plan import Stage
from vastplan.schema.dependents import DataPlace, HeldData, Linked, Precedes, RefusesDelete
from vastplan.schema.import_keys import CalledAs, Keyed
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Attribute, Metric, Witness
from vastplan.schema.markers import (
    ATOMIC,
    CREATE_ONLY,
    DOCUMENT,
    FIRST_VALUE,
    IDENTITY,
    IMMUTABLE,
    ONE_WAY,
    SET,
    WITNESS,
    Admits,
    Clears,
    Codec,
    Opens,
    Refers,
    Revokes,
    ServerDefault,
    Since,
    Through,
    Wire,
)
from vastplan.schema.types import HOST_NAME, MISSING, Count, Name, ReferenceName, Says, Spec, Text, VendorName

Protocol = Literal["NFS", "NFS4", "SMB", "S3", "ENDPOINT", "DATABASE", "KAFKA", "BLOCK"]
Retention = Literal["NONE", "GOVERNANCE", "COMPLIANCE"]
# Kept as text: VMS documents `m` as months in one of these fields and as minutes in the others.
Period = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]*[hmdy]$"),
    Says("a time, such as 12h, 30d or 1y: a whole number and h, m, d or y"),
]
_RETENTION = "retention"  # all fields of the group together decide how long files and objects are kept
_NO_RETENTION = ServerDefault(False, WITNESS, group=_RETENTION)
_NO_PERIOD = ServerDefault(None, WITNESS, group=_RETENTION)
_OWNED = Revokes("keys of the former owner may at once do only what policies allow")
ShareName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=80, pattern=r'^[^/\\:|<>*?"\x00-\x1f]+$'),
    Says('the name of a share: at most 80 characters, none of / \\ : | < > * ? "'),
]
_Bucket = Annotated[Name, StringConstraints(max_length=63), Says("the name of a bucket: at most 63 characters")]
_NFS = ("nfs_read_write", "nfs_read_only")
_OF_NFS = (
    "nfs_root_squash", "nfs_no_squash", "nfs_all_squash", "trash_access", "nfs_minimal_protection_level", "nfs_enforce_tls",
    "nfs_enforce_tls_relaxed", "nfs_posix_acl", "nfs_return_open_permissions",
)  # fmt: skip
_BY_PROTOCOL = Through(
    "view_policy",
    {"NFS": _NFS, "NFS4": _NFS, "SMB": ("smb_read_write", "smb_read_only"), "S3": ("s3_read_write", "s3_read_only")},
    rights={
        "NFS": _OF_NFS,
        "NFS4": _OF_NFS,
        "SMB": ("smb_file_mode", "smb_directory_mode"),
        "S3": ("s3_visibility", "s3_visibility_groups"),
    },
    always=("read_write", "read_only"),
)
_Alias = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=r"^/[\x21-\x7e]*$"),
    Says("an alias: / and then ASCII characters without blanks"),
]


class ShareGrant(Spec):
    """A right of a user or a group on an SMB share: by a name with a domain, a SID, or a uid or gid."""

    grantee: Literal["users", "groups"]
    """Whether the grant is for a user (users) or for a group (groups)."""
    perm: Literal["FULL", "CHANGE", "READ"]
    """Right on the share: READ to read, CHANGE to write as well, FULL for everything."""
    name: Annotated[Text, Field(min_length=1)] | MISSING = MISSING
    """Name of the user or group; fqdn says of which domain."""
    fqdn: Annotated[Annotated[Text, Field(min_length=1)] | MISSING, HOST_NAME] = MISSING
    """Domain (FQDN) of the user or group in name; write All where VMS shows none."""
    sid_str: Text | MISSING = MISSING
    """SID of the user or group, where name is not written."""
    uid_or_gid: Annotated[Count | MISSING, Codec(lambda number: number, int)] = MISSING  # text on some releases
    """UID of the user or GID of the group, where name is not written."""

    @model_validator(mode="after")
    def _somebody(self) -> "ShareGrant":
        if self.name is MISSING and self.sid_str is MISSING and self.uid_or_gid is MISSING:
            raise ValueError("a grant needs name, sid_str or uid_or_gid")
        return self


class ShareAcl(Spec):
    """The access list of an SMB share."""

    enabled: Annotated[bool, Opens(False), OFF]
    """Whether the access list decides who may use the share."""
    acl: Annotated[list[ShareGrant] | None | MISSING, Clears([]), Opens(), ServerDefault([], WITNESS)] = MISSING
    """Grants on the share, one for each user or group."""


class PartNames(Spec):
    """Names of the objects that a view creates, each where it is not the key of the entry."""

    quota: Name | MISSING = MISSING
    """Name in VMS of the quota of the directory."""
    protected_path: Name | MISSING = MISSING
    """Name in VMS of the protected path of the directory."""
    qos_policy: Name | MISSING = MISSING
    """Name in VMS of the QoS policy that the field qos creates."""


def _each_once(rules: list[LifecycleRule]) -> list[LifecycleRule]:
    by_name = {rule.name: rule for rule in rules}
    if len(by_name) < len(rules):
        raise ValueError("two rules have the same name")
    return [by_name[name] for name in sorted(by_name, key=natural)]


LifecycleRules = Annotated[Annotated[list[LifecycleRule], AfterValidator(_each_once)], Field(min_length=1)]


def refuse_names_of_missing_parts(of: Spec, names: Spec | Any, creators: Mapping[str, str]) -> None:
    """Raises `ValueError` for a name of a part that the entry does not create; `made_by` has the field that creates each part."""
    for part, field in creators.items() if names is not MISSING else ():
        if getattr(names, part) is not MISSING and getattr(of, field) is MISSING:
            raise ValueError(f"names.{part} needs {field}")


def refuse_wrong_retention(of: Any, protocols: Set[str]) -> None:
    """Raises `ValueError` if the retention fields are incomplete or exclude each other."""
    locked = protocols if of.locking is True else set()
    if "S3" in locked and of.s3_versioning is not True:
        raise ValueError("locking of a bucket needs s3_versioning: true")
    if locked & {"NFS", "SMB"} and of.files_retention_mode in (MISSING, "NONE"):
        raise ValueError("locking with NFS or SMB needs files_retention_mode")
    modes = (of.s3_locks_retention_mode, of.files_retention_mode)
    if any(mode in ("GOVERNANCE", "COMPLIANCE") for mode in modes) and of.default_retention_period is MISSING:
        raise ValueError("a retention mode needs default_retention_period")


_Creators = Annotated[
    list[Annotated[Text, Field(min_length=1)]] | None | MISSING,
    SET,
    Clears([]),
    Opens(),
    ServerDefault([], WITNESS),
]


class View(OnTwoSites):
    """A view: a directory of a tenant as clients reach it, one per path and tenant. Deleting it keeps the directory,
    its quota and its snapshots.

    Without `view_policy` the tenant's own is used. `qos`, `quota`, `snapshots` and `lifecycle` create objects of
    their own, with the name of the entry, that in `names`, or that of the rule. Once on, `s3_versioning` and
    `locking` cannot be switched off. One that two sites share, with `replicate` or `global_access`, is created on
    both. The fields that create its directory (`create_dir`, its mode and owner) count on the active site: the other
    gets the directory from there.
    """

    path: Annotated[Directory, IDENTITY, IMMUTABLE]
    """Directory that clients see, as an absolute path inside the tenant."""
    tenant: Annotated[ReferenceName, Refers("tenant"), Wire("tenant_id"), IDENTITY, IMMUTABLE]
    """Tenant that the view and its directory belong to."""
    view_policy: Annotated[ReferenceName | MISSING, Refers("view_policy", admits=True), Wire("policy_id")] = MISSING
    """View policy that decides which hosts may mount the view and how; when left out, the only one of the tenant in
    this document."""
    protocols: Annotated[
        list[Protocol] | MISSING, Field(min_length=1), SET, Admits(unsaid=("NFS",), through=_BY_PROTOCOL)
    ] = MISSING
    """Protocols by which clients reach the view: NFS is version 3, NFS4 is 4.1 and 4.2. VMS assumes NFS alone when
    left out; BLOCK excludes all others."""
    name: VendorName | MISSING = MISSING
    """Name of the view in VMS; with protocol BLOCK the name of its subsystem, which it needs."""
    alias: Annotated[_Alias | None | MISSING, Clears(""), Opens(shut=(None,))] = MISSING
    """Path by which NFSv3 clients may mount the view as well; null is none."""
    create_dir: Annotated[bool, CREATE_ONLY] = True
    """Whether the directory is created with the view where it does not exist."""
    create_dir_mode: Annotated[Mode | MISSING, CREATE_ONLY, Opens()] = MISSING
    """Permission bits of the directory that the view creates, as octal digits, such as 755."""
    owner: Annotated[Text | MISSING, CREATE_ONLY, Opens()] = MISSING
    """Owner of the directory that the view creates. Write owning_group with it."""
    owning_group: Annotated[Text | MISSING, CREATE_ONLY, Opens()] = MISSING
    """Group that owns the directory that the view creates."""
    qos_policy: Annotated[ReferenceName | None | MISSING, Refers("qos_policy"), Wire("qos_policy_id")] = MISSING
    """QoS policy of type VIEW that limits the view; null is none. It excludes qos."""
    is_seamless: Annotated[bool | MISSING, OFF] = MISSING
    """Whether file handles are kept in step with replication peers, so that NFSv3 mounts outlive a failover. Each peer
    needs such a view."""
    select_for_live_monitoring: Annotated[bool | MISSING, OFF] = MISSING
    """Whether VMS samples the view every 10 seconds instead of every 5 minutes; a cluster does so for at most ten
    views."""
    abe_protocols: Annotated[
        list[Literal["NFS", "NFS4", "SMB", "S3"]] | None | MISSING,
        SET,
        Clears([]),
        Opens(lost=True, at_create=False),
        ServerDefault([], WITNESS),
    ] = MISSING
    """Protocols by which users see only what they may access in a directory (access-based enumeration)."""
    nfs_interop_flags: Annotated[
        Literal[
            "BOTH_NFS3_AND_NFS4_INTEROP_DISABLED",
            "ONLY_NFS3_INTEROP_ENABLED",
            "ONLY_NFS4_INTEROP_ENABLED",
            "BOTH_NFS3_AND_NFS4_INTEROP_ENABLED",
        ]
        | MISSING,
        Opens(shut=("BOTH_NFS3_AND_NFS4_INTEROP_DISABLED",)),
        ServerDefault("BOTH_NFS3_AND_NFS4_INTEROP_DISABLED", WITNESS),
    ] = MISSING
    """NFS versions whose clients respect the locks of SMB clients, for files that both use at once. It costs
    performance."""

    share: Annotated[ShareName | MISSING, Opens(at_create=False)] = MISSING
    """Name of the SMB share; protocol SMB needs it."""
    share_acl: Annotated[ShareAcl | MISSING, ATOMIC] = MISSING
    """Access list of the SMB share: users and groups, and their rights."""

    bucket: Annotated[_Bucket | MISSING, IMMUTABLE, FIRST_VALUE, Opens(at_create=False)] = MISSING
    """Name of the S3 bucket; protocol S3 needs it."""
    bucket_owner: Annotated[Text | MISSING, Opens(), _OWNED] = MISSING
    """User, by name, who owns the bucket and may do everything in it that no policy denies; protocol S3 needs it."""
    bucket_owner_type: Annotated[
        Literal["USER", "ROLE"] | MISSING, Since("vms", "5.5"), Opens(at_create=False), _OWNED
    ] = MISSING
    """Whether bucket_owner is the name of a user or of a role."""
    allow_s3_anonymous_access: Annotated[bool | MISSING, Opens(True, whom="anybody, without a key"), OFF] = MISSING
    """Whether S3 requests without a key are answered, for objects whose ACL or mode bits let everybody in."""
    bucket_creators: _Creators = MISSING
    """Users by name, of any provider of the tenant, whose new S3 buckets this view of protocol ENDPOINT creates;
    each in one such view only."""
    bucket_creators_groups: _Creators = MISSING
    """Groups by name for whose members this view of protocol ENDPOINT creates new S3 buckets. Where two such views
    fit a user, it is not certain which one is used."""
    s3_versioning: Annotated[bool | MISSING, ONE_WAY, _NO_RETENTION] = MISSING
    """Whether the bucket keeps the old versions of objects that are overwritten or deleted. Once on, it cannot be
    switched off."""
    locking: Annotated[bool | MISSING, ONE_WAY, _NO_RETENTION] = MISSING
    """Whether files and objects can be locked against change and deletion. It is never switched off again; a bucket
    needs s3_versioning with it."""
    s3_locks_retention_mode: Annotated[Retention | MISSING, ServerDefault("NONE", WITNESS, group=_RETENTION)] = MISSING
    """Retention mode of new object versions that are uploaded without one. GOVERNANCE and COMPLIANCE need
    default_retention_period."""
    files_retention_mode: Annotated[Retention | MISSING, ServerDefault("NONE", WITNESS, group=_RETENTION)] = MISSING
    """Retention mode of new files: GOVERNANCE lets authorized users shorten a retention, COMPLIANCE only lets them
    extend it. Locking with NFS or SMB needs one of these."""
    default_retention_period: Annotated[Period | MISSING, _NO_PERIOD] = MISSING
    """Time for which new object versions, and files that auto_commit locks, stay locked, such as 30d; m is months. Each
    retention mode needs it."""
    min_retention_period: Annotated[Period | MISSING, _NO_PERIOD] = MISSING
    """Shortest time for which a file may be locked, such as 1d; m is months here."""
    max_retention_period: Annotated[Period | MISSING, _NO_PERIOD] = MISSING
    """Longest time for which a file may be locked, such as 2y; m is minutes here."""
    auto_commit: Annotated[Period | MISSING, _NO_PERIOD] = MISSING
    """Time after its last save when a file is locked automatically, for default_retention_period, such as 2h."""

    is_default_subsystem: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    """Whether new block volumes that name no view are created in this one; a tenant has at most one. It needs
    protocol BLOCK."""

    quota: Annotated[QuotaRules | MISSING, DOCUMENT] = MISSING
    """Quota of the view's directory, created as an object of its own."""
    snapshots: Annotated[ReferenceName | MISSING, Refers("protection_policy"), DOCUMENT] = MISSING
    """Snapshot schedule of the view's directory, for which a protected path is created; one, which may have several
    frames. It excludes replicate and
    global_access."""
    qos: Annotated[QosLimits | MISSING, DOCUMENT] = MISSING
    """Performance limits of this view alone, for which a QoS policy is created. It excludes qos_policy."""
    lifecycle: Annotated[LifecycleRules | MISSING, DOCUMENT] = MISSING
    """Lifecycle rules of the view's bucket, by which VAST deletes objects; each is created as an object of its own."""
    names: Annotated[PartNames | MISSING, DOCUMENT] = MISSING
    """Names of the objects that quota, qos and snapshots create, where they are not the entry's key."""

    @model_validator(mode="after")
    def _of_its_protocols(self) -> "View":
        protocols = self._protocols()
        if "SMB" in protocols and self.share is MISSING:
            raise ValueError("protocol SMB needs share")
        if "S3" in protocols and (self.bucket is MISSING or self.bucket_owner is MISSING):
            raise ValueError("protocol S3 needs bucket and bucket_owner")
        if "BLOCK" in protocols and len(protocols) > 1:
            raise ValueError("protocol BLOCK excludes all others")
        if "BLOCK" in protocols and self.name is MISSING:
            raise ValueError("protocol BLOCK needs name, the name of the subsystem")
        if self.is_default_subsystem is True and "BLOCK" not in protocols:
            raise ValueError("is_default_subsystem needs protocol BLOCK")
        creators = (self.bucket_creators, self.bucket_creators_groups)
        if any(isinstance(names, list) and names for names in creators) and "ENDPOINT" not in protocols:
            raise ValueError("bucket_creators and bucket_creators_groups need protocol ENDPOINT")
        if self.lifecycle is not MISSING and self.bucket is MISSING:
            raise ValueError("lifecycle needs a bucket")
        if isinstance(self.alias, str) and "NFS" not in protocols:
            raise ValueError("an alias needs protocol NFS")
        return self

    @model_validator(mode="after")
    def _retention(self) -> "View":
        refuse_wrong_retention(self, self._protocols())
        return self

    def _protocols(self) -> set[str]:
        return set(self.protocols) if isinstance(self.protocols, list) else {"NFS"}  # what VMS assumes for none

    @model_validator(mode="after")
    def _one_qos(self) -> "View":
        if self.qos is not MISSING and self.qos_policy is not MISSING:
            raise ValueError("give either qos or qos_policy")
        return self

    @model_validator(mode="after")
    def _names_of_its_parts(self) -> "View":
        creators = {"quota": "quota", "protected_path": self.protected_by(), "qos_policy": "qos"}
        refuse_names_of_missing_parts(self, self.names, creators)
        return self


def _whole_acl(body: Row, values: Values) -> Row:
    """VMS requires the list together with the switch, even an empty one."""
    if "share_acl" in body:
        body["share_acl"].setdefault("acl", [])
    return body


def _grants(values: Values, row: Row) -> Values:
    """VMS shows the fields that a grant leaves out, and the domain `All`, as empty text."""
    share = values.get("share_acl")
    acl = share.get("acl") if isinstance(share, dict) else None
    if isinstance(acl, list) and all(isinstance(grant, dict) for grant in acl):
        named = [{**grant, "fqdn": grant.get("fqdn") or "All"} if grant.get("name") else grant for grant in acl]
        values["share_acl"]["acl"] = [{key: value for key, value in grant.items() if value != ""} for grant in named]
    return values


KIND = Kind(
    View,
    name="view",
    system="vast",
    section="views",
    stage=Stage.DATA,
    called=("bucket", "bucket"),
    endpoint=collection("views"),
    attributes=(Attribute("bucket", ("bucket",), lambda values: values.get("bucket"), ("bucket",)),),
    keyed=Keyed(
        (
            CalledAs("protected_path", (("tenant", "tenant"), ("path", "source_dir"))),
            CalledAs("quota", (("tenant", "tenant"), ("path", "path"))),
        ),
        path="path",
        within="tenant",
    ),
    data_bearing=True,
    data_place=DataPlace(
        ("path", "tenant"),
        to_site=(
            "write sites: [{there}, {here}], active: {there} and replicate: SCHEDULE, apply, then: "
            "vastplan move plan {document} {old} --to {here}"
        ),
        within={
            "path": (
                "before path changes take a snapshot, and: "
                "vastplan restore plan {document} {old} --snapshot NAME --directory {path}"
            )
        },
    ),
    unique=(("bucket", "tenant"), ("share",), ("alias", "tenant")),
    metrics=(Metric("used", ("logical_capacity",), units.BYTES),),
    in_use=("used",),
    held=HeldData(("used",), (Linked("quota", (("tenant", "tenant"), ("path", "path"))),), alone=True),
    users=(
        Linked("persistent_volume", (("path", "volume_handle"),), agree=(("tenant", "vip_pool.tenant"),)),
        Linked("persistent_volume", (("id", "view_id"),)),
        Linked("nfs_data_source", (("path", "path"),)),
        Linked("nfs_data_source", (("alias", "path"),)),
        Linked("s3_data_source", (("bucket", "bucket"),)),
        Linked("s3_key", (("tenant", "tenant"), ("bucket_owner", "user_name"))),
    ),
    unlisted_users=("clients outside Kubernetes", "VMS does not list them"),
    refuses_delete=(
        RefusesDelete(
            "used",
            "VAST deletes no bucket that has objects",
            "empty the bucket with an S3 client, then plan again",
            "bucket",
        ),
    ),
    dependents=(below("path"), clones_of("path")),
    witness=Witness(("path",), "/"),
    # The view creates the directory that the path protects.
    precedes=(Precedes("protected_path", same=(("tenant", "tenant"), ("path", "source_dir")), here=True),),
    controller_owned=CSI_CREATED,
    system_owned=(*INTERNAL, (("is_remote",), True), (("path",), "/")),  # the cluster's own root view
    finish_encode=_whole_acl,
    finish_decode=_grants,
)
