"""Synchronous replication of a bucket: while both sides are in step each write is on both before it is answered.

Where they do not reach each other for the path's own time they are disconnected: the source continues alone, the other side gives no access.
That the two stay disconnected when the link is back is the vendor's word, that `reattach_stream` ends it is assumed.
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
    refuse,
)  # fmt: skip

LEVEL, PART = "in step", "part"
HELD = "_held"  # somebody suspended it, and nothing is sent until it is enabled again


class Waits(OSError):
    """The other side cannot be reached: a write is not answered yet, or a read not given."""


def covering(cluster: VastCluster, tenant: int, path: str) -> Row | None:
    """The path by which a directory is replicated synchronously."""
    row = sides.covering(cluster, tenant, path)
    return row if row is not None and sides.synchronous(row) else None


def begin(cluster: VastCluster, row: Row) -> None:
    """Send what the other side does not have; when it has arrived, the two are in step. Called on the source."""
    side = sides.reached_side(cluster, row)
    parted = row.get(APART) or row.get(IN_STEP) or armed(cluster, row["guid"], LEVEL)
    if side is None or parted or row["role"] != SOURCE or not row["enabled"]:
        return
    left = content.behind(cluster, _here(cluster, row), (row.get(BASE) or {}).get("pointer") or {})
    if left:
        arm(cluster, left / replication.bandwidth(cluster, side[0]), LEVEL, row["guid"])
        replication.refresh(cluster, row)
    else:
        level(cluster, row)


def level(cluster: VastCluster, row: Row) -> None:
    """The other side has all that there is, as it is now."""
    side = sides.reached_side(cluster, row)
    if side is None or row.get(APART):  # it begins again when the link carries
        return
    _copy(cluster, row, *side)
    for where, one in ((cluster, row), side):
        one[IN_STEP] = True
        one[READ_ONLY] = one["role"] == DESTINATION and not where.assumed.synchronous_secondary_writes
        where.put(NAME, one)
        replication.refresh(where, one)


def _here(cluster: VastCluster, row: Row) -> content.Pointer:
    return content.pointer(cluster, row["tenant_id"], own_directory(row))


def _copy(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> None:
    found = _here(cluster, row)
    content.copy(cluster, other, content.between(cluster, found, {}))
    content.place(other, mirror["tenant_id"], own_directory(mirror), found)


def write(cluster: VastCluster, row: Row, path: str, size: int, label: str, of: int | None) -> None:
    """A client's write, on both sides where they are in step. Raises `Waits`."""
    side = sides.reached_side(cluster, row)
    if row.get(IN_STEP) and side is None:
        raise Waits(f"a write of {row['name']} on {cluster.name} waits for the other side")
    content.write(cluster, row["tenant_id"], path, size, label, of)
    if row.get(IN_STEP) and side is not None:
        _copy(cluster, row, *side)


def reach(cluster: VastCluster, row: Row) -> None:
    """Raise `Waits` where the side gives no access."""
    if row.get(APART) and row["role"] == DESTINATION:
        raise Waits(f"{row['name']} gives no access on {cluster.name}: it was disconnected from its source")


def cut(cluster: VastCluster, row: Row) -> None:
    """The link to the other side is cut: so long does a side wait for it."""
    disarm(cluster, row["guid"], LEVEL)
    if armed(cluster, row["guid"], PART) is None and not row.get(APART):
        arm(cluster, row["sync_disconnect_time"] or cluster.assumed.synchronous_disconnect, PART, row["guid"])


def mended(cluster: VastCluster, row: Row) -> None:
    """The link carries again before the time was over: nothing has happened."""
    disarm(cluster, row["guid"], PART)


def part(cluster: VastCluster, row: Row) -> None:
    """One side waits no more for the other."""
    if row.get(IN_STEP):
        row[BASE] = {"guid": "", "pointer": _here(cluster, row)}
    row.pop(IN_STEP, None)
    row[APART], row[READ_ONLY] = True, row["role"] == DESTINATION
    cluster.put(NAME, row)
    if row["role"] == SOURCE:
        alarm(cluster, NAME, row, f"{row['name']} was disconnected from the other side, and continues alone")
    replication.refresh(cluster, row)


def hears(cluster: VastCluster, row: Row, other: VastCluster, mirror: Row) -> None:
    """What a side makes of the other one when the link carries again."""
    if mirror.get(APART) and not row.get(APART):
        part(cluster, row)
    if row["role"] == SOURCE and row.get(APART) and cluster.assumed.synchronous_rejoins and not row.get(HELD):
        _together(cluster, row)
    begin(cluster, row)


def _together(cluster: VastCluster, row: Row) -> None:
    side = sides.reached_side(cluster, row)
    for where, one in ((cluster, row), *([side] if side else [])):
        one.pop(APART, None)
        where.put(NAME, one)
        replication.refresh(where, one)


def restore(cluster: VastCluster, row: Row, stream_id: str | None) -> None:
    """Let the source send what the other side missed, and the two be in step again. Raises `VmsError`."""
    stream, name = mirrors.stream_of(cluster, row), row["name"]
    if stream is None or str(stream["id"]) != str(stream_id):
        raise not_found()
    if row["role"] != SOURCE:
        refuse(cluster, "reattach at a replica", f"{name} is {row['role']}, not {SOURCE}.")
    elif sides.reached_side(cluster, row) is None:
        refuse(cluster, "reattach of what cannot be reached", f"The peer of {name} is not connected.")
    elif not row.get(APART):
        refuse(cluster, "reattach of what is attached", f"The stream of {name} is not detached.")
    else:
        _together(cluster, row)
        begin(cluster, row)


def switched(cluster: VastCluster, row: Row) -> None:
    """Somebody suspended it at the source, which parts the two, or enabled it again."""
    if not row["enabled"] and not row.get(HELD):
        row[HELD] = True
        side = sides.reached_side(cluster, row)
        for where, one in ((cluster, row), *([side] if side else [])):
            disarm(where, one["guid"], LEVEL)
            part(where, one)
    elif row["enabled"] and row.pop(HELD, None):
        cluster.put(NAME, row)
        _together(cluster, row)
        begin(cluster, row)
