"""Progress by reads: a controller acts on an object after that object was read often enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object, key
from vastplan.sim.kubernetes.resources import Resource

Step = Callable[[KubernetesCluster, Resource, Object], bool]
"""One controller's step; returns whether nothing is left to do."""


def queue_step(cluster: KubernetesCluster, resource: Resource, body: Object, step: Step) -> None:
    """Queue an object for a controller; with `settle_reads` 0 the step runs at once."""
    metadata = body["metadata"]
    row = key(metadata.get("namespace", ""), metadata["name"])
    cluster.store.put(
        _waiting(cluster, resource), row, {"row": row, "reads": cluster.settle_reads, "uid": metadata["uid"]}
    )
    if cluster.settle_reads <= 0:
        _advance(cluster, resource, row, step)


def count_object_reads(cluster: KubernetesCluster, resource: Resource, bodies: Iterable[Object], step: Step) -> None:
    """Count one read of each object, after the read was answered."""
    waiting = _waiting(cluster, resource)
    if not cluster.store.rows(waiting):
        return
    for body in bodies:
        row = key(body["metadata"].get("namespace", ""), body["metadata"]["name"])
        pending = cluster.store.get(waiting, row)
        if pending is not None:
            cluster.store.put(waiting, row, {**pending, "reads": pending["reads"] - 1})
            _advance(cluster, resource, row, step)


def waits(cluster: KubernetesCluster, resource: Resource, body: Object) -> bool:
    """Whether a controller still has work on an object."""
    row = key(body["metadata"].get("namespace", ""), body["metadata"]["name"])
    return cluster.store.get(_waiting(cluster, resource), row) is not None


def _waiting(cluster: KubernetesCluster, resource: Resource) -> str:
    return f"{cluster.name}/pending/{resource.qualified}"


def _advance(cluster: KubernetesCluster, resource: Resource, row: str, step: Step) -> None:
    pending = cluster.store.get(_waiting(cluster, resource), row)
    if pending is None or pending["reads"] > 0:
        return
    namespace, _, name = row.partition("/")
    body = cluster.get(resource, namespace, name)
    if body is None or body["metadata"]["uid"] != pending["uid"] or step(cluster, resource, body):
        cluster.store.remove(_waiting(cluster, resource), row)
