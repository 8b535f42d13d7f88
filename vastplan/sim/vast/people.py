"""Users and groups of any provider: looked up by name or number, with the rights set for them in a tenant, which are stored here.

A provider such as AD or LDAP is outside VMS: `enrol` sets its content, and all tenants of the cluster look there.

Source: the vendor's documents of 5.3 and 5.5 (`/users/query/`, `/groups/query/`, `/users/{id}/tenant_data/`), and the vendor's
Terraform configurations, which set the rights of local users by the same calls. What no source settles is VMS-140 to VMS-142.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import VmsError, detail, missing_object, raise_for
from vastplan.sim.wire import Request

DIRECTORY = "_directory"
RIGHTS = "_rights"
ORIGIN = "LDAP"
CONTEXTS = {  # the providers that each context looks in
    "local": ("LOCAL",), "udb": ("LOCAL", ORIGIN), "ad": (), "nis": (), "ldap": (ORIGIN,), "aggregated": ("LOCAL", ORIGIN),
}  # fmt: skip
_SWITCHES = ("allow_create_bucket", "allow_delete_bucket", "s3_superuser")
NOTHING: dict[str, dict[str, Any]] = {
    "users": {**dict.fromkeys(_SWITCHES, False), "s3_policies_ids": []},
    "groups": {"s3_policies_ids": []},
}
_ASKED_BY = {  # parameters and body fields, with the row's field that each matches
    "users": {"uid": "uid", "username": "name", "sid": "sid", "login_name": "login_name", "vid": "vid"},
    "groups": {"gid": "gid", "groupname": "name", "sid": "sid", "vaid": "vaid"},
}
_SID = "S-1-5-21-1000-2000-3000"


@dataclass(frozen=True, slots=True)
class Somebody:
    """A user or a group (`collection`: users or groups) in a tenant. `key` is the same whichever identifier was used to find it."""

    collection: str
    key: str
    tenant: int
    origin: str
    row: Row

    @property
    def place(self) -> str:
        """The key under which its rights are stored."""
        return f"{self.collection}:{self.tenant}:{self.key}"


def enrol(
    cluster: VastCluster, users: Mapping[str, Mapping[str, Any]], groups: Mapping[str, Mapping[str, Any]]
) -> None:
    """Replace the content of the directory: users as `{uid, sid?, login_name?, groups?}`, groups as `{gid, sid?}`."""
    for row in list(cluster.store.rows(DIRECTORY)):
        cluster.store.remove(DIRECTORY, f"{row['what']}:{row['name']}")
    for collection, number, people in (("users", "uid", users), ("groups", "gid", groups)):
        for name, entry in people.items():
            row = {"sid": f"{_SID}-{entry[number]}", "login_name": f"{name}@example.com", "groups": [], **entry}
            cluster.store.put(DIRECTORY, f"{collection}:{name}", {**row, "name": name, "what": collection})


def queried_identity(cluster: VastCluster, collection: str, request: Request) -> Somebody | None:
    """The user or group that a query asks for, `None` if the query names an unknown context; raises `VmsError`."""
    context = request.first("context")
    if context is not None and context not in CONTEXTS:
        return None  # observed on 5.5.0.1, which answers with an empty object
    criteria = {name: value for name in _ASKED_BY[collection] if (value := request.first(name)) is not None}
    return _found(
        cluster, collection, criteria, _tenant(cluster, request.first("tenant_id")), CONTEXTS[context or "aggregated"]
    )


def named_identity(cluster: VastCluster, collection: str, body: Row) -> tuple[Somebody, Row]:
    """The user or group that a body names, and the values it sets; raises `VmsError`."""
    criteria = {name: body[name] for name in _ASKED_BY[collection] if name in body}
    values = {name: value for name, value in body.items() if name not in criteria and name != "tenant_id"}
    tenant = _tenant(cluster, body.get("tenant_id"))
    return _found(cluster, collection, criteria, tenant, CONTEXTS["aggregated"]), values


def of_local(cluster: VastCluster, collection: str, row: Row, tenant: Any) -> Somebody:
    """A local user or group in a tenant; raises `VmsError` for a tenant that does not exist."""
    return Somebody(collection, f"local:{row['id']}", _tenant(cluster, tenant), "LOCAL", row)


def rights(cluster: VastCluster, identity: Somebody) -> Row:
    """The rights set in a tenant; for a local user or group without any, those of its own row."""
    kept = cluster.store.get(RIGHTS, identity.place)
    own = identity.row if identity.origin == "LOCAL" else {}
    effective = kept or own
    return {name: effective.get(name, blank) for name, blank in NOTHING[identity.collection].items()}


def allow(cluster: VastCluster, identity: Somebody, values: Row) -> None:
    """Set rights of a user or group; raises `VmsError` for a policy that does not exist."""
    unknown = [key for key in values.get("s3_policies_ids", ()) if cluster.get("s3policies", key) is None]
    raise_for(("s3_policies_ids", missing_object(key)) for key in unknown)
    row = {
        "what": identity.collection,
        "tenant_id": identity.tenant,
        "name": identity.row["name"],
        "key": identity.place,
    }
    cluster.store.put(RIGHTS, identity.place, {**row, **rights(cluster, identity), **values})


def identity_row(cluster: VastCluster, identity: Somebody) -> Row:
    """A user or group as a query shows it, without access keys."""
    held, row = rights(cluster, identity), identity.row
    names = [name for key in held["s3_policies_ids"] if (name := cluster.name_of("s3policies", key))]
    if identity.collection == "groups":
        shown_row = {"name": row["name"], "gid": row["gid"], "sid": row.get("sid"), "provider_type": identity.origin}
        return {**shown_row, "s3_policies": names, "s3_policies_ids": held["s3_policies_ids"]}
    groups = list(row.get("groups") or ()) if identity.origin != "LOCAL" else _groups_of(cluster, row)
    return {
        "name": row["name"],
        "login_name": row.get("login_name") or row["name"],
        "uid": row["uid"],
        "sid": row.get("sid"),
        "groups": groups,
        "group_count": len(groups),
        "origins": {"name": identity.origin},
        **held,
        "s3_policies": names,
        "s3_remote_policies": [],
        "historical_sids": [],
        "user_qos_policies": _policies_of(cluster, identity),
        "quotas": [],
    }


def holders(cluster: VastCluster, collection: str, policy: int) -> list[str]:
    """The names of those to whom a query gave an identity policy; those whose own row has it are not included."""
    return [row["name"] for row in cluster.store.where(RIGHTS, what=collection) if policy in row["s3_policies_ids"]]


def detach_policy(cluster: VastCluster, policy: int) -> None:
    """Remove a deleted identity policy from all rights."""
    for row in [row for row in cluster.store.rows(RIGHTS) if policy in row["s3_policies_ids"]]:
        kept = [key for key in row["s3_policies_ids"] if key != policy]
        cluster.store.put(RIGHTS, row["key"], row | {"s3_policies_ids": kept})


def forget_rights(cluster: VastCluster, *, local: tuple[str, Row] | None = None, tenant: int | None = None) -> None:
    """Remove the rights of a deleted local user or group, or those in a deleted tenant."""
    gone = None if local is None else f"local:{local[1]['id']}"
    for row in list(cluster.store.rows(RIGHTS)):
        collection, _, key = row["key"].split(":", 2)
        if row["tenant_id"] == tenant or (local is not None and (collection, key) == (local[0], gone)):
            cluster.store.remove(RIGHTS, row["key"])


def _found(cluster: VastCluster, collection: str, criteria: Row, tenant: int, origins: tuple[str, ...]) -> Somebody:
    if not criteria:
        raise detail(f"One of {', '.join(_ASKED_BY[collection])} is required.")
    identity = next(_matching(cluster, collection, criteria, tenant, origins), None)
    if identity is None:
        raise detail("Not found.", 404)  # no source says which status a VMS uses here
    return identity


def _matching(
    cluster: VastCluster, collection: str, criteria: Row, tenant: int, origins: tuple[str, ...]
) -> Iterator[Somebody]:
    """The local ones first: the attributes of the local provider win over the directory's."""
    fits = [(_ASKED_BY[collection][name], str(value)) for name, value in criteria.items()]
    provider = (cluster.get("tenants", tenant) or {}).get("local_provider_id")
    for row in cluster.rows(collection, local_provider_id=provider) if "LOCAL" in origins else ():
        if all(str(row.get(field)) == value for field, value in fits):
            yield of_local(cluster, collection, row, tenant)
    for row in cluster.store.where(DIRECTORY, what=collection) if ORIGIN in origins else ():
        if all(str(row.get(field)) == value for field, value in fits):
            yield Somebody(collection, f"directory:{row['name']}", tenant, ORIGIN, row)


def _tenant(cluster: VastCluster, tenant: Any) -> int:
    row = cluster.get("tenants", DEFAULT_TENANT if tenant is None else tenant)
    if row is None:
        raise VmsError(400, {"tenant_id": [missing_object(tenant)]})
    return int(row["id"])


def _groups_of(cluster: VastCluster, user: Row) -> list[str]:
    groups = cluster.rows("groups", local_provider_id=user["local_provider_id"])
    return [group["name"] for group in groups if group["gid"] in user["gids"]]


def _policies_of(cluster: VastCluster, identity: Somebody) -> list[Row]:
    """The QoS policies that name a user, by any identifier."""
    identifiers = {
        "username": identity.row["name"],
        "uid": str(identity.row["uid"]),
        "sid_str": identity.row.get("sid"),
    }
    return [
        {"id": policy["id"], "name": policy["name"]}
        for policy in cluster.store.rows("qospolicies")
        for user in policy.get("attached_users") or ()
        if policy.get("tenant_id") in (None, identity.tenant)
        and str(user.get("identifier_value")) == identifiers.get(user.get("identifier_type"))
    ]
