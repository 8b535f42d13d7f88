"""VTasks: the server's async tasks, and the switch that makes the next one fail."""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.records import ApiCollection
from vastplan.sim.vast.settle import arm_row, due

VTASKS = ApiCollection("vtasks")
CONTROL = "_control"
HELD = "_held"
TIMEOUT = 600  # seconds


def fail_next(cluster: VastCluster, message: str) -> None:
    """Make the next task that starts end FAILED, with `message` as its last message."""
    cluster.store.put(CONTROL, "task", {"message": message})


def start_task(cluster: VastCluster, name: str, *, held: bool = False) -> tuple[Row, bool]:
    """Start a task. Returns its row and whether it will succeed. A `held` task runs until `finish_task`, regardless of reads."""
    doom = cluster.store.get(CONTROL, "task")
    cluster.store.remove(CONTROL, "task")
    row: Row = {
        "id": cluster.store.next("vtasks"),
        "name": name,
        "state": "RUNNING",
        "messages": [f"{name} started"],
        "info": {},
        "start_time": cluster.now(),
        "end_time": None,
        "execution_time": None,
        "timeout_in_seconds": TIMEOUT,
    }
    state, last = ("FAILED", doom["message"]) if doom else ("COMPLETED", f"{name} finished")
    messages = [f"{name} started", last]
    ended = {"state": state, "messages": messages, "end_time": cluster.now(), "execution_time": 0}
    if held:
        row[HELD] = ended | {"began": cluster.fabric.passed}
    else:
        arm_row(cluster, row, ended)
    cluster.put("vtasks", row)
    due(cluster, VTASKS, row)
    return row, doom is None


def finish_task(cluster: VastCluster, key: int, state: str | None = None) -> None:
    """End a held task, in its planned state or in `state`; a task that is not held stays as it is."""
    row = cluster.get("vtasks", key)
    if row is None or HELD not in row:
        return
    changes = row.pop(HELD)
    took = cluster.fabric.passed - changes.pop("began")
    row.update(changes | {"end_time": cluster.now(), "execution_time": took})
    if state is not None:
        row |= {"state": state, "messages": [*row["messages"][:-1], f"{row['name']}: {state.lower()}"]}
    cluster.put("vtasks", row)


def embedded(task: Row) -> Row:
    """The body that shows a task: `{"async_task": {...}}`."""
    return {"async_task": {name: value for name, value in task.items() if not name.startswith("_")}}
