"""Events: what was created, changed and deleted, and by whom. VMS keeps them itself; here they are read-only.

The document names the fields and three kinds of events ("Object modified", "Threshold", "Rate"); the spelling of the types,
and the values of `object_type` and `event_origin`, are assumed (VMS-057).
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.records import ApiCollection

EVENTS = ApiCollection("events")
KEPT = 10_000
TYPES = {
    "tenants": "Tenant", "vippools": "VipPool", "viewpolicies": "ViewPolicy", "views": "View", "qospolicies": "QosPolicy",
    "quotas": "Quota", "protectionpolicies": "ProtectionPolicy", "protectedpaths": "ProtectedPath",
    "nativereplicationremotetargets": "NativeReplicationRemoteTarget", "snapshots": "Snapshot", "users": "User",
    "groups": "Group", "localproviders": "LocalProvider", "s3policies": "S3Policy", "s3lifecyclerules": "S3LifeCycleRule",
    "volumes": "Volume", "dns": "Dns", "roles": "Role", "realms": "Realm",
    "managers": "Manager",
}  # fmt: skip
DONE = {"POST": "CREATED", "PATCH": "MODIFIED", "DELETE": "DELETED"}


def record_change(cluster: VastCluster, method: str, collection: str, row: Row, username: str) -> None:
    """Record that `username` changed a row."""
    done, type_ = DONE[method], TYPES.get(collection)
    if type_ is None:
        return
    name = str(row.get("name") or row.get("path") or row.get("username") or row["id"])
    message = f"{type_} {name} {done.lower()}"
    _add(cluster, type_, row, name, message, f"OBJECT_{done}", f"{type_.upper()}_{done}", username, "INFO")


def alarm(cluster: VastCluster, collection: str, row: Row, message: str) -> None:
    """Record an alarm that VMS itself raises about a row."""
    type_ = TYPES[collection]
    _add(cluster, type_, row, str(row["name"]), message, "ALARM", f"{type_.upper()}_ALARM", "SYSTEM", "CRITICAL")


def _add(
    cluster: VastCluster,
    type_: str,
    row: Row,
    name: str,
    message: str,
    event_type: str,
    event_name: str,
    username: str,
    severity: str,
) -> None:
    key = cluster.store.next("events")
    event = {
        **cluster.blanks["events"],
        "id": key,
        "guid": str(uuid4()),
        "timestamp": datetime.fromtimestamp(cluster.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "event_type": event_type,
        "event_name": event_name,
        "event_origin": username,
        "event_message": message,
        "object_type": type_,
        "object_id": row["id"],
        "object_guid": row.get("guid") or "",
        "object_name": name,
        "severity": severity,
        "cluster": cluster.name,
        "metadata": {},
    }
    cluster.store.put("events", str(key), event)
    cluster.store.remove("events", str(key - KEPT))
