"""Progress by requests: a controller acts on an object after a number of requests, whichever objects they ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object, key
from vastplan.sim.kubernetes.resources import Resource

MOST = 64  # requests until a step that could not be completed is tried again; a read of its object tries at once
Step = Callable[[KubernetesCluster, Resource, Object], bool]
"""One controller's step; returns whether nothing is left to do."""


def queue_step(cluster: KubernetesCluster, resource: Resource, body: Object, step: Step) -> None:
    """Queue an object for a controller; with `settle_reads` 0 the step runs at once."""
    metadata = body["metadata"]
    row = key(metadata.get("namespace", ""), metadata["name"])
    waiting = cluster.waiting(resource)
    cluster.store.put(waiting, row, {"row": row, "uid": metadata["uid"], "tried": False})
    cluster.agenda.add((waiting, row))
    if cluster.settle_reads <= 0:
        _advance(cluster, resource, row, step)


def retry_steps(cluster: KubernetesCluster, resource: Resource, bodies: Iterable[Object], step: Step) -> None:
    """Try again what could not be completed for objects that were read."""
    waiting = cluster.waiting(resource)
    if not cluster.store.rows(waiting):
        return
    for body in bodies:
        row = key(body["metadata"].get("namespace", ""), body["metadata"]["name"])
        if (cluster.store.get(waiting, row) or {}).get("tried"):
            _advance(cluster, resource, row, step)


def run_step(cluster: KubernetesCluster, resource: Resource, body: Object, step: Step) -> None:
    """Run the step that an object waits for now, if it waits."""
    _advance(cluster, resource, key(body["metadata"].get("namespace", ""), body["metadata"]["name"]), step)


def waits(cluster: KubernetesCluster, resource: Resource, body: Object) -> bool:
    """Whether a controller still has work on an object."""
    row = key(body["metadata"].get("namespace", ""), body["metadata"]["name"])
    return cluster.store.get(cluster.waiting(resource), row) is not None


def settle_steps(cluster: KubernetesCluster, steps: Mapping[Resource, Step]) -> None:
    """Run the steps whose time has come; one that cannot be completed is tried again, ever more rarely."""
    resources = {cluster.waiting(resource): resource for resource in steps}
    for waiting, row in cluster.agenda.due():
        _advance(cluster, resources[waiting], row, steps[resources[waiting]])
        if cluster.store.get(waiting, row) is not None:
            cluster.agenda.add_again((waiting, row), MOST)


def _advance(cluster: KubernetesCluster, resource: Resource, row: str, step: Step) -> None:
    waiting = cluster.waiting(resource)
    pending = cluster.store.get(waiting, row)
    if pending is None:
        return
    namespace, _, name = row.partition("/")
    body = cluster.get(resource, namespace, name)
    if body is None or body["metadata"]["uid"] != pending["uid"] or step(cluster, resource, body):
        cluster.store.remove(waiting, row)
    elif not pending.get("tried"):
        cluster.store.put(waiting, row, {**pending, "tried": True})
