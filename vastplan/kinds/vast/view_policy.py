"""View policy: who may reach the views that use it, from where, with which rights and rules."""

import re
from typing import Annotated, Literal

from pydantic import model_validator

from vastplan.kinds.vast._common import INTERNAL, OFF, SECONDS, Clients, Mode, NfsClients, collection
from vastplan.model.plan import Stage
from vastplan.schema.access import LetsIn
from vastplan.schema.dependents import built_in
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import ControllerOwned, Witness
from vastplan.schema.markers import (
    EXPLICIT_NULL,
    IDENTITY,
    PROSE,
    SET,
    SMALLER,
    WITNESS,
    Admits,
    Clears,
    Opens,
    Refers,
    Revokes,
    ServerDefault,
    Wire,
)
from vastplan.schema.types import MISSING, ReferenceName, Span, Spec, Text, VendorName

_PERMISSIONS = "permission_per_vip_pool"
# VMS opens a list that is left out to everybody (`*`), so "nobody" has to be sent: null and [] mean that.
_Nfs = Annotated[list[NfsClients] | None | MISSING, SET, EXPLICIT_NULL, Clears([])]
_Hosts = Annotated[list[Clients] | None | MISSING, SET, EXPLICIT_NULL, Clears([])]
_Names = Annotated[list[Text] | None | MISSING, SET, EXPLICIT_NULL, Clears([])]
# A policy without pools allows every pool, which must not result from the deletion of its last pool.
_Pools = Annotated[list[ReferenceName] | None | MISSING, SET, EXPLICIT_NULL, Refers("vip_pool"), Clears([])]
_OTHER_MODE = re.compile(r"(\d+) \((.*)\)", re.DOTALL)  # POOL (MODE), as `_pools` lists a pool with an unknown mode
_ALL = ("*",)
_NOT = "~"  # VMS takes entries such as ~10.1.0.7, which keep a client out; a document has none
_READ_ONLY = "vip_pools_read_only"
_NATIVE = Revokes(
    "identity policies and bucket policies no longer count for its views: requests that only they allow are refused at once",
    of=("S3_NATIVE",),
)
# One list alone does not decide who has which access by a protocol: the lists of a protocol are left out together.
_EVERYBODY, _NFS_EVERYBODY, _SMB_EVERYBODY, _S3_EVERYBODY = (
    ServerDefault(["*"], WITNESS, group=group) for group in ("hosts", "nfs hosts", "smb hosts", "s3 hosts")
)
_NOBODY, _NFS_NOBODY, _SMB_NOBODY, _S3_NOBODY = (
    ServerDefault([], WITNESS, group=group) for group in ("hosts", "nfs hosts", "smb hosts", "s3 hosts")
)
_NO_POOLS = ServerDefault([], WITNESS)
_EXCLUSIVE = (
    ("nfs_root_squash", "nfs_no_squash", "nfs_all_squash"),
    ("nfs_read_write", "nfs_read_only"),
    ("smb_read_write", "smb_read_only"),
    ("s3_read_write", "s3_read_only"),
    ("read_write", "read_only"),
)


