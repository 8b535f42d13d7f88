"""Tenants: inline QoS and capacity rules, client IP ranges, and what blocks the delete of a tenant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import addresses, directories, keys, limits, people, tasks, viewpolicies
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import Problem
from vastplan.sim.vast.records import ApiCollection, Memo, Query, Reference, is_true
from vastplan.sim.vast.settle import arm_row, due

DEFAULT_PROVIDER = 1
FORCE = ("force_remove", "force")  # the document's name, and the one that the vendor's Terraform provider sends
WITH_POLICY = "_with_policy"


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    row["domain_name"] = row["domain_name"] or row["name"]
    row["dir"] = "/"


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    others = (
        (f"tenant {other['name']}", other["client_ip_ranges"])
        for other in cluster.store.rows("tenants")
        if other["id"] != row["id"]
    )
    yield from addresses.range_problems("client_ip_ranges", row["client_ip_ranges"], others)
    yield from limits.qos("qos", row["qos"]["static_limits"], fitting=cluster.strict)
    yield from limits.soft_below_hard(row["capacity_rules"], "capacity_rules")
    yield from limits.grace_period(row["capacity_rules"], "capacity_rules")
    yield from limits.outside_range(row, 0, limits.LARGEST_QOS, "max_views", "trash_gid")


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    if "pools by tenant" not in memo:
        memo["pools by tenant"] = defaultdict(list)
        for pool in cluster.store.rows("vippools"):
            memo["pools by tenant"][pool["tenant_id"]].append({"id": pool["id"], "name": pool["name"]})
    pools = memo["pools by tenant"][row["id"]]
    provider = cluster.brief("localproviders", row["local_provider_id"])
    return {
        "vippools": pools,
        "vippool_names": [pool["name"] for pool in pools],
        "client_ip_ranges_summary": addresses.ranges_text(row["client_ip_ranges"]),
        "local_provider": provider,
        "local_provider_title": provider and provider["name"],
    }


def _stored(cluster: VastCluster, row: Row) -> None:
    if row["id"] != DEFAULT_TENANT and WITH_POLICY not in row:
        viewpolicies.make_default(cluster, row)
        row[WITH_POLICY] = True
        cluster.put("tenants", row)


def _guard(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    if _left(cluster, row) and not any(is_true(query, name) for name in FORCE):
        yield "its directory is not empty"


def _left(cluster: VastCluster, row: Row) -> bool:
    # One page of the vendor says that directories alone block the delete; another speaks of files.
    empty = bool(cluster.strict and directories.children(cluster, row["id"], "/"))
    return empty or bool(directories.used(cluster, row["id"], "/")[1])


def _delete(cluster: VastCluster, row: Row, query: Query) -> Row | None:
    if not _left(cluster, row):
        return None
    task, succeeds = tasks.start_task(cluster, "delete_tenant")
    if succeeds:
        arm_row(cluster, row, {}, remove=True)
        cluster.put("tenants", row)
        due(cluster, TENANTS, row)
    return task


def _gone(cluster: VastCluster, row: Row) -> None:
    directories.forget_directory(cluster, row["id"])
    viewpolicies.remove_default(cluster, row)
    people.forget_rights(cluster, tenant=row["id"])
    keys.forget_in(cluster, row["id"])


def remote_objects(cluster: VastCluster, target: str | None, name: str | None) -> list[Row] | None:
    """`{guid, name}` of the tenants of a peer's cluster; `None` if the peer is unknown or not connected."""
    peer = cluster.get("nativereplicationremotetargets", target)
    remote = None if peer is None else remote_of(cluster, peer)
    if remote is None:
        return None
    return [
        {"guid": tenant["guid"], "name": tenant["name"]}
        for tenant in remote.store.rows("tenants")
        if name in (None, tenant["name"])
    ]


def remote_of(cluster: VastCluster, peer: Row) -> VastCluster | None:
    """The cluster on the other side of a connected peer: the one that has its mirror."""
    if peer["state"] != "CONNECTED":
        return None
    mirrors = (
        other for other in cluster.reached() if any(other.rows("nativereplicationremotetargets", guid=peer["guid"]))
    )
    return next(mirrors, None)


TENANTS = ApiCollection(
    "tenants",
    unique=(("name",), ("domain_name",)),
    fold=frozenset({"domain_name"}),
    references=(Reference("local_provider_id", "localproviders"),),
    blockers=tuple(
        (name, "tenant_id")
        for name in (
            "views", "quotas", "vippools", "viewpolicies", "qospolicies", "protectionpolicies", "protectedpaths",
            "snapshots", "s3policies", "roles", "realms", "managers",
        )
    ),
    defaults={
        "local_provider_id": DEFAULT_PROVIDER,
        "max_views": 0,
        "default_others_share_level_perm": "FULL",
        "posix_primary_provider": "NONE",
        "login_name_primary_provider": "NONE",
        "preferred_owning_group": "PROTOCOL_BASED",
        "allowed_delegations": "NONE",
        "smb_privileged_user_name": "vastadmin",
        "smb_encryption_state": "AVAILABLE",
    },
    structs=frozenset({"qos", "capacity_rules"}),
    nullable=frozenset(
        {
            "hard_limit", "soft_limit", "hard_limit_inodes", "soft_limit_inodes", "grace_period", "notify_hard_limit",
            "notify_soft_limit", "trash_gid", "identity_provider_name", "ad_provider_id", "ldap_provider_id",
            "nis_provider_id", "krb_provider_id", "oidc_provider_id",
        }
    ),
    fill=_fill,
    check=_check,
    show=_show,
    stored=_stored,
    guard=_guard,
    delete=_delete,
    gone=_gone,
)  # fmt: skip
