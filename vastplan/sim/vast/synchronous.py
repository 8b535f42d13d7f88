"""Synchronous replication of a bucket: while both sides are in sync, each write is on both before it is answered.

When they cannot reach each other for the path's own time they are disconnected: the source continues alone, the other side gives no access.
The vendor says that they stay disconnected when the link is back; that `reattach_stream` reconnects them is assumed.
"""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import content, mirrors, replication, sides
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import not_found
from vastplan.sim.vast.events import alarm
from vastplan.sim.vast.fabric import arm, armed, disarm
from vastplan.sim.vast.sides import (
    APART,
    BASE,
    DESTINATION,
    IN_STEP,
    NAME,
    READ_ONLY,
    SOURCE,
    own_directory,
    refuse_call,
)  # fmt: skip

LEVEL, PART = "in step", "part"
HELD = "_held"  # set while the path is suspended: nothing is sent until it is enabled again


class Waits(OSError):
    """The other side cannot be reached: a write is not answered yet, or a read not served."""


def synchronous_path_of(cluster: VastCluster, tenant: int, path: str) -> Row | None:
    """The synchronously replicated path that covers a directory."""
    row = sides.replicated_path_of(cluster, tenant, path)
    return row if row is not None and sides.synchronous(row) else None


def begin_sync(cluster: VastCluster, row: Row) -> None:
    """Send what the other side lacks; when it has arrived, the two are in sync. Called on the source."""
    side = sides.reached_side(cluster, row)
    disconnected = row.get(APART) or row.get(IN_STEP) or armed(cluster, row["guid"], LEVEL)
    if side is None or disconnected or row["role"] != SOURCE or not row["enabled"]:
        return
    left = content.missing_bytes(cluster, _here(cluster, row), (row.get(BASE) or {}).get("pointer") or {})
    if left:
        arm(cluster, left / replication.bandwidth(cluster, side[0]), LEVEL, row["guid"])
        replication.refresh_state(cluster, row)
    else:
        bring_in_sync(cluster, row)


def bring_in_sync(cluster: VastCluster, row: Row) -> None:
    """Bring both sides in sync: the other side now has all content of this one."""
    side = sides.reached_side(cluster, row)
    if side is None or row.get(APART):  # it begins again when the link is restored
        return
    _copy(cluster, row, *side)
    for side_cluster, side_row in ((cluster, row), side):
        side_row[IN_STEP] = True
        side_row[READ_ONLY] = side_row["role"] == DESTINATION and not side_cluster.assumed.synchronous_secondary_writes
        side_cluster.put(NAME, side_row)
        replication.refresh_state(side_cluster, side_row)


def _here(cluster: VastCluster, row: Row) -> content.Pointer:
    return content.pointer(cluster, row["tenant_id"], own_directory(row))


def _copy(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> None:
    versions = _here(cluster, row)
    content.copy(cluster, other, content.new_versions(cluster, versions, {}))
    content.replace_content(other, mirror["tenant_id"], own_directory(mirror), versions)


def write_both_sides(cluster: VastCluster, row: Row, path: str, size: int, label: str, of: int | None) -> None:
    """A client's write, to both sides when they are in sync. Raises `Waits`."""
    side = sides.reached_side(cluster, row)
    if row.get(IN_STEP) and side is None:
        raise Waits(f"a write of {row['name']} on {cluster.name} waits for the other side")
    content.append_write(cluster, row["tenant_id"], path, size, label, of)
    if row.get(IN_STEP) and side is not None:
        _copy(cluster, row, *side)


def require_access(cluster: VastCluster, row: Row) -> None:
    """Raise `Waits` if this side gives no access."""
    if row.get(APART) and row["role"] == DESTINATION:
        raise Waits(f"{row['name']} gives no access on {cluster.name}: it was disconnected from its source")


def cut(cluster: VastCluster, row: Row) -> None:
    """React to a cut link: start the time that this side waits for the other."""
    disarm(cluster, row["guid"], LEVEL)
    if armed(cluster, row["guid"], PART) is None and not row.get(APART):
        arm(cluster, row["sync_disconnect_time"] or cluster.assumed.synchronous_disconnect, PART, row["guid"])


def mended(cluster: VastCluster, row: Row) -> None:
    """The link is restored in time: cancel the disconnect."""
    disarm(cluster, row["guid"], PART)


def part(cluster: VastCluster, row: Row) -> None:
    """Disconnect one side: it no longer waits for the other."""
    if row.get(IN_STEP):
        row[BASE] = {"guid": "", "pointer": _here(cluster, row)}
    row.pop(IN_STEP, None)
    row[APART], row[READ_ONLY] = True, row["role"] == DESTINATION
    cluster.put(NAME, row)
    if row["role"] == SOURCE:
        alarm(cluster, NAME, row, f"{row['name']} was disconnected from the other side, and continues alone")
    replication.refresh_state(cluster, row)


def hears(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> None:
    """React to the state of the other side when the link is restored."""
    if mirror.get(APART) and not row.get(APART):
        part(cluster, row)
    if row["role"] == SOURCE and row.get(APART) and cluster.assumed.synchronous_rejoins and not row.get(HELD):
        _together(cluster, row)
    begin_sync(cluster, row)


def _together(cluster: VastCluster, row: Row) -> None:
    side = sides.reached_side(cluster, row)
    for side_cluster, side_row in ((cluster, row), *([side] if side else [])):
        side_row.pop(APART, None)
        side_cluster.put(NAME, side_row)
        replication.refresh_state(side_cluster, side_row)


def reconnect(cluster: VastCluster, row: Row, stream_id: str | None) -> None:
    """Reconnect the two sides: the source sends what the other side missed. Raises `VmsError`."""
    stream, name = mirrors.stream_of(cluster, row), row["name"]
    if stream is None or str(stream["id"]) != str(stream_id):
        raise not_found()
    if row["role"] != SOURCE:
        refuse_call(cluster, "reattach at a replica", f"{name} is {row['role']}, not {SOURCE}.")
    elif sides.reached_side(cluster, row) is None:
        refuse_call(cluster, "reattach of what cannot be reached", f"The peer of {name} is not connected.")
    elif not row.get(APART):
        refuse_call(cluster, "reattach of what is attached", f"The stream of {name} is not detached.")
    else:
        _together(cluster, row)
        begin_sync(cluster, row)


def switched(cluster: VastCluster, row: Row) -> None:
    """React when the path is suspended at the source, which disconnects the sides, or is enabled again."""
    if not row["enabled"] and not row.get(HELD):
        row[HELD] = True
        side = sides.reached_side(cluster, row)
        for side_cluster, side_row in ((cluster, row), *([side] if side else [])):
            disarm(side_cluster, side_row["guid"], LEVEL)
            part(side_cluster, side_row)
    elif row["enabled"] and row.pop(HELD, None):
        cluster.put(NAME, row)
        _together(cluster, row)
        begin_sync(cluster, row)
