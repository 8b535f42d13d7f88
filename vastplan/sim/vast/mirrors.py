"""What appears on the other cluster by itself: the mirrored path row, the ends of its stream, and its policy."""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import directories, sides
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.fabric import arm, disarm
from vastplan.sim.vast.peers import PEERS_NAME
from vastplan.sim.vast.records import ApiCollection, Memo
from vastplan.sim.vast.sides import DESTINATION, NAME, OWN, POINTS, READ_ONLY, own_directory

STREAMS = "replicationstreams"
POLICIES = "protectionpolicies"
MIRROR_POLICY, MIRROR_PATH = "mirror policy", "mirror path"
SHARED = (
    "name",
    "guid",
    "source_dir",
    "target_exported_dir",
    "capabilities",
    "is_gn_enabled",
    "enabled",
    "lease_expiry_time",
    "sync_disconnect_time",
)


def make_path(cluster: VastCluster, row: Row, remote: VastCluster, tenant: Row) -> Row:
    """Create the row and the directory of a path on its destination cluster: stored, and not ready yet."""
    directories.make_directory(remote, tenant["id"], row["target_exported_dir"])
    source_tenant = cluster.get("tenants", row["tenant_id"]) or {}
    peer = cluster.get(PEERS_NAME, row["remote_target_id"]) or {}
    twin = next(remote.rows(PEERS_NAME, guid=peer.get("guid")), None)
    mirror = {name: row[name] for name in SHARED} | {
        "tenant_id": tenant["id"],
        "remote_tenant_guid": source_tenant.get("guid"),
        "remote_tenant_name": source_tenant.get("name"),
        "remote_target_id": twin and twin["id"],
        "role": DESTINATION,
        "state": "Initializing",
        "is_local": False,
        "_source": cluster.name,
        OWN: row["target_exported_dir"],
        READ_ONLY: True,
    }
    mirror = remote.add(NAME, mirror)
    stream = make_stream(cluster, row, None)
    make_stream(remote, mirror, stream["guid"])
    if row["protection_policy_id"] is not None:
        arm(cluster, cluster.assumed.policy_mirror, MIRROR_POLICY, row["guid"])
    return mirror


def make_stream(cluster: VastCluster, row: Row, guid: str | None) -> Row:
    """Create one end of a stream."""
    values = {"name": row["name"], "protected_path_guid": row["guid"], "protected_path_id": row["id"], "guid": guid}
    return cluster.add(STREAMS, values)


def stream_of(cluster: VastCluster, row: Row) -> Row | None:
    """The end of a path's stream on this cluster."""
    return next(cluster.rows(STREAMS, protected_path_guid=row["guid"]), None)


def forget_path(cluster: VastCluster, row: Row) -> None:
    """Remove what belongs to a path's row on this cluster: its end of the stream, its restore points, its timers."""
    disarm(cluster, row["guid"])
    for collection in (STREAMS, POINTS):
        for related in list(cluster.rows(collection, protected_path_guid=row["guid"])):
            disarm(cluster, related["guid"])
            cluster.remove(collection, related)


def mirror_policy(cluster: VastCluster, row: Row) -> None:
    """Copy the policy of a path to the other cluster, with the same guid, and protect the mirrored path with it."""
    side, policy = sides.reached_side(cluster, row), cluster.get(POLICIES, row["protection_policy_id"])
    if side is None or policy is None or not cluster.assumed.policy_mirrored:
        return
    other, mirror = side
    twin = next(other.rows(POLICIES, guid=policy["guid"]), None) or next(
        other.rows(POLICIES, name=policy["name"]), None
    )
    if twin is None:
        peer = other.get(PEERS_NAME, mirror["remote_target_id"]) or {}
        own_values = {"target_object_id": peer.get("id"), "target_guid": peer.get("guid"), "tenant_id": None}
        own = {"id", "target_object_id", "target_guid", "tenant_id", "remote_tenant"}
        kept = {name: value for name, value in policy.items() if name not in own and not name.startswith("_")}
        twin = other.add(POLICIES, kept | own_values)
    mirror["protection_policy_id"] = str(twin["id"])
    other.put(NAME, mirror)


def _show_stream(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    path = sides.cluster_row(cluster, row["protected_path_guid"]) or {}
    policy = cluster.get(POLICIES, path.get("protection_policy_id"))
    side = sides.other_side(cluster, path) if path else None
    shared = ("name", "role", "state", "enabled", "capabilities", "remote_target_id", "remote_tenant_guid")
    return {name: path.get(name) for name in (*shared, "remote_tenant_name")} | {
        "source_dir": own_directory(path) if path else None,
        "remote_target_name": side[0].name if side else None,
        "protection_policy": policy and policy["name"],
        "replication_policy": policy and policy["name"],
    }


REPLICATION_STREAMS = ApiCollection(STREAMS, show=_show_stream)
