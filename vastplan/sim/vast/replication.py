"""Replication by restore points: due snapshots are sent one at a time, and each appears at the destination when complete.

All times are on the logical clock. A directory without labelled content to send is in sync at once.
"""

from __future__ import annotations

from datetime import UTC, datetime

from vastplan.sim.store import Row
from vastplan.sim.vast import content, durations, sides, snapshots
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.fabric import arm, armed, disarm
from vastplan.sim.vast.records import ApiCollection, Memo
from vastplan.sim.vast.settle import PENDING
from vastplan.sim.vast.sides import (
    BASE,
    CHANGE,
    CUT,
    DESTINATION,
    DETACHED,
    NAME,
    POINTS,
    SOURCE,
    STANDALONE,
    SYNC_FAILED,
    own_directory,
)  # fmt: skip

QUEUED, UPLOADING, READY, FAILED = "QUEUED", "UPLOADING", "READY", "FAILED"
UPLOADED, FRAME, EXPIRE, DISCOVER = "uploaded", "frame", "expire", "discover"
POLICIES = "protectionpolicies"
DELETING = "DELETE_PENDING"
EXPIRED = "_expired"  # marks an expired restore point, kept only because both sides have no newer one
SENDS = frozenset({SOURCE, "GRACEFULLY_BECOMING_DESTINATION"})
RECEIVES = frozenset({DESTINATION, "GRACEFULLY_BECOMING_SOURCE"})
Keep = tuple[int | None, int | None]  # seconds kept at the source and at the destination; None: no longer than needed


def policy_of(cluster: VastCluster, row: Row) -> Row | None:
    """The protection policy of a path."""
    return cluster.get(POLICIES, row["protection_policy_id"])


def keep_of(frame: Row) -> Keep:
    """How long the restore points of a frame are kept."""
    local, remote = frame.get("keep-local"), frame.get("keep-remote")
    return (local and durations.suffixed(local), remote and durations.suffixed(remote))


def first_keep(cluster: VastCluster, row: Row) -> Keep:
    """How long a restore point that no frame asked for is kept: as long as those of the first frame."""
    policy = policy_of(cluster, row)
    return keep_of(policy["frames"][0]) if policy else (None, None)


def schedule(cluster: VastCluster, row: Row) -> None:
    """Arm the timers of a path's frames if the path is the source and enabled; otherwise disarm them."""
    guid, policy = row["guid"], policy_of(cluster, row)
    runs = row["role"] == SOURCE and row["enabled"] and policy is not None and row["state"] != DELETING
    if not runs:
        disarm(cluster, guid, FRAME)
    elif policy is not None and armed(cluster, guid, FRAME) is None:
        for index, frame in enumerate(policy["frames"]):
            arm(cluster, durations.suffixed(frame["every"]) or 0, FRAME, guid, index=index)


def frame_due(cluster: VastCluster, row: Row, index: int) -> None:
    """Take the restore point of a frame that is due, as the policy is now, and arm the frame again."""
    frames = (policy_of(cluster, row) or {}).get("frames") or []
    if index >= len(frames):
        return
    if row["role"] == SOURCE:
        take(cluster, row, "frame", keep_of(frames[index]))
    arm(cluster, durations.suffixed(frames[index]["every"]) or 0, FRAME, row["guid"], index=index)


def take(cluster: VastCluster, row: Row, purpose: str, keep: Keep) -> Row:
    """Create a restore point of the path's current content, queued for sending. Returns its row."""
    policy = policy_of(cluster, row) or {}
    versions = content.pointer(cluster, row["tenant_id"], own_directory(row))
    size = content.missing_bytes(cluster, versions, {})
    number = cluster.store.next(f"_points of {row['id']}")
    sent = not row["is_local"] and not row.get(DETACHED)
    base = (row.get(BASE) or {}).get("pointer") or {}
    left = content.missing_bytes(cluster, versions, base) if sent else 0
    point = cluster.add(
        POINTS,
        {
            "name": f"{policy.get('prefix') or row['name']}-{row['name']}-{cluster.name}-{number}",
            "created": cluster.now(), "state": QUEUED if sent else READY, "is_local": True,
            "logical_size": size, "physical_size": size, "logical_backlog": left, "physical_backlog": left,
            "protected_path_guid": row["guid"], "stream_name": row["name"], "stream_index": 0, "internal": False,
            "_purpose": purpose, "_pointer": versions, "_keep": list(keep), "_local": row["is_local"],
        },
    )  # fmt: skip
    row["last_snapshot_creation_time"] = point["created"]
    cluster.put(NAME, row)
    _show_snapshot(cluster, point)
    if not sent:
        _expire_later(cluster, point, keep[0], needed=False)
    send_restore_points(cluster, row)
    return point


def points(cluster: VastCluster, row: Row, *states: str) -> list[Row]:
    """The restore points of a path on this cluster in one of `states`, oldest first."""
    return [point for point in cluster.rows(POINTS, protected_path_guid=row["guid"]) if point["state"] in states]


