"""Local users and groups, their providers, and the identity policies attached to them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import keys, people
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import REQUIRED, Problem
from vastplan.sim.vast.records import ApiCollection, Memo, Query, Reference

DEFAULT_PROVIDER = 1
NEEDS_UID = "5.3"  # the simulated 5.3.2 requires a uid; earlier and later releases assign one
FIRST_UID = 50000


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if "local_provider_id" in body:  # shown as an object only
        row["local_provider_id"] = body["local_provider_id"]
    if "password_is_set" in row:
        row["password_is_set"] = bool(body.get("password")) or row["password_is_set"]
    if "gids" in row:
        row["gids"] = sorted(set(row["gids"]))
    if "uid" in row and row["uid"] is None and cluster.version != NEEDS_UID:
        row["uid"] = 1 + max([FIRST_UID, *(user["uid"] for user in cluster.store.rows("users"))])


def _attached(cluster: VastCluster, row: Row) -> Row:
    return {
        "local_provider": cluster.brief("localproviders", row["local_provider_id"]),
        "s3_policies": [cluster.brief("s3policies", key) for key in row["s3_policies_ids"]],
    }


def _check_user(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    if row["uid"] is None:
        yield "uid", REQUIRED


def _show_user(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    if "group names" not in memo:
        groups = cluster.store.rows("groups")
        memo["group names"] = {(group["local_provider_id"], group["gid"]): group["name"] for group in groups}
    names = memo["group names"]
    provider, leading = row["local_provider_id"], row["leading_gid"]
    return {
        **_attached(cluster, row),
        "groups": [names[provider, gid] for gid in row["gids"] if (provider, gid) in names],
        "group_count": len(row["gids"]),
        "leading_group_gid": leading,
        "leading_group_name": names.get((provider, leading)),
        "access_keys": keys.shown_in(cluster, row),
    }


def _show_group(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    return _attached(cluster, row)


def _guard_user(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    tenants = {tenant["id"] for tenant in cluster.rows("tenants", local_provider_id=row["local_provider_id"])}
    buckets = [
        view["bucket"] for view in cluster.rows("views", bucket_owner=row["name"]) if view["tenant_id"] in tenants
    ]
    if buckets:
        yield f"it owns buckets {', '.join(buckets)}"


def _check_policy(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    try:
        parsed = json.loads(row["policy"])
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        yield "policy", "The policy is not a JSON document."


def _show_policy(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    def holders(collection: str) -> list[str]:
        local = [holder["name"] for holder in cluster.store.rows(collection) if row["id"] in holder["s3_policies_ids"]]
        return list(dict.fromkeys([*local, *people.holders(cluster, collection, row["id"])]))

    return {"users": holders("users"), "groups": holders("groups")}


def _detach(cluster: VastCluster, row: Row) -> None:
    for collection in ("users", "groups"):  # an attachment does not block a delete
        for holder in [
            identity for identity in cluster.store.rows(collection) if row["id"] in identity["s3_policies_ids"]
        ]:
            kept = [key for key in holder["s3_policies_ids"] if key != row["id"]]
            cluster.put(collection, holder | {"s3_policies_ids": kept})
    people.detach_policy(cluster, row["id"])


def _leave(cluster: VastCluster, row: Row) -> None:
    for collection in ("users", "groups"):  # users and groups are stored in the provider, and are deleted with it
        for member in list(cluster.rows(collection, local_provider_id=row["id"])):
            cluster.remove(collection, member)
            (_user_gone if collection == "users" else _group_gone)(cluster, member)


def _user_gone(cluster: VastCluster, row: Row) -> None:
    keys.forget_keys(cluster, row)
    people.forget_rights(cluster, local=("users", row))


def _group_gone(cluster: VastCluster, row: Row) -> None:
    people.forget_rights(cluster, local=("groups", row))


def _show_provider(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    tenants = cluster.rows("tenants", local_provider_id=row["id"])
    return {"assigned_tenants_preview": ", ".join(tenant["name"] for tenant in tenants)}


_REFERENCES = (
    Reference("local_provider_id", "localproviders", through="local_provider"),
    Reference("s3_policies_ids", "s3policies", through="s3_policies"),
)
USERS = ApiCollection(
    "users",
    unique=(("name", "local_provider_id"), ("uid", "local_provider_id")),
    references=_REFERENCES,
    defaults={"local": True, "local_provider_id": DEFAULT_PROVIDER},
    optional=frozenset({"local_provider_id"}),
    nullable=frozenset({"leading_gid"}),
    fixed=frozenset({"local_provider_id"}),
    unlisted_strictly=frozenset({"access_keys"}),
    fill=_fill,
    check=_check_user,
    show=_show_user,
    guard=_guard_user,
    gone=_user_gone,
)
GROUPS = ApiCollection(
    "groups",
    unique=(("name", "local_provider_id"), ("gid", "local_provider_id")),
    references=_REFERENCES,
    defaults={"local_provider_id": DEFAULT_PROVIDER},
    optional=frozenset({"local_provider_id"}),
    optional_in_patch=frozenset({"name"}),
    nullable=frozenset({"sid"}),
    fixed=frozenset({"local_provider_id"}),
    fill=_fill,
    show=_show_group,
    gone=_group_gone,
)
S3_POLICIES = ApiCollection(
    "s3policies",
    unique=(("name", "tenant_id"),),
    references=(Reference("tenant_id", "tenants"),),
    defaults={"tenant_id": DEFAULT_TENANT, "enabled": True},
    check=_check_policy,
    show=_show_policy,
    gone=_detach,
)
LOCAL_PROVIDERS = ApiCollection(
    "localproviders",
    unique=(("name",),),
    blockers=(("tenants", "local_provider_id"),),
    defaults={"description": "", "managed_by": ["SUPER_ADMIN"]},
    show=_show_provider,
    gone=_leave,
)
