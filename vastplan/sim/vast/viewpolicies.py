"""View policies: host lists, VIP pool permissions, audit flags, and which views use a policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import addresses, durations
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import Problem, missing_object
from vastplan.sim.vast.records import GOES_ALONG, ApiCollection, Memo, Reference

NFS_HOSTS = ("nfs_read_write", "nfs_read_only", "nfs_root_squash", "nfs_no_squash", "nfs_all_squash")
ACCESS = ("read_write", "read_only")
HOSTS = (*NFS_HOSTS, *ACCESS, *(f"{kind}_{access}" for kind in ("smb", "s3") for access in ACCESS), "trash_access")
OPEN_TO_ALL = ("nfs_read_write", "nfs_root_squash", "read_write", "smb_read_write", "s3_read_write")
PROTECTION_LEVELS = frozenset({"NONE", "SYSTEM", "KRB_AUTH_ONLY", "KRB_INTEGRITY", "KRB_PRIVACY"})
ONE_PER_TENANT = ("is_s3_default_policy", "is_block_default_policy")
# Audit flags that a policy's row also has at its top level.
FLATTENED = {
    "data_create_delete": "create_delete_files_dirs_objects",
    "data_modify": "modify_data",
    "data_read": "read_data",
    "log_deleted": "log_deleted_files_dirs",
    "log_full_path": "log_full_path",
    "log_hostname": "log_hostname",
    "log_username": "log_username",
}
AUDIT = frozenset(FLATTENED.values()) | {"modify_data_md", "read_data_md", "session_create_close"}
UNSAID = {flag: flag == "log_full_path" for flag in sorted(AUDIT)}  # by the document "enabled by default"


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    row["atime_frequency"] = durations.clock_form(row["atime_frequency"])
    row["protocols_audit"] = UNSAID | (row["protocols_audit"] or {})
    if "permission_per_vip_pool" in body and not ("vip_pools" in body and not body["permission_per_vip_pool"]):
        row["vip_pools"] = sorted(int(key) for key in row["permission_per_vip_pool"] if key.isdecimal())
    elif "vip_pools" in body:
        row["permission_per_vip_pool"] = {str(pool): "RW" for pool in row["vip_pools"]}


def make_default(cluster: VastCluster, tenant: Row) -> None:
    """Create the default policy of a new tenant, unless another policy has its name."""
    name = f"{tenant['name']}__default_policy"
    if any(cluster.rows("viewpolicies", name=name)):
        return
    row = {**cluster.blanks["viewpolicies"], "name": name, "tenant_id": tenant["id"], GOES_ALONG: True}
    _fill(cluster, row, {}, None)
    cluster.add("viewpolicies", row)


def remove_default(cluster: VastCluster, tenant: Row) -> None:
    """Delete a tenant's default policy with the tenant."""
    for row in [row for row in cluster.rows("viewpolicies", tenant_id=tenant["id"]) if GOES_ALONG in row]:
        cluster.remove("viewpolicies", row)


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    for name in HOSTS:
        for host in row[name] or ():
            if not addresses.is_host(host, netgroups=name in NFS_HOSTS):
                yield name, f"{host!r} is not a valid host."
    if not durations.seconds(row["atime_frequency"]):
        yield "atime_frequency", "A duration above zero is required."
    for key, permission in row["permission_per_vip_pool"].items():
        pool = cluster.get("vippools", key)
        if pool is None:
            yield "permission_per_vip_pool", missing_object(key)
        elif None not in (pool["tenant_id"], row["tenant_id"]) and pool["tenant_id"] != row["tenant_id"]:
            yield "permission_per_vip_pool", f"VIP pool {pool['name']} belongs to another tenant."
        if permission not in ("RW", "RO"):
            yield "permission_per_vip_pool", f'"{permission}" is not a valid choice.'
    if body.get("vip_pools") is not None and set(body["vip_pools"]) != set(row["vip_pools"]):
        yield "vip_pools", "vip_pools and permission_per_vip_pool disagree."
    if old is not None and old["flavor"] != row["flavor"]:
        users = [view["path"] for view in cluster.rows("views", policy_id=row["id"]) if "S3" in view["protocols"]]
        if users:
            yield "flavor", f"The flavor cannot change while S3 views use the policy: {', '.join(users)}."


def _stored(cluster: VastCluster, row: Row) -> None:
    for flag in ONE_PER_TENANT:  # a new default replaces the old one
        for other in cluster.rows("viewpolicies", tenant_id=row["tenant_id"]) if row.get(flag) else ():
            if other["id"] != row["id"] and other.get(flag):
                cluster.put("viewpolicies", other | {flag: False})


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    if "views by policy" not in memo:
        memo["views by policy"] = Counter(view["policy_id"] for view in cluster.store.rows("views"))
    return {
        **{name: row["protocols_audit"][flag] for name, flag in FLATTENED.items()},
        "count_views": memo["views by policy"][row["id"]],
        "enable_snapshot_lookup": row["enable_access_to_snapshot_dir_in_subdirs"],
        "enable_listing_of_snapshot_dir": row["enable_visibility_of_snapshot_dir"],
        "smb_file_mode_padded": f"{row['smb_file_mode']:04}",
        "smb_directory_mode_padded": f"{row['smb_directory_mode']:04}",
        "pretty_atime_frequency": row["atime_frequency"],
        "pretty_auth_source": row["auth_source"],
    }


VIEW_POLICIES = ApiCollection(
    "viewpolicies",
    unique=(("name",),),
    references=(
        Reference("tenant_id", "tenants"),
        Reference("vip_pools", "vippools", same_tenant=True),
        Reference("cluster_id", "clusters"),
    ),
    blockers=(("views", "policy_id"),),
    defaults={
        "tenant_id": DEFAULT_TENANT,
        "cluster_id": 1,
        "flavor": "NFS",
        "access_flavor": "ALL",
        "auth_source": "PROVIDERS",
        "path_length": "LCD",
        "allowed_characters": "LCD",
        "gid_inheritance": "LINUX",
        "atime_frequency": "3600",
        "nfs_minimal_protection_level": "NONE",
        "smb_file_mode": 644,
        "smb_directory_mode": 755,
        "permission_per_vip_pool": {},
        "use_auth_provider": True,
        **{name: ["*"] for name in OPEN_TO_ALL},
    },
    nullable=frozenset({"tenant_id"}),
    either={"use_32bit_fileid": bool},  # the PATCH schema says string
    choices={"nfs_minimal_protection_level": PROTECTION_LEVELS},
    fill=_fill,
    check=_check,
    show=_show,
    stored=_stored,
)
