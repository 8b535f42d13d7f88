"""What controllers do after a write, a read or a delete."""

from __future__ import annotations

from vastplan.sim.kubernetes import binder, kubelet, settle, snapshots
from vastplan.sim.kubernetes.admission import quota
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import CLAIMS, NAMESPACES, PODS, POLICIES, SNAPSHOTS, VOLUMES, Resource

PROTECTIONS = ("kubernetes.io/pvc-protection", "kubernetes.io/pv-protection", *snapshots.PROTECTIONS)


def namespace_step(cluster: KubernetesCluster, resource: Resource, namespace: Object) -> bool:
    """Empty a namespace that is being deleted, and remove it when it is empty. Returns whether it is gone."""
    name = namespace["metadata"]["name"]
    contents = cluster.contents(name)
    # A volume stays while it has snapshots, a claim while a pod mounts it.
    contents.sort(key=lambda entry: (entry[0] is not SNAPSHOTS, entry[0] is not PODS))
    for kind, body in contents:
        foreign = [entry for entry in body["metadata"].get("finalizers", []) if entry not in PROTECTIONS]
        if foreign or (kind is CLAIMS and binder.claim_pods(cluster, body)):
            end = body["metadata"].get("deletionTimestamp", cluster.now())
            metadata = {**body["metadata"], "deletionTimestamp": end, "deletionGracePeriodSeconds": 0}
            cluster.controller_write(kind, body, {**body, "metadata": metadata}, "")
        elif kind is CLAIMS:
            binder.release_claim(cluster, body)
        elif kind is SNAPSHOTS:
            snapshots.release_snapshot(cluster, body)
        else:
            cluster.drop(kind, body)
            removed(cluster, kind, body)
    if cluster.contents(name):
        return False
    cluster.drop(NAMESPACES, namespace)
    return True


STEPS = {
    CLAIMS: binder.claim_step, VOLUMES: binder.volume_step, NAMESPACES: namespace_step, PODS: kubelet.pod_step,
    SNAPSHOTS: snapshots.snapshot_step,
}  # fmt: skip
_FROM_THE_START = (CLAIMS, PODS, SNAPSHOTS)  # kinds whose controller acts from the create on


def react_to_write(cluster: KubernetesCluster, resource: Resource, body: Object) -> None:
    """Run the controllers' reactions to a create or an update."""
    if not cluster.controllers:
        return
    if resource.namespaced:
        quota.refresh_quotas(cluster, body["metadata"]["namespace"])
    deleting = bool(body["metadata"].get("deletionTimestamp"))
    if (resource in _FROM_THE_START or deleting) and resource in STEPS:
        settle.queue_step(cluster, resource, body, STEPS[resource])
    elif resource is VOLUMES:
        binder.volume_step(cluster, resource, body)
    elif resource is POLICIES:
        status = {"observedGeneration": body["metadata"]["generation"], "typeChecking": {}}
        cluster.controller_write(POLICIES, body, {**body, "status": status})


def removed(cluster: KubernetesCluster, resource: Resource, body: Object) -> None:
    """Run the controllers' reactions to the removal of an object."""
    if not cluster.controllers:
        return
    if resource is CLAIMS:
        binder.release_volume(cluster, body)
        return
    if resource is PODS:
        kubelet.pod_gone(cluster, body)
    if resource.namespaced:
        quota.refresh_quotas(cluster, body["metadata"]["namespace"])


def retry_read(cluster: KubernetesCluster, resource: Resource, bodies: list[Object]) -> None:
    """Try again what controllers could not complete for objects that were read, after the answer."""
    if resource in STEPS:
        settle.retry_steps(cluster, resource, bodies, STEPS[resource])