class ProtocolsAudit(Spec):
    """Which operations are audited, and what the log has of each."""

    create_delete_files_dirs_objects: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether it is audited when files, directories or objects are created or deleted."""
    modify_data: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether it is audited when data is modified."""
    modify_data_md: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether it is audited when data or metadata is modified, the size of a file included."""
    read_data: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether it is audited when data is read."""
    read_data_md: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether it is audited when data or metadata is read."""
    session_create_close: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether it is audited when sessions with Kerberos 5 authentication are created and closed."""
    log_full_path: Annotated[bool | MISSING, ServerDefault(True, PROSE), SMALLER] = MISSING
    """Whether the log has the full path of what was used; otherwise it has the path of the view. It may cost
    performance."""
    log_hostname: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether the log has the host name of the client."""
    log_username: Annotated[bool | MISSING, ServerDefault(False, PROSE), SMALLER] = MISSING
    """Whether the log has the name of the requesting user."""
    log_deleted_files_dirs: Annotated[bool | MISSING, OFF, SMALLER] = MISSING
    """Whether the log has deleted files and directories."""


class ViewPolicy(Spec):
    """A view policy: which hosts may reach the views that use it, by which protocols and pools, and with which rights.
    `tenant: null` serves every tenant. Names are unique on the cluster, whatever the tenant.

    Host lists hold addresses, CIDRs, `10.1.*.*`, `*` and, for NFS, `@netgroup`; `10.1.0.5/24` means `10.1.0.0/24`. `protocols` are the audited ones.
    Without pools, or with `vip_pools: null`, clients may use any pool.
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    """Name of the policy, unique on the cluster whatever the tenant; the entry's key when left out."""
    tenant: Annotated[ReferenceName | None, Refers("tenant"), Wire("tenant_id"), EXPLICIT_NULL, Opens(None)]
    """Tenant whose views may use the policy; null serves the views of every tenant."""
    flavor: Annotated[
        Literal["NFS", "SMB", "MIXED_LAST_WINS", "S3_NATIVE"] | MISSING, Opens(at_create=False), _NATIVE
    ] = MISSING
    """Permissions that decide on access to files: mode bits of NFS, ACLs of SMB, policies and ACLs of S3
    (S3_NATIVE), or those that were set last by any client. It cannot change while buckets use the policy."""
    access_flavor: Annotated[
        Literal["NFS4", "SMB", "ALL"] | MISSING, Opens(at_create=False), ServerDefault("ALL", WITNESS)
    ] = MISSING
    """Protocols besides NFSv3 whose clients may set permissions under flavor MIXED_LAST_WINS."""
    auth_source: Annotated[
        Literal["RPC", "PROVIDERS", "RPC_AND_PROVIDERS"] | MISSING,
        Opens("RPC", "RPC_AND_PROVIDERS"),
        ServerDefault("PROVIDERS", WITNESS),
    ] = MISSING
    """Source of a user's group memberships: what the client's request says (RPC), the tenant's providers, or both."""
    path_length: Annotated[Literal["LCD", "NPL"] | MISSING, ServerDefault("LCD", WITNESS)] = MISSING
    """Limit on the length of names in paths: LCD is the strictest of all protocols, NPL that of the protocol in use."""
    allowed_characters: Annotated[Literal["LCD", "NPL"] | MISSING, ServerDefault("LCD", WITNESS)] = MISSING
    """Characters in file names: LCD allows those that all protocols allow, NPL those of the protocol in use. With NPL a
    protocol does not show files whose names it does not allow."""
    gid_inheritance: Annotated[Literal["LINUX", "BSD"] | MISSING, ServerDefault("LINUX", WITNESS)] = MISSING
    """Owning group of new files: LINUX takes the group of the user, BSD that of the parent directory."""
    inherit_parent_mode_bits: Annotated[bool | MISSING, Opens(at_create=False), OFF] = MISSING
    """Whether new files and directories get their POSIX permissions from the parent directory instead of the configured
    ones."""
    atime_frequency: Annotated[Span | MISSING, SECONDS, ServerDefault(3600, PROSE)] = MISSING
    """Least age of a file's atime at which a read by NFS updates the atime, such as 1h."""
    vip_pools: Annotated[
        _Pools, Wire(_PERMISSIONS, "RW"), Admits(open_when_empty=True, beside=(_READ_ONLY,)), _NO_POOLS
    ] = MISSING
    """VIP pools through which clients may read and write. Without any here and in vip_pools_read_only, clients may use
    every pool."""
    vip_pools_read_only: Annotated[
        _Pools, Wire(_PERMISSIONS, "RO"), Admits("vip_pools", open_when_empty=True, beside=("vip_pools",)), _NO_POOLS
    ] = MISSING
    """VIP pools through which clients may only read; null or an empty list is none."""

    read_write: Annotated[_Hosts, Admits(unsaid=_ALL, refuses=_NOT), _EVERYBODY] = MISSING
    """Hosts that may read and write, in the list that names no protocol; null or an empty list is none."""
    read_only: Annotated[_Hosts, Admits("read_write", restricts=True, refuses=_NOT), _NOBODY] = MISSING
    """Hosts that may only read, in the list that names no protocol; null or an empty list is none."""
    nfs_read_write: Annotated[_Nfs, Admits(unsaid=_ALL, refuses=_NOT), _NFS_EVERYBODY] = MISSING
    """Hosts that may read and write by NFS; null or an empty list is none."""
    nfs_read_only: Annotated[_Nfs, Admits("nfs_read_write", restricts=True, refuses=_NOT), _NFS_NOBODY] = MISSING
    """Hosts that may only read by NFS; null or an empty list is none."""
    nfs_root_squash: Annotated[_Nfs, Admits("nfs_no_squash", unsaid=_ALL, restricts=True), _NFS_EVERYBODY] = MISSING
    """Hosts whose root user is mapped to nobody by NFS; null or an empty list is none."""
    nfs_no_squash: Annotated[_Nfs, Admits(), _NFS_NOBODY] = MISSING
    """Hosts whose root user stays root by NFS and may do everything to the files; null or an empty list is none."""
    nfs_all_squash: Annotated[_Nfs, Admits("nfs_root_squash", "nfs_no_squash", restricts=True), _NFS_NOBODY] = MISSING
    """Hosts all of whose users are mapped to nobody by NFS; null or an empty list is none."""
    smb_read_write: Annotated[_Hosts, Admits(unsaid=_ALL, refuses=_NOT), _SMB_EVERYBODY] = MISSING
    """Hosts that may read and write by SMB; null or an empty list is none."""
    smb_read_only: Annotated[_Hosts, Admits("smb_read_write", restricts=True, refuses=_NOT), _SMB_NOBODY] = MISSING
    """Hosts that may only read by SMB; null or an empty list is none."""
    s3_read_write: Annotated[_Hosts, Admits(unsaid=_ALL, refuses=_NOT), _S3_EVERYBODY] = MISSING
    """Hosts that may read and write by S3; null or an empty list is none."""
    s3_read_only: Annotated[_Hosts, Admits("s3_read_write", restricts=True, refuses=_NOT), _S3_NOBODY] = MISSING
    """Hosts that may only read by S3; null or an empty list is none."""
    trash_access: Annotated[_Hosts, Opens(), _NOBODY] = MISSING
    """Hosts that may use the trash folder by NFS; null or an empty list is none. The cluster must have its trash
    enabled."""

    nfs_minimal_protection_level: Annotated[
        Literal["NONE", "SYSTEM", "KRB_AUTH_ONLY", "KRB_INTEGRITY", "KRB_PRIVACY"] | MISSING,
        Opens(shut=("KRB_PRIVACY",), at_create=False),
        ServerDefault("NONE", PROSE),
    ] = MISSING
    """Weakest authentication of NFSv4 mounts: NONE takes anonymous ones, SYSTEM needs AUTH_SYS or Kerberos, the others
    Kerberos, with integrity or privacy as their names say."""
    nfs_enforce_tls: Annotated[bool | MISSING, Opens(False), OFF] = MISSING
    """Whether NFS mounts must be encrypted with TLS. Use it with protection level NONE or SYSTEM only."""
    nfs_enforce_tls_relaxed: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    """Whether auxiliary protocols of NFSv3 (MOUNT, NLM, NSM, RQUOTA, NFSACL) need no TLS where nfs_enforce_tls asks for
    it."""
    nfs_posix_acl: Annotated[bool | MISSING, Opens(at_create=False), OFF] = MISSING
    """Whether extended POSIX ACLs are supported in full."""
    nfs_return_open_permissions: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    """Whether access checks of NFS clients are always answered with permission 777, for all files and directories."""
    nfs_case_insensitive: Annotated[bool | MISSING, OFF] = MISSING
    """Whether NFSv3 and NFSv4 ignore the case of file names."""
    enable_access_to_snapshot_dir_in_subdirs: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    """Whether clients can open the directory .snapshot in the subdirectories of a view."""
    enable_visibility_of_snapshot_dir: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    """Whether the directory .snapshot is visible in the subdirectories of a view."""
    smb_file_mode: Annotated[Mode | MISSING, Opens(), ServerDefault(644, WITNESS)] = MISSING
    """Permission bits of files that SMB clients create under flavor NFS, as octal digits, such as 644."""
    smb_directory_mode: Annotated[Mode | MISSING, Opens(), ServerDefault(755, WITNESS)] = MISSING
    """Permission bits of directories that SMB clients create under flavor NFS, as octal digits, such as 755."""
    smb_is_ca: Annotated[bool | MISSING, OFF] = MISSING
    """Whether SMB shares are continuously available: SMB3 clients may keep their connections and handles through a
    failover."""
    apple_sid: Annotated[bool | MISSING, OFF] = MISSING
    """Whether Mac clients of SMB shares get SIDs in a form that is compatible with Apple."""
    s3_special_chars_support: Annotated[bool | MISSING, OFF] = MISSING
    """Whether names of objects may contain // and /../, which other protocols do not allow."""
    s3_flavor_allow_free_listing: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    """Whether NFS clients may list bucket views and their subdirectories whatever the permissions of objects are."""
    s3_flavor_detect_full_pathname: Annotated[bool | MISSING, Opens(at_create=False), OFF] = MISSING
    """Whether identity policies are compared with the full names of objects for access by NFS under flavor S3_NATIVE,
    or with the name of the bucket alone."""
    s3_visibility: Annotated[_Names, Opens(), ServerDefault([], WITNESS)] = MISSING
    """Users who see the buckets of this policy in lists of buckets, even without access to them."""
    s3_visibility_groups: Annotated[_Names, Opens(), ServerDefault([], WITNESS)] = MISSING
    """Groups whose members see the buckets of this policy in lists of buckets, even without access to them."""
    is_s3_default_policy: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    """Whether the policy is the default one for S3 endpoint views."""
    protocols: Annotated[
        list[Literal["NFSv3", "NFSv4.1", "SMB", "S3", "NDB", "STS"]] | None | MISSING, SET, Clears([])
    ] = MISSING
    """Protocols whose operations are audited; the protocols of a view are written in the view."""
    protocols_audit: ProtocolsAudit | MISSING = MISSING
    """Operations on these views that are audited in addition to what the cluster audits, and what the log has of
    each."""

    @model_validator(mode="after")
    def _each_in_one_list(self) -> "ViewPolicy":
        for lists in (*_EXCLUSIVE, ("vip_pools", "vip_pools_read_only")):
            seen: dict[str, str] = {}
            for name in lists:
                members = getattr(self, name)
                for member in members if isinstance(members, list) else ():
                    if seen.setdefault(str(member), name) != name:
                        raise ValueError(f"{member} is in {seen[str(member)]} and in {name}")
        return self