def bandwidth(cluster: VastCluster, other: VastCluster) -> float:
    """Bytes per second between two clusters, or within one."""
    return cluster.fabric.bandwidth.get(frozenset({cluster.name, other.name}), cluster.assumed.bandwidth)


def send_restore_points(cluster: VastCluster, row: Row) -> None:
    """Send queued restore points, one at a time; an empty one arrives at once."""
    while True:
        side = sides.reached_side(cluster, row)
        waiting = points(cluster, row, QUEUED)
        busy = bool(points(cluster, row, UPLOADING))
        if side is None or busy or not waiting or row.get(DETACHED) or row.get(CUT) or not row["enabled"]:
            break
        if row["role"] not in SENDS or side[1]["role"] not in RECEIVES:
            break
        point = waiting[0]
        base = (row.get(BASE) or {}).get("pointer") or {}
        left = content.missing_bytes(cluster, point["_pointer"], base)
        seconds = left / bandwidth(cluster, side[0])
        point |= {
            "state": UPLOADING, "upload_start_time": cluster.now(), "logical_backlog": left, "physical_backlog": left,
            "network_bw_per_sec": int(bandwidth(cluster, side[0])),
            "_began": cluster.fabric.passed, "_seconds": seconds,
        }  # fmt: skip
        cluster.put(POINTS, point)
        if seconds > 0:
            arm(cluster, seconds, UPLOADED, row["guid"])
            break
        _arrived(cluster, row, point)
    refresh_state(cluster, row)


def uploaded(cluster: VastCluster, row: Row) -> None:
    """Complete the restore point that was being sent, and start the next one."""
    for point in points(cluster, row, UPLOADING):
        _arrived(cluster, row, point)
    send_restore_points(cluster, row)


def _arrived(cluster: VastCluster, row: Row, point: Row) -> None:
    side = sides.reached_side(cluster, row)
    if side is None:
        return
    other, mirror = side
    base = (row.get(BASE) or {}).get("pointer") or {}
    content.copy(cluster, other, content.new_versions(cluster, point["_pointer"], base))
    content.replace_content(other, mirror["tenant_id"], own_directory(mirror), point["_pointer"])
    point |= {"state": READY, "upload_finish_time": cluster.now(), "logical_backlog": 0, "physical_backlog": 0}
    cluster.put(POINTS, point)
    kept = {name: value for name, value in point.items() if name != "id"}
    copy = other.add(POINTS, kept | {"is_local": False})
    for side_cluster, side_row in ((cluster, row), (other, mirror)):
        before = (side_row.get(BASE) or {}).get("guid")
        side_row[BASE] = {"guid": point["guid"], "pointer": point["_pointer"]}
        side_row["last_restore_point_creation_time"] = point["created"]
        side_row["last_restore_point_time"] = point["upload_finish_time"]
        side_cluster.put(NAME, side_row)
        for older in side_cluster.rows(POINTS, guid=before) if before else ():
            if older.get(EXPIRED):
                side_cluster.remove(POINTS, older)
                break
    _show_snapshot(other, copy)
    _expire_later(cluster, point, point["_keep"][0], needed=True)
    _expire_later(other, copy, point["_keep"][1], needed=True)
    refresh_state(other, mirror)


def _expire_later(cluster: VastCluster, point: Row, keep: int | None, *, needed: bool) -> None:
    if keep is None and not needed:  # of a local path: kept forever
        return
    if keep:
        arm(cluster, keep, EXPIRE, point["guid"])
    else:
        point[EXPIRED] = True
        cluster.put(POINTS, point)


def expired(cluster: VastCluster, guid: str) -> None:
    """Expire a restore point. The newest that both sides have stays until a newer one arrives."""
    for point in list(cluster.rows(POINTS, guid=guid)):
        if sides.is_needed_point(cluster, guid):
            point[EXPIRED] = True
            cluster.put(POINTS, point)
        else:
            cluster.remove(POINTS, point)


def _show_snapshot(cluster: VastCluster, point: Row) -> None:
    arm(cluster, cluster.assumed.discovery, DISCOVER, point["guid"])


