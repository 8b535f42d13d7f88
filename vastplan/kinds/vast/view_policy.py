"""View policy: who may reach the views that use it, from where, with which rights and rules."""

import re
from typing import Annotated, Literal

from pydantic import model_validator

from vastplan.kinds.vast._common import INTERNAL, OFF, SECONDS, Clients, Mode, NfsClients, collection
from vastplan.model.plan import Stage
from vastplan.schema.compile import kind
from vastplan.schema.kind import ControllerOwned, LetsIn, Row, Values, Witness
from vastplan.schema.markers import (
    EXPLICIT_NULL,
    IDENTITY,
    IMMUTABLE,
    PROSE,
    SET,
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
# VMS opens what is left out to everybody (`*`), so nobody has to be said: null and [] are that.
_Nfs = Annotated[list[NfsClients] | None | MISSING, SET, EXPLICIT_NULL, Clears([])]
_Hosts = Annotated[list[Clients] | None | MISSING, SET, EXPLICIT_NULL, Clears([])]
_Names = Annotated[list[Text] | None | MISSING, SET, EXPLICIT_NULL, Clears([])]
# No pool of its own means every pool, which a policy must not get by losing its last one.
_Pools = Annotated[list[ReferenceName] | None | MISSING, SET, EXPLICIT_NULL, Refers("vip_pool"), Clears([])]
_OTHER_MODE = re.compile(r"(\d+) \((.*)\)", re.DOTALL)  # of a pool, as `_pools` tells one that nobody knows
_ALL = ("*",)
_NATIVE = Revokes(
    "identity policies and policies of buckets count for its views no more: who came in by them is refused, at once",
    of=("S3_NATIVE",),
)
# One list alone does not say who may come in by a protocol, and how: those of a protocol are left out together.
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
    """Which operations are audited, and what the log says of each."""

    create_delete_files_dirs_objects: Annotated[bool | MISSING, OFF] = MISSING
    modify_data: Annotated[bool | MISSING, OFF] = MISSING
    modify_data_md: Annotated[bool | MISSING, OFF] = MISSING
    read_data: Annotated[bool | MISSING, OFF] = MISSING
    read_data_md: Annotated[bool | MISSING, OFF] = MISSING
    session_create_close: Annotated[bool | MISSING, OFF] = MISSING
    log_full_path: Annotated[bool | MISSING, ServerDefault(True, PROSE)] = MISSING
    log_hostname: Annotated[bool | MISSING, OFF] = MISSING
    log_username: Annotated[bool | MISSING, ServerDefault(False, PROSE)] = MISSING
    log_deleted_files_dirs: Annotated[bool | MISSING, OFF] = MISSING


class ViewPolicy(Spec):
    """A view policy. `tenant: null` serves every tenant. Names are unique on the cluster, whatever the tenant.

    Host lists hold addresses, CIDRs, `10.1.*.*`, `*` and, for NFS, `@netgroup`. `protocols` are the audited ones.
    Without pools, or with `vip_pools: null`, clients may come in by any pool.
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    tenant: Annotated[ReferenceName | None, Refers("tenant"), Wire("tenant_id"), IMMUTABLE, EXPLICIT_NULL, Opens(None)]
    flavor: Annotated[Literal["NFS", "SMB", "MIXED_LAST_WINS", "S3_NATIVE"] | MISSING, Opens(made=False), _NATIVE] = (
        MISSING
    )
    access_flavor: Annotated[
        Literal["NFS4", "SMB", "ALL"] | MISSING, Opens(made=False), ServerDefault("ALL", WITNESS)
    ] = MISSING
    auth_source: Annotated[
        Literal["RPC", "PROVIDERS", "RPC_AND_PROVIDERS"] | MISSING,
        Opens("RPC", "RPC_AND_PROVIDERS"),
        ServerDefault("PROVIDERS", WITNESS),
    ] = MISSING
    path_length: Annotated[Literal["LCD", "NPL"] | MISSING, ServerDefault("LCD", WITNESS)] = MISSING
    allowed_characters: Annotated[Literal["LCD", "NPL"] | MISSING, ServerDefault("LCD", WITNESS)] = MISSING
    gid_inheritance: Annotated[Literal["LINUX", "BSD"] | MISSING, ServerDefault("LINUX", WITNESS)] = MISSING
    inherit_parent_mode_bits: Annotated[bool | MISSING, Opens(made=False), OFF] = MISSING
    atime_frequency: Annotated[Span | MISSING, SECONDS, ServerDefault(3600, PROSE)] = MISSING
    vip_pools: Annotated[_Pools, Wire(_PERMISSIONS, "RW"), Admits(open_when_empty=True), _NO_POOLS] = MISSING
    vip_pools_read_only: Annotated[_Pools, Wire(_PERMISSIONS, "RO"), Admits("vip_pools"), _NO_POOLS] = MISSING

    read_write: Annotated[_Hosts, Admits(unsaid=_ALL), _EVERYBODY] = MISSING
    read_only: Annotated[_Hosts, Admits("read_write"), _NOBODY] = MISSING
    nfs_read_write: Annotated[_Nfs, Admits(unsaid=_ALL), _NFS_EVERYBODY] = MISSING
    nfs_read_only: Annotated[_Nfs, Admits("nfs_read_write"), _NFS_NOBODY] = MISSING
    nfs_root_squash: Annotated[_Nfs, Admits("nfs_no_squash", unsaid=_ALL), _NFS_EVERYBODY] = MISSING
    nfs_no_squash: Annotated[_Nfs, Admits(), _NFS_NOBODY] = MISSING
    nfs_all_squash: Annotated[_Nfs, Admits("nfs_root_squash", "nfs_no_squash"), _NFS_NOBODY] = MISSING
    smb_read_write: Annotated[_Hosts, Admits(unsaid=_ALL), _SMB_EVERYBODY] = MISSING
    smb_read_only: Annotated[_Hosts, Admits("smb_read_write"), _SMB_NOBODY] = MISSING
    s3_read_write: Annotated[_Hosts, Admits(unsaid=_ALL), _S3_EVERYBODY] = MISSING
    s3_read_only: Annotated[_Hosts, Admits("s3_read_write"), _S3_NOBODY] = MISSING
    trash_access: Annotated[_Hosts, Opens(), _NOBODY] = MISSING

    nfs_minimal_protection_level: Annotated[
        Literal["NONE", "SYSTEM", "KRB_AUTH_ONLY", "KRB_INTEGRITY", "KRB_PRIVACY"] | MISSING,
        Opens(shut=("KRB_PRIVACY",), made=False),
        ServerDefault("NONE", PROSE),
    ] = MISSING
    nfs_enforce_tls: Annotated[bool | MISSING, Opens(False), OFF] = MISSING
    nfs_enforce_tls_relaxed: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    nfs_posix_acl: Annotated[bool | MISSING, Opens(made=False), OFF] = MISSING
    nfs_return_open_permissions: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    nfs_case_insensitive: Annotated[bool | MISSING, OFF] = MISSING
    enable_access_to_snapshot_dir_in_subdirs: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    enable_visibility_of_snapshot_dir: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    smb_file_mode: Annotated[Mode | MISSING, Opens(), ServerDefault(644, WITNESS)] = MISSING
    smb_directory_mode: Annotated[Mode | MISSING, Opens(), ServerDefault(755, WITNESS)] = MISSING
    smb_is_ca: Annotated[bool | MISSING, OFF] = MISSING
    apple_sid: Annotated[bool | MISSING, OFF] = MISSING
    s3_special_chars_support: Annotated[bool | MISSING, OFF] = MISSING
    s3_flavor_allow_free_listing: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    s3_flavor_detect_full_pathname: Annotated[bool | MISSING, Opens(made=False), OFF] = MISSING
    s3_visibility: Annotated[_Names, Opens(), ServerDefault([], WITNESS)] = MISSING
    s3_visibility_groups: Annotated[_Names, Opens(), ServerDefault([], WITNESS)] = MISSING
    is_s3_default_policy: Annotated[bool | MISSING, Opens(True), OFF] = MISSING
    protocols: Annotated[
        list[Literal["NFSv3", "NFSv4.1", "SMB", "S3", "NDB", "STS"]] | None | MISSING, SET, Clears([])
    ] = MISSING
    protocols_audit: ProtocolsAudit | MISSING = MISSING

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
    """VMS keeps the pools as a mapping, and clears them only when the list says so too."""
    pools = body.pop(_PERMISSIONS, None)
    if pools is None:
        return body
    known = {str(pool): mode for mode, ids in pools.items() for pool in ids}
    others = {pool: found for pool in known if (found := _OTHER_MODE.fullmatch(pool))}
    modes = {pool: mode for pool, mode in known.items() if pool not in others}
    modes |= {found[1]: found[2] for found in others.values()}
    ids = [pool for of_mode in pools.values() for pool in of_mode if str(pool) not in others]
    return {**body, "vip_pools": [*ids, *(int(found[1]) for found in others.values())], _PERMISSIONS: modes}


def _pools(values: Values, row: Row) -> Values:
    """The mapping as two lists; a row of before there was one has the list only.

    A pool with a mode that nobody knows stands among the first with it: it is neither left out nor taken for another.
    """
    modes = row.get(_PERMISSIONS) or {str(pool): "RW" for pool in row.get("vip_pools") or ()}
    if not isinstance(modes, dict):
        return {**values, "vip_pools": modes}
    for name, mode in (("vip_pools", "RW"), ("vip_pools_read_only", "RO")):
        ids = [pool for pool, has in modes.items() if has == mode]
        values[name] = [int(pool) if pool.isdecimal() else pool for pool in sorted(ids)]
    values["vip_pools"] += [f"{pool} ({mode})" for pool, mode in sorted(modes.items()) if mode not in ("RW", "RO")]
    return values


KIND = kind(
    ViewPolicy,
    name="view_policy",
    system="vast",
    section="view_policies",
    stage=Stage.POLICY,
    endpoint=collection("viewpolicies"),
    # The hosts and rights of a new policy may hang on its flavor.
    witness=Witness(("name",), "default", like=("flavor",)),
    system_owned=(*INTERNAL, (("name",), "default"), (("name",), "s3_default_policy")),
    lets_in=LetsIn("without it nobody is let in to what it is for"),
    # Every tenant comes with one and takes it with it; it is managed where a document names it, like any other.
    controller_owned=(ControllerOwned("VAST, with each tenant", ("name",), r".+__default_policy", goes_along=True),),
    finish_encode=_permissions,
    finish_decode=_pools,
)