def _permissions(body: Row, values: Values) -> Row:
    """VMS keeps the pools as a mapping, and clears it only if the list is sent empty, too."""
    pools = body.pop(_PERMISSIONS, None)
    if pools is None:
        return body
    mode_by_pool = {str(pool): mode for mode, ids in pools.items() for pool in ids}
    others = {pool: match for pool in mode_by_pool if (match := _OTHER_MODE.fullmatch(pool))}
    modes = {pool: mode for pool, mode in mode_by_pool.items() if pool not in others}
    modes |= {match[1]: match[2] for match in others.values()}
    ids = [pool for of_mode in pools.values() for pool in of_mode if str(pool) not in others]
    return {**body, "vip_pools": [*ids, *(int(match[1]) for match in others.values())], _PERMISSIONS: modes}


def _pools(values: Values, row: Row) -> Values:
    """The mapping as two lists. A row of a release without the mapping has only the list.

    A pool with an unknown mode is in `vip_pools` together with that mode, so it is neither left out nor taken for
    another pool.
    """
    modes = row.get(_PERMISSIONS) or {str(pool): "RW" for pool in row.get("vip_pools") or ()}
    if not isinstance(modes, dict):
        return {**values, "vip_pools": modes}
    for name, mode in (("vip_pools", "RW"), ("vip_pools_read_only", "RO")):
        ids = [pool for pool, has in modes.items() if has == mode]
        values[name] = [int(pool) if pool.isdecimal() else pool for pool in sorted(ids)]
    values["vip_pools"] += [f"{pool} ({mode})" for pool, mode in sorted(modes.items()) if mode not in ("RW", "RO")]
    return values


KIND = Kind(
    ViewPolicy,
    name="view_policy",
    system="vast",
    section="view_policies",
    stage=Stage.POLICY,
    endpoint=collection("viewpolicies"),
    # The hosts and rights of a new policy may depend on its flavor.
    witness=Witness(("name",), "default", like=("flavor",)),
    refuses_delete=(built_in("VAST"),),
    system_owned=(*INTERNAL, (("name",), "default"), (("name",), "s3_default_policy")),
    lets_in=LetsIn("without it no client reaches the views that use it", who=("tenant",)),
    # VAST creates and deletes one with each tenant. If a document names it, it is managed like any other policy.
    controller_owned=(ControllerOwned("VAST, with each tenant", ("name",), r".+__default_policy", goes_along=True),),
    finish_encode=_permissions,
    finish_decode=_pools,
)
