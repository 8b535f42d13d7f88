"""Training jobs beside a cluster: workers that write a checkpoint each so many seconds of the logical clock.

One that starts takes the newest complete checkpoint that it finds, so that what a job resumed from is a fact of a test.
"""

from __future__ import annotations

import re

from vastplan.sim.store import Row
from vastplan.sim.vast import clients, content
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.fabric import arm, disarm

JOBS, CHECKPOINT = "_jobs", "checkpoint"
RUNNING, STOPPED, FAILED, AWAY = "running", "stopped", "failed", "away"
STATES = (RUNNING, STOPPED, FAILED, AWAY)
_STEP = re.compile(r"step-(\d+)")


def start(cluster: VastCluster, name: str, path: str, tenant: int, every: float, size: int, steps: int) -> None:
    """Start a job of a new name; raises `ValueError` for one that is there."""
    if cluster.store.get(JOBS, name) is not None:
        raise ValueError(f"{cluster.name} has a job {name} already")
    row = {"id": name, "path": path, "tenant": tenant, "every": every, "size": size, "steps": steps}
    _begin(cluster, row)


def get(cluster: VastCluster, name: str) -> Row:
    """A job: `state`, the `step` of its newest checkpoint, the one that it `resumed` from, `why` it failed. Raises `KeyError`."""
    row = cluster.store.get(JOBS, name)
    if row is None:
        raise KeyError(name)
    return row


def names(cluster: VastCluster, state: str) -> list[str]:
    """The jobs in a state, in the order in which they were started first."""
    return [str(row["id"]) for row in cluster.store.rows(JOBS) if row["state"] == state]


def stop(cluster: VastCluster, name: str, state: str = STOPPED) -> None:
    """Let a job write no more; one that does not run stays as it is."""
    row = get(cluster, name)
    if row["state"] == RUNNING:
        _end(cluster, row, state, "")


def go_on(cluster: VastCluster, name: str) -> None:
    """Start a job again, from the newest complete checkpoint that it finds; one that runs goes on as it does."""
    row = get(cluster, name)
    if row["state"] != RUNNING:
        _begin(cluster, row)


def checkpoint(cluster: VastCluster, name: str) -> None:
    """Write the next one, or fail with what the client of the volume sees."""
    row = get(cluster, name)
    step = row["step"] + row["steps"]
    try:
        clients.write(cluster, row["tenant"], row["path"], row["size"], f"step-{step}")
    except (clients.ReadOnly, clients.NoAnswer) as error:
        _end(cluster, row, FAILED, str(error))
        return
    cluster.store.put(JOBS, name, row | {"step": step})
    arm(cluster, row["every"], CHECKPOINT, name)


def _begin(cluster: VastCluster, row: Row) -> None:
    try:
        found = content.labels(cluster, clients.seen(cluster, row["tenant"], row["path"]))
    except clients.NoAnswer as error:
        _end(cluster, {"step": 0, "resumed": 0} | row, FAILED, str(error))
        return
    step = max((int(match[1]) for label in found if (match := _STEP.fullmatch(label))), default=0)
    cluster.store.put(JOBS, row["id"], row | {"step": step, "resumed": step, "state": RUNNING, "why": ""})
    arm(cluster, row["every"], CHECKPOINT, row["id"])


def _end(cluster: VastCluster, row: Row, state: str, why: str) -> None:
    disarm(cluster, row["id"], CHECKPOINT)
    cluster.store.put(JOBS, row["id"], row | {"state": state, "why": why})
