"""Role changes of a replicated path: a planned failover, a forced failover when the source is lost, and abort.

Both failovers are called on the side that is to become the source, as two of the vendor's own clients do.
"""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import mirrors, replication, sides, tasks
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import detail
from vastplan.sim.vast.fabric import arm, armed, disarm
from vastplan.sim.vast.settle import PENDING
from vastplan.sim.vast.sides import (
    BASE,
    CHANGE,
    CUT,
    DESTINATION,
    DETACHED,
    EPOCH,
    NAME,
    READ_ONLY,
    SOURCE,
    STANDALONE,
    is_changing,
    refuse_call,
)  # fmt: skip

REJOIN = "rejoin"  # the change of a side that was attached again
SWAP, STAND, SOURCE_SIDE, HEARTBEAT = "swap", "stand", "lead", "heartbeat"
GRACEFUL, DETACH, FORCE = "graceful", "detach", "force"
PRE, FINAL = "pre", "final"
SOON_SOURCE, SOON_DESTINATION = "GRACEFULLY_BECOMING_SOURCE", "GRACEFULLY_BECOMING_DESTINATION"


def fail_over(cluster: VastCluster, row: Row, *, graceful: bool) -> None:
    """Make a replica the source, or detach it to stand alone; raises `VmsError`, and then nothing has changed."""
    side = sides.other_side(cluster, row)
    if side is None or row["is_local"]:
        raise detail(f"{row['name']} is not replicated.")
    name = row["name"]
    if is_changing(row):
        refuse_call(cluster, "failover while one runs", f"{name} is {row['role']}, and cannot fail over.")
    elif row["role"] == SOURCE:
        refuse_call(cluster, "failover at the source", f"{name} is {SOURCE} here, and cannot fail over.")
    elif row["role"] == STANDALONE:
        refuse_call(cluster, "failover of what is detached", f"{name} is {STANDALONE}, and cannot fail over.")
    elif sides.synchronous(row):
        _turn_over(cluster, row, graceful=graceful)
    elif not graceful:
        _detach(cluster, row)
    elif not _stays_put(cluster, row, side):
        _plan(cluster, row, side)


def _stays_put(cluster: VastCluster, row: Row, side: sides.Side) -> bool:
    """Whether a graceful failover is accepted and does nothing; raises `VmsError` where it is refused."""
    other, mirror = side
    if not cluster.reaches(other) or row.get(CUT):
        return refuse_call(cluster, "graceful while the link is down", f"The peer of {row['name']} is not connected.")
    if not row.get(BASE):
        text = f"The initial sync of {row['name']} is not complete."
        return refuse_call(cluster, "graceful before the first copy is complete", text)
    if not mirror["enabled"]:
        return refuse_call(cluster, "graceful while suspended", f"{row['name']} is suspended.")
    return False


def _plan(cluster: VastCluster, row: Row, side: sides.Side) -> None:
    other, mirror = side
    for side_cluster, side_row, role in ((cluster, row, SOON_SOURCE), (other, mirror, SOON_DESTINATION)):
        side_row["role"], side_row[CHANGE] = role, {"kind": GRACEFUL, "phase": PRE, "promil": 0}
        side_cluster.put(NAME, side_row)
    mirror[READ_ONLY] = other.assumed.read_only_from == "call"
    _send(other, mirror, PRE)


def _turn_over(cluster: VastCluster, row: Row, *, graceful: bool) -> None:
    """Swap the roles of two sides in sync; both keep accepting writes. Called on the replica. Raises `VmsError`."""
    side, name = sides.reached_side(cluster, row), row["name"]
    if not graceful:
        raise detail("A turnover of synchronous replication that is not graceful is not simulated.", 501)
    if side is None:
        refuse_call(cluster, "graceful while the link is down", f"The peer of {name} is not connected.")
    elif not row.get(sides.IN_STEP):
        refuse_call(cluster, "graceful before the first copy is complete", f"{name} is not in step with its source.")
    else:
        now = {"kind": GRACEFUL, "phase": FINAL, "promil": 0, "since": cluster.fabric.passed}
        for side_cluster, side_row, role in ((cluster, row, SOON_SOURCE), (*side, SOON_DESTINATION)):
            side_row["role"], side_row[CHANGE] = role, dict(now)
            side_cluster.put(NAME, side_row)
        arm(side[0], side[0].assumed.role_change, SWAP, row["guid"])


def _send(cluster: VastCluster, row: Row, phase: str) -> None:
    row[CHANGE] |= {"phase": phase, "since": cluster.fabric.passed}
    point = replication.take(cluster, row, phase, replication.first_keep(cluster, row))
    row[CHANGE]["point"] = point["guid"]
    cluster.put(NAME, row)
    step(cluster, row)


def step(cluster: VastCluster, row: Row) -> None:
    """Advance a graceful failover, at its old source, when the restore point of the current phase has arrived."""
    change = row.get(CHANGE)
    if not change or change["kind"] != GRACEFUL or row["role"] != SOON_DESTINATION or "point" not in change:
        return
    arrived = any(point["guid"] == change["point"] for point in replication.points(cluster, row, replication.READY))
    if not arrived:
        return
    if change["phase"] == PRE:
        row[READ_ONLY] = True
        _send(cluster, row, FINAL)
    elif armed(cluster, row["guid"], SWAP) is None:
        left = change["since"] + cluster.assumed.role_change - cluster.fabric.passed
        arm(cluster, max(0.0, left), SWAP, row["guid"])