def discovered(cluster: VastCluster, guid: str) -> None:
    """Create the snapshot of a restore point, which VMS shows although no request created it."""
    point = next(cluster.rows(POINTS, guid=guid), None)
    row = point and sides.cluster_row(cluster, point["protected_path_guid"])
    if point is None or row is None or any(cluster.rows("snapshots", name=point["name"])):
        return
    keep = point["_keep"][0 if point["is_local"] else 1]
    made = datetime.fromisoformat(point["created"]).timestamp()
    end = datetime.fromtimestamp(made + (keep or 0), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    policy = policy_of(cluster, row)
    snapshot = cluster.add(
        "snapshots",
        {
            "name": point["name"], "path": own_directory(row).rstrip("/") + "/", "tenant_id": row["tenant_id"],
            "state": "SUCCEED", "type": "POLICY", "created": point["created"], "cluster_id": 1,
            "expiration_time": None if keep is None and point["_local"] else end,
            "protection_policy_id": policy and policy["id"], "_pointer": point["_pointer"], "_point": guid,
        },
    )  # fmt: skip
    snapshots.SNAPSHOTS.stored(cluster, snapshot)


def fail(cluster: VastCluster, row: Row) -> None:
    """Mark what is being sent or is queued as failed: the other side will not accept it."""
    disarm(cluster, row["guid"], UPLOADED)
    for point in points(cluster, row, QUEUED, UPLOADING):
        cluster.put(POINTS, point | {"state": FAILED})


def interrupt(cluster: VastCluster, row: Row) -> None:
    """Requeue what was being sent when the link was cut; it is sent again from its beginning."""
    disarm(cluster, row["guid"], UPLOADED)
    for point in points(cluster, row, UPLOADING):
        cluster.put(POINTS, point | {"state": QUEUED})


def refresh_state(cluster: VastCluster, row: Row) -> None:
    """Set the state of a path from its progress. The state of a new path or of one being deleted is not changed."""
    if PENDING in row or row["state"] == DELETING or row["is_local"]:
        return
    if sides.synchronous(row):
        state = _in_step(cluster, row)
    elif row["role"] == STANDALONE:
        state = "Writable"
    elif row["role"] == DESTINATION:
        state = "Active" if row.get(BASE) or row["capabilities"] == sides.GLOBAL else "Initial Sync"
        state = "Syncing" if row.get("_rejoining") else state
    elif not row["enabled"]:
        state = "Suspended"
    elif row.get(CUT):
        state = SYNC_FAILED
    elif points(cluster, row, QUEUED, UPLOADING):
        state = "Syncing" if row.get(BASE) else "Initial Sync"
    else:
        state = "Active"
    if row["state"] != "Blocked" or row["role"] != SOURCE:
        row["state"] = state
    cluster.put(NAME, row)


def _in_step(cluster: VastCluster, row: Row) -> str:
    """The state that one side of a synchronous path reports."""
    if row["role"] == SOURCE and not row["enabled"]:
        return "Suspended"
    if row.get(sides.APART):
        return "Blocked" if row["role"] == DESTINATION else cluster.assumed.synchronous_source_apart
    return "Active" if row.get(sides.IN_STEP) else "Initial Sync"


def send_progress(cluster: VastCluster, row: Row) -> tuple[Row | None, float, float]:
    """The restore point that is being sent, the fraction sent (0 to 1), and the seconds left."""
    for point in points(cluster, row, UPLOADING):
        gone = cluster.fabric.passed - point["_began"]
        return point, gone / point["_seconds"], point["_seconds"] - gone
    return None, 0.0, 0.0


def backlog(cluster: VastCluster, row: Row) -> int:
    """Bytes that the other side does not have yet."""
    if row.get(sides.IN_STEP):
        return 0
    base = (row.get(BASE) or {}).get("pointer") or {}
    return content.missing_bytes(cluster, content.pointer(cluster, row["tenant_id"], own_directory(row)), base)


def replication_figures(cluster: VastCluster, row: Row) -> Row:
    """The fields in which a path reports its replication."""
    side = sides.reached_side(cluster, row)
    source = (cluster, row) if row["role"] != DESTINATION or side is None else side
    point, done, left = send_progress(*source)
    figures: Row = {
        "bw": int(bandwidth(cluster, side[0])) if point and side else 0,
        "eta": str(int(left)) if point else None,
        "progress": str(int(done * 1000)) if point else None,
        "last_uploading_restore_point_state": point and point["state"],
        "last_uploading_restore_point_progress": int(done * 1000) if point else None,
        "last_uploading_restore_point_logical_size": str(point["logical_backlog"]) if point else None,
        "last_uploading_restore_point_physical_size": str(point["logical_backlog"]) if point else None,
    }
    if not row["is_local"] and side is not None:
        behind = backlog(*source) / bandwidth(cluster, side[0])
        figures["estimated_read_only_time"] = cluster.assumed.role_change + behind
    level = bool(row.get(sides.IN_STEP)) if sides.synchronous(row) else row.get(BASE) is not None
    attached = side is not None and row["role"] == DESTINATION and level and CHANGE not in row
    return figures | {"failback_allowed": str(attached).lower()}


def _show_point(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    path = sides.cluster_row(cluster, row["protected_path_guid"])
    side = path and sides.other_side(cluster, path)
    stream = next(cluster.rows("replicationstreams", protected_path_guid=row["protected_path_guid"]), None)
    fields = {"stream": str(stream["id"]) if stream else None, "target_name": side[0].name if side else None}
    if row["state"] != UPLOADING:
        return fields | {"progress_promil": "1000" if row["state"] == READY else "0", "eta_sec": "0"}
    gone = cluster.fabric.passed - row["_began"]
    left = int(row["logical_backlog"] * (1 - gone / row["_seconds"]))
    return fields | {
        "progress_promil": str(int(gone / row["_seconds"] * 1000)),
        "eta_sec": str(int(row["_seconds"] - gone)),
        "logical_backlog": left,
        "physical_backlog": left,
    }


RESTORE_POINTS = ApiCollection(POINTS, show=_show_point)
