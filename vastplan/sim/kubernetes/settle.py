"""Progress by reads: what controllers do takes so many reads of the object they do it to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object, key
from vastplan.sim.kubernetes.resources import Resource

Step = Callable[[KubernetesCluster, Resource, Object], bool]
"""One controller's step; answers whether there is nothing left to do."""


def later(cluster: KubernetesCluster, resource: Resource, body: Object, step: Step) -> None:
    """Let a controller take up an object; with `settle_reads` 0 it does so at once."""
    metadata = body["metadata"]
    row = key(metadata.get("namespace", ""), metadata["name"])
    cluster.store.put(
        _waiting(cluster, resource), row, {"row": row, "reads": cluster.settle_reads, "uid": metadata["uid"]}
    )
    if cluster.settle_reads <= 0:
        _advance(cluster, resource, row, step)


def seen(cluster: KubernetesCluster, resource: Resource, bodies: Iterable[Object], step: Step) -> None:
    """Count one read of each object, after the answer has been made."""
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
    """Whether a controller still has something to do with an object."""
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