def swap(cluster: VastCluster, row: Row) -> None:
    """End a graceful failover: both sides change at one moment, or neither does while the link is cut."""
    side = sides.reached_side(cluster, row)
    if side is None or CHANGE not in row:
        return
    other, mirror = side
    become(cluster, row, DESTINATION)
    for side_cluster, side_row in ((cluster, row), (other, mirror)):
        side_row["enabled"] = cluster.assumed.enabled_after_failover
        side_cluster.put(NAME, side_row)
    mirrors.mirror_policy(cluster, row)
    become(other, mirror, SOURCE)


def become(cluster: VastCluster, row: Row, role: str) -> None:
    """Give a side its final role."""
    written_too = bool(row.get(sides.IN_STEP)) and cluster.assumed.synchronous_secondary_writes
    row["role"], row[READ_ONLY] = role, role == DESTINATION and not written_too
    row.pop(CHANGE, None)
    row.pop(PENDING, None)
    if row["state"] == "Blocked":
        row["state"] = "Active"
    cluster.put(NAME, row)
    replication.schedule(cluster, row)
    replication.refresh_state(cluster, row)


def _detach(cluster: VastCluster, row: Row) -> None:
    side = sides.reached_side(cluster, row)
    alone = [(cluster, row)]
    if side is not None:
        replication.fail(*side)
        if side[0].assumed.hears_of_detach:
            alone.append(side)
    for side_cluster, side_row in alone:
        side_row["role"], side_row[CHANGE] = f"BECOMING_{STANDALONE}", {"kind": DETACH, "promil": 0}
        side_row[DETACHED] = True
        side_cluster.put(NAME, side_row)
        replication.schedule(side_cluster, side_row)
        arm(side_cluster, side_cluster.assumed.role_change, STAND, side_row["guid"])


def force_source(cluster: VastCluster, row: Row) -> Row | None:
    """Make a standalone side the source. Returns the task, `None` where the call does nothing. Raises `VmsError`."""
    name, role = row["name"], row["role"]
    if is_changing(row):
        refuse_call(cluster, "force while the role changes", f"{name} is {role}, not {STANDALONE}.")
        return None
    if role == SOURCE:
        refuse_call(cluster, "force at the source", f"{name} is {role}, not {STANDALONE}.")
        return None
    if role == DESTINATION and not cluster.assumed.force_detaches:
        refuse_call(cluster, "force at a destination", f"{name} is {role}, not {STANDALONE}.")
        return None
    if role == DESTINATION:
        _detach(cluster, row)
    task, succeeds = tasks.start_task(cluster, "force_failover", held=True)
    if role == STANDALONE:
        row["role"], row[CHANGE] = f"BECOMING_{SOURCE}", {"kind": FORCE, "promil": 0}
        cluster.put(NAME, row)
    after = cluster.assumed.role_change * (1 if role == STANDALONE else 2)
    arm(cluster, after, SOURCE_SIDE, row["guid"], task=task["id"], succeeds=succeeds)
    return task


def become_source(cluster: VastCluster, row: Row, task: int, succeeds: bool) -> None:
    """End a forced failover: the side becomes the source without asking the other side."""
    tasks.finish_task(cluster, task)
    if succeeds:
        row[EPOCH] = row.get(EPOCH, 0) + 1
    become(cluster, row, SOURCE if succeeds else STANDALONE)
    side = sides.reached_side(cluster, row)
    if side is not None and not side[1].get(DETACHED):  # the other side did not hear of the detach
        arm(side[0], side[0].assumed.heartbeat, HEARTBEAT, cluster.name)


def abort_failover(cluster: VastCluster, row: Row) -> None:
    """Abort a graceful failover: each side that can be reached returns to its role before it. Raises `VmsError`."""
    change, side = row.get(CHANGE), sides.other_side(cluster, row)
    if not change or change["kind"] != GRACEFUL or side is None:
        refuse_call(cluster, "abort of nothing", f"No failover of {row['name']} is running.")
        return
    reached = cluster.reaches(side[0])
    if row["role"] == SOON_DESTINATION and reached and cluster.assumed.abort_at == "destination":
        refuse_call(
            cluster, "abort at the source", f"Abort the failover of {row['name']} on the cluster that began it."
        )
        return
    give_up_failover(cluster, row)
    if reached:
        give_up_failover(*side)


def give_up_failover(cluster: VastCluster, row: Row) -> None:
    """Return one side of a graceful failover to its role before it."""
    disarm(cluster, row["guid"], SWAP)
    if row["role"] == SOON_DESTINATION:
        replication.fail(cluster, row)
        become(cluster, row, SOURCE)
    elif row["role"] == SOON_SOURCE:
        become(cluster, row, DESTINATION)


def role_change_figures(cluster: VastCluster, row: Row) -> Row:
    """The progress of a role change: the first half is the copy while the source takes writes, the second half the final copy."""
    change = row.get(CHANGE)
    if not change or change["kind"] == REJOIN:
        return {"role_change_progress_promil": 0, "role_change_eta_sec": 0}
    total, passed = cluster.assumed.role_change, cluster.fabric.passed
    for kind in (STAND, SOURCE_SIDE):
        timer = armed(cluster, row["guid"], kind)
        if timer is not None:
            left = timer["at"] - passed
            return {"role_change_progress_promil": int(1000 * (1 - left / total)), "role_change_eta_sec": int(left)}
    side = sides.reached_side(cluster, row)
    source = side if row["role"] == SOON_SOURCE and side else (cluster, row)
    state = source[1].get(CHANGE) or change
    _, done, left = replication.send_progress(*source)
    if state["phase"] == PRE:
        return {"role_change_progress_promil": int(500 * done), "role_change_eta_sec": int(left + total)}
    left = max(left, state.get("since", passed) + total - passed)
    return {"role_change_progress_promil": int(1000 - 500 * min(1.0, left / total)), "role_change_eta_sec": int(left)}
