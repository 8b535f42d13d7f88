"""QoS policies: limits per mode, attached users, and the default policy of a tenant."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import limits
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem
from vastplan.sim.vast.records import ApiCollection, Reference

LIMITS = ("static_limits", "static_total_limits", "capacity_limits", "capacity_total_limits")
NOT_FOR_USERS = ("mode", "use_total_limits")
IO_SIZE = 65536  # bytes that count as one I/O


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    row["io_size_bytes"] = IO_SIZE
    row["policy_type"] = row["policy_type"] or "VIEW"
    if row["policy_type"] != "USER" and row["mode"] is None:
        row["mode"] = "STATIC"
    if row["is_default"]:  # a default policy applies to all users and names none
        row["attached_users"] = []


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    kind = row["policy_type"]
    if kind == "USER":
        yield from ((name, "Not for policies of type USER.") for name in NOT_FOR_USERS if name in body)
    if kind != "USER":
        yield from ((name, "Only for policies of type USER.") for name in ("is_default", "attached_users") if row[name])
    if kind == "VOLUME" and row["is_gold"]:
        yield "is_gold", "Not for policies of type VOLUME."
    for name in LIMITS:
        yield from limits.qos(name, row[name], fitting=cluster.strict)
    for name in limits.named_minimums((name, row[name]) for name in LIMITS):
        if row["mode"] not in ("STATIC", None):
            yield name, "Minimum limits need mode STATIC."
        elif not (cluster.get("vms", 1) or {}).get("min_qos_supported"):
            yield name, "Minimum limits are not supported by this cluster."
    taken = {
        (user["identifier_type"], user["identifier_value"]): other["name"]
        for other in cluster.rows("qospolicies", tenant_id=row["tenant_id"])
        if other["id"] != row["id"]
        for user in other["attached_users"]
    }
    for user in row["attached_users"]:
        holder = taken.get((user["identifier_type"], user["identifier_value"]))
        if holder is not None:
            yield "attached_users", f"{user['name']} is attached to {holder} already."


def _stored(cluster: VastCluster, row: Row) -> None:
    for other in cluster.rows("qospolicies", tenant_id=row["tenant_id"], is_default=True) if row["is_default"] else ():
        if other["id"] != row["id"]:
            cluster.put("qospolicies", other | {"is_default": False})


QOS_POLICIES = ApiCollection(
    "qospolicies",
    unique=(("name",),),
    references=(Reference("tenant_id", "tenants"),),
    blockers=(("views", "qos_policy_id"), ("volumes", "qos_policy_id")),
    defaults={"limit_by": "BW_IOPS", "s3_connections_limit": 0},
    structs=frozenset(LIMITS),
    nullable=frozenset({"tenant_id"}),
    fill=_fill,
    check=_check,
    stored=_stored,
)
