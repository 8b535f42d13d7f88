"""Training jobs on a cluster's data: workers that write a checkpoint at each interval of the logical clock.

A job that starts resumes from the newest complete checkpoint it finds, so that a test can check what it resumed from.
"""

from __future__ import annotations

import re

from vastplan.sim.store import Row
from vastplan.sim.vast import clients, content
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.fabric import arm, armed, disarm

JOBS, CHECKPOINT = "_jobs", "checkpoint"
RUNNING, STOPPED, FAILED, AWAY = "running", "stopped", "failed", "away"
STATES = (RUNNING, STOPPED, FAILED, AWAY)
_STEP = re.compile(r"step-(\d+)")


def start_job(cluster: VastCluster, name: str, path: str, tenant: int, every: float, size: int, steps: int) -> None:
    """Start a job with a new name; raises `ValueError` if the name is taken."""
    if cluster.store.get(JOBS, name) is not None:
        raise ValueError(f"{cluster.name} has a job {name} already")
    row = {"id": name, "path": path, "tenant": tenant, "every": every, "size": size, "steps": steps}
    _begin(cluster, row)


def get(cluster: VastCluster, name: str) -> Row:
    """A job: `state`, the `step` of its newest checkpoint, the one it `resumed` from, `why` it failed. Raises `KeyError`."""
    row = cluster.store.get(JOBS, name)
    if row is None:
        raise KeyError(name)
    return row


def step_now(cluster: VastCluster, row: Row) -> int:
    """The step that a job does now; of one that does not run, that of its newest checkpoint."""
    timer = armed(cluster, row["id"], CHECKPOINT)
    left = row["every"] if timer is None else timer["at"] - cluster.fabric.passed
    return int(row["step"] + row["steps"] * (1 - left / row["every"]))


def job_names(cluster: VastCluster, state: str) -> list[str]:
    """The jobs in a state, in the order of their first start."""
    return [str(row["id"]) for row in cluster.store.rows(JOBS) if row["state"] == state]


def stop_job(cluster: VastCluster, name: str, state: str = STOPPED) -> None:
    """Stop a running job; one that does not run stays as it is."""
    row = get(cluster, name)
    if row["state"] == RUNNING:
        _end(cluster, row, state, "")


def restart_job(cluster: VastCluster, name: str) -> None:
    """Restart a job from the newest complete checkpoint; one that runs is not changed."""
    row = get(cluster, name)
    if row["state"] != RUNNING:
        _begin(cluster, row)


def checkpoint(cluster: VastCluster, name: str) -> None:
    """Write the next checkpoint, or fail with the error that a client of the volume sees."""
    row = get(cluster, name)
    step = row["step"] + row["steps"]
    try:
        clients.client_write(cluster, row["tenant"], row["path"], row["size"], f"step-{step}")
    except (clients.ReadOnly, clients.NoAnswer) as error:
        _end(cluster, row, FAILED, str(error))
        return
    cluster.store.put(JOBS, name, row | {"step": step})
    arm(cluster, row["every"], CHECKPOINT, name)


def _begin(cluster: VastCluster, row: Row) -> None:
    try:
        labels = content.complete_labels(cluster, clients.visible_content(cluster, row["tenant"], row["path"]))
    except clients.NoAnswer as error:
        _end(cluster, {"step": 0, "resumed": 0} | row, FAILED, str(error))
        return
    step = max((int(match[1]) for label in labels if (match := _STEP.fullmatch(label))), default=0)
    cluster.store.put(JOBS, row["id"], row | {"step": step, "resumed": step, "state": RUNNING, "why": ""})
    arm(cluster, row["every"], CHECKPOINT, row["id"])


def _end(cluster: VastCluster, row: Row, state: str, why: str) -> None:
    disarm(cluster, row["id"], CHECKPOINT)
    cluster.store.put(JOBS, row["id"], row | {"state": state, "why": why})
