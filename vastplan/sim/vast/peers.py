"""Replication peers: created on one cluster, connected and mirrored on the other if it can be reached."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import addresses
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem
from vastplan.sim.vast.records import ApiCollection, Memo, Query, Reference
from vastplan.sim.vast.settle import arm_row

PEERS_NAME = "nativereplicationremotetargets"
BLOCKERS = (("protectionpolicies", "target_object_id"), ("protectedpaths", "remote_target_id"))
CONNECTED = {
    "state": "CONNECTED", "state_description": "", "status": "OK", "health": "HEALTHY", "sync_state": "SYNCHRONIZED",
}  # fmt: skip


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    moved = old is None or any(old[name] != row[name] for name in ("leading_vip", "pool_id"))
    if moved and row["state"] != "CONNECTED":
        row["state"] = "CONNECTING"
        arm_row(cluster, row, {})


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    pool = cluster.get("vippools", row["pool_id"])
    if pool is not None and pool["role"] != "REPLICATION":
        yield "pool_id", f"VIP pool {pool['name']} does not have the role REPLICATION."
    elif pool is not None and not pool["ip_ranges"]:
        yield "pool_id", f"VIP pool {pool['name']} has no addresses."
    if not addresses.is_ip_address(row["leading_vip"]):
        yield "leading_vip", "Enter a valid IPv4 or IPv6 address."
    if old is not None and old["state"] == "CONNECTED" and row["leading_vip"] != old["leading_vip"]:
        remote = _reached(cluster, row["leading_vip"])
        if remote is None or not any(remote[0].rows(PEERS_NAME, guid=row["guid"])):
            yield "leading_vip", "The address is not one of the connected peer."


def _reached(cluster: VastCluster, vip: str) -> tuple[VastCluster, Row] | None:
    for other in cluster.reached():
        for pool in other.rows("vippools", role="REPLICATION", enabled=True):
            if addresses.holds(pool["ip_ranges"], vip):
                return other, pool
    return None


def _settled(cluster: VastCluster, row: Row) -> None:
    reached, pool = _reached(cluster, row["leading_vip"]), cluster.get("vippools", row["pool_id"])
    if reached is None or pool is None:
        _fail(cluster, row, f"no replication pool answers at {row['leading_vip']}")
        return
    remote, remote_pool = reached
    if any(remote.rows(PEERS_NAME, name=row["name"])):
        _fail(cluster, row, f"the remote cluster has another peer named {row['name']}")
        return
    row.update(CONNECTED | _other_side(remote, remote_pool))
    shared = {name: row[name] for name in ("name", "guid", "secure_mode", "transport_mode", "mss")}
    own = {"pool_id": remote_pool["id"], "leading_vip": pool["start_ip"]}
    remote.add(PEERS_NAME, shared | own | CONNECTED | _other_side(cluster, pool))


def _fail(cluster: VastCluster, row: Row, reason: str) -> None:
    row["state"], row["state_description"] = "ERROR", reason
    if cluster.settle_reads:  # each further read tries again; without `settle_reads` it would retry forever
        arm_row(cluster, row, {})


def _other_side(remote: VastCluster, pool: Row) -> Row:
    vips = [pair[0] for pair in pool["ip_ranges"]]
    return {
        "peer_name": remote.name,
        "remote_version": remote.version,
        "remote_vips": vips,
        "remote_vip_range": addresses.ranges_text(pool["ip_ranges"]),
        "address_count": len(vips),
    }


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    pool = cluster.name_of("vippools", row["pool_id"])
    return {"pool": pool, "pool_name": pool, "version": cluster.version, "last_heart_beat": _heard(cluster, row)}


def _heard(cluster: VastCluster, row: Row) -> str:
    twins = [other for other in cluster.links if any(other.rows(PEERS_NAME, guid=row["guid"]))]
    beat: str | None = row.get("last_heart_beat")
    return beat if beat and twins and not cluster.reaches(twins[0]) else cluster.now()


def _guard(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    for other in cluster.links:
        for mirror in other.rows(PEERS_NAME, guid=row["guid"]):
            for user, through in BLOCKERS:
                names = [used["name"] for used in other.store.rows(user) if used.get(through) == mirror["id"]]
                if names:
                    yield f"it is used on {other.name} by {user} {', '.join(names)}"


def _gone(cluster: VastCluster, row: Row) -> None:
    for other in cluster.reached():
        for mirror in list(other.rows(PEERS_NAME, guid=row["guid"])):
            other.remove(PEERS_NAME, mirror)


PEERS = ApiCollection(
    PEERS_NAME,
    unique=(("name",),),
    references=(Reference("pool_id", "vippools", through="pool"),),
    blockers=BLOCKERS,
    defaults={"secure_mode": "NONE", "transport_mode": "TCP", "is_local": True},
    unsendable=frozenset({"id", "version", "remote_vips"}),
    choices={"secure_mode": frozenset({"NONE", "SECURE"}), "transport_mode": frozenset({"TCP", "QUIC"})},
    fill=_fill,
    check=_check,
    show=_show,
    guard=_guard,
    gone=_gone,
    settled=_settled,
)
