"""Views: one per path and tenant, with the rules of each protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import directories
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import FIXED, REQUIRED, UNIQUE, Problem, detail, missing_object
from vastplan.sim.vast.records import ApiCollection, Memo, Query, Reference, is_true

RETENTION = re.compile(r"[1-9]\d*[hmdy]")
RETENTION_FIELDS = ("default_retention_period", "min_retention_period", "max_retention_period", "auto_commit")
MODES = frozenset({"NONE", "GOVERNANCE", "COMPLIANCE"})
NOT_IN_A_SHARE = frozenset('/\\:|<>*?"')
ONE_WAY = ("s3_versioning", "locking")
MOST_MONITORED = 10  # views
KEY_FORMATS = ("SIMPLE_PREFIX", "PARTITIONED_PREFIX_EVENT_TIME", "PARTITIONED_PREFIX_DELIVERY_TIME")


LONGEST_BUCKET = 63


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if row["tenant_id"] is None:
        row["tenant_id"] = DEFAULT_TENANT
    if "qos_policy" in body:  # the policy's name is writable too
        named = next(cluster.rows("qospolicies", name=body["qos_policy"]), None)
        row["qos_policy_id"] = named["id"] if named and "qos_policy_id" not in body else row["qos_policy_id"]
    if "share_acl" in body:
        row["share_acl"] = {
            "enabled": body["share_acl"].get("enabled", False),
            "acl": [_acl_item(item) for item in body["share_acl"].get("acl", [])],
        }
    if "BLOCK" in row["protocols"] and not row["nqn"]:
        row["nqn"] = f"nqn.2024-08.com.vastdata:{cluster.name}:{row['tenant_id']}:{row['name']}"


def _acl_item(item: Row) -> Row:
    blank = {"fqdn": "", "grantee": "users", "name": "", "perm": None, "sid_str": None, "uid_or_gid": None}
    return {**blank, **item, "fqdn": "" if item.get("fqdn") in (None, "All") else item["fqdn"]}


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    protocols = set(row["protocols"])
    if old is None:
        yield from directories.path_problems("path", row["path"])
        yield from directories.presence_problems(cluster, row, body)
        yield from _room(cluster, row, protocols)
    else:
        yield from ((name, FIXED) for name in ("bucket",) if old[name] and row[name] != old[name])
        yield from ((name, "Cannot be disabled once enabled.") for name in ONE_WAY if old[name] and not row[name])
    yield from _qos(cluster, row, body)
    yield from _s3(cluster, row, body, protocols)
    yield from _retention(row, protocols)
    yield from _creators(cluster, row, protocols)
    if "SMB" in protocols and not row["share"]:
        yield "share", "This field is required with protocol SMB."
    if row["share"] and set(row["share"]) & NOT_IN_A_SHARE:
        yield "share", "The share name has characters that are not allowed."
    if "share_acl" in body and "acl" not in body["share_acl"]:
        yield "share_acl", f"acl: {REQUIRED}"
    if "BLOCK" in protocols and len(protocols) > 1:
        yield "protocols", "BLOCK cannot be combined with another protocol."
    if "BLOCK" in protocols and not row["name"]:
        yield "name", "This field is required with protocol BLOCK."
    elif "BLOCK" in protocols and any(
        "BLOCK" in view["protocols"] and view["id"] != row.get("id")
        for view in cluster.rows("views", name=row["name"], tenant_id=row["tenant_id"])
    ):
        yield "name", UNIQUE
    if len(row["bucket"] or "") > LONGEST_BUCKET:
        yield "bucket", f"Ensure this field has no more than {LONGEST_BUCKET} characters."
    if row["alias"] and not (row["alias"].startswith("/") and row["alias"].isascii() and "NFS" in protocols):
        yield "alias", "An alias is ASCII, starts with '/' and needs protocol NFS."
    others = [view for view in cluster.store.rows("views") if view["id"] != row["id"]] if _contended(row) else []
    if row["is_default_subsystem"] and any(
        view["is_default_subsystem"] and view["tenant_id"] == row["tenant_id"] for view in others
    ):
        yield "is_default_subsystem", "The tenant has a default subsystem already."
    if (
        row["select_for_live_monitoring"]
        and sum(view["select_for_live_monitoring"] for view in others) >= MOST_MONITORED
    ):
        yield "select_for_live_monitoring", f"At most {MOST_MONITORED} views can be selected."


def _contended(row: Row) -> bool:
    return bool(row["is_default_subsystem"] or row["select_for_live_monitoring"])


def _room(cluster: VastCluster, row: Row, protocols: set[str]) -> Iterator[Problem]:
    tenant = cluster.get("tenants", row["tenant_id"]) or {}
    most = tenant.get("max_views")  # release 5.3 has no such limit
    if most and sum(1 for _ in cluster.rows("views", tenant_id=row["tenant_id"])) >= most:
        yield "detail", f"Tenant {tenant['name']} may have at most {most} views."
    path, owner = row["path"], row["tenant_id"]
    if "BLOCK" in protocols and (
        directories.children(cluster, owner, path) or directories.used(cluster, owner, path)[1]
    ):
        yield "path", "A BLOCK view needs an empty directory of its own."
    if "S3" in protocols and any(
        directories.lies_below(other["source_dir"], path) and other["source_dir"].rstrip("/") != path
        for other in cluster.rows("protectedpaths", tenant_id=owner)
    ):
        yield "path", "A bucket's directory must not have protected paths below it."


def _qos(cluster: VastCluster, row: Row, body: Row) -> Iterator[Problem]:
    if body.get("qos_policy") and next(cluster.rows("qospolicies", name=body["qos_policy"]), None) is None:
        yield "qos_policy", f"QoS policy {body['qos_policy']} does not exist."
    policy = cluster.get("qospolicies", row["qos_policy_id"])
    if policy is not None and policy["policy_type"] != "VIEW":
        yield "qos_policy_id", f"QoS policy {policy['name']} is of type {policy['policy_type']}, not VIEW."


def _s3(cluster: VastCluster, row: Row, body: Row, protocols: set[str]) -> Iterator[Problem]:
    if "S3" in protocols:
        yield from (
            (name, "This field is required with protocol S3.") for name in ("bucket", "bucket_owner") if not row[name]
        )
        if row["locking"] and not row["s3_versioning"]:
            yield "locking", "Object locking needs s3_versioning."
    owner, tenant = row["bucket_owner"], cluster.get("tenants", row["tenant_id"]) or {}
    outside = any(tenant.get(f"{kind}_provider_id") for kind in ("ad", "ldap", "nis", "oidc", "krb"))
    # The users of an external provider are not known here.
    if "bucket_owner" in body and owner and row.get("bucket_owner_type") != "ROLE" and not outside:
        users = cluster.rows("users", name=owner, local_provider_id=tenant["local_provider_id"])
        if next(users, None) is None:
            yield "bucket_owner", f"User {owner} does not exist in the tenant's providers."
    if body.get("bucket_logging"):
        logging = body["bucket_logging"]
        target = cluster.get("views", logging["destination_id"])
        if target is None:
            yield "bucket_logging", missing_object(logging["destination_id"])
        elif (
            "S3" not in target["protocols"]
            or target["locking"]
            or any(target[name] != row[name] for name in ("tenant_id", "bucket_owner"))
        ):
            yield "bucket_logging", "The destination must be an unlocked bucket of the same tenant and owner."
        if logging.get("key_format", KEY_FORMATS[0]) not in KEY_FORMATS or len(logging.get("prefix", "")) > 128:
            yield "bucket_logging", "Unknown key_format, or a prefix above 128 characters."


def _creators(cluster: VastCluster, row: Row, protocols: set[str]) -> Iterator[Problem]:
    names = {name: set(row[name] or ()) for name in ("bucket_creators", "bucket_creators_groups")}
    if any(names.values()) and "ENDPOINT" not in protocols:
        yield from ((name, "Only for views with protocol ENDPOINT.") for name, listed in names.items() if listed)
        return
    for other in cluster.rows("views", tenant_id=row["tenant_id"]) if names["bucket_creators"] else ():
        twice = names["bucket_creators"] & set(other["bucket_creators"] or ())
        if other["id"] != row["id"] and twice:
            yield "bucket_creators", f"{', '.join(sorted(twice))}: bucket creator of view {other['path']} already."


def _retention(row: Row, protocols: set[str]) -> Iterator[Problem]:
    for name in RETENTION_FIELDS:
        if row[name] and not RETENTION.fullmatch(row[name]):
            yield name, "Expected a number and one of h, m, d, y."
    modes = {row["s3_locks_retention_mode"], row["files_retention_mode"]}
    if modes & {"GOVERNANCE", "COMPLIANCE"} and not row["default_retention_period"]:
        yield "default_retention_period", "This field is required with a retention mode."
    if row["locking"] and protocols & {"NFS", "SMB"} and row["files_retention_mode"] in (None, "NONE"):
        yield "files_retention_mode", "Locking with NFS or SMB needs a retention mode."


def _stored(cluster: VastCluster, row: Row) -> None:
    directories.make_directory(cluster, row["tenant_id"], row["path"])


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    size, _ = directories.used(cluster, row["tenant_id"], row["path"], memo)
    tenant = cluster.get("tenants", row["tenant_id"]) or {}
    by_tenant = row["allowed_delegations"] in (None, "USE_TENANT_ALLOWED_DELEG")
    return {
        "policy": cluster.name_of("viewpolicies", row["policy_id"]),
        "qos_policy": cluster.name_of("qospolicies", row["qos_policy_id"]),
        "logical_capacity": size,
        "physical_capacity": size,
        "effective_allowed_delegations": tenant.get("allowed_delegations") if by_tenant else row["allowed_delegations"],
        # A view without logging shows an empty object, which cannot be sent back.
        "bucket_logging": row["bucket_logging"] or {"destination_id": None, "prefix": None, "key_format": None},
        "has_bucket_logging_destination": bool(row["bucket_logging"]),
    }


def _guard(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    if is_true(query, "force"):
        return
    if any(cluster.rows("volumes", view_id=row["id"])):
        yield "it has volumes"
    if row["bucket"] and directories.used(cluster, row["tenant_id"], row["path"])[1]:
        raise detail(f"Cannot delete view {row['path']}: bucket {row['bucket']} is not empty.", 409)


def _gone(cluster: VastCluster, row: Row) -> None:
    for rule in list(cluster.rows("s3lifecyclerules", view_id=row["id"])):  # the bucket they belong to is gone
        cluster.remove("s3lifecyclerules", rule)


VIEWS = ApiCollection(
    "views",
    unique=(("path", "tenant_id"), ("share",), ("alias", "tenant_id"), ("bucket", "tenant_id")),
    references=(
        Reference("policy_id", "viewpolicies", same_tenant=True),
        Reference("tenant_id", "tenants"),
        Reference("qos_policy_id", "qospolicies", same_tenant=True),
        Reference("kafka_vip_pools", "vippools", same_tenant=True),
        Reference("cluster_id", "clusters"),
    ),
    defaults={
        "tenant_id": DEFAULT_TENANT,
        "cluster_id": 1,
        "protocols": ["NFS"],
        "directory": True,
        "share_acl": {"enabled": False, "acl": []},
        "files_retention_mode": "NONE",
        "s3_locks_retention_mode": "NONE",
        "nfs_interop_flags": "BOTH_NFS3_AND_NFS4_INTEROP_DISABLED",
        "allowed_delegations": "USE_TENANT_ALLOWED_DELEG",
    },
    nullable=frozenset({"qos_policy_id", "bucket_logging", "alias", "name", "tenant_id"}),
    fixed=frozenset({"path"}),
    unlisted={"bucket_logging": ""},
    choices={"files_retention_mode": MODES, "s3_locks_retention_mode": MODES},
    fill=_fill,
    check=_check,
    show=_show,
    guard=_guard,
    stored=_stored,
    gone=_gone,
)
