"""ResourceQuota: what a namespace uses, and its limits."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil

from vastplan.sim.kubernetes import quantity
from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import CLAIMS, QUOTAS, Resource
from vastplan.sim.kubernetes.rules.volumes import CLASS_ANNOTATION, claim_size

Usage = Counter[str]
_PLAIN = ("persistentvolumeclaims", "pods", "secrets", "configmaps", "resourcequotas")
_BYTES = ("requests.storage",)


def usage(resource: Resource, body: Object | None) -> Usage:
    """What one object counts for, by the names of quota resources; storage in bytes."""
    amounts: Usage = Counter()
    if body is None:
        return amounts
    amounts[f"count/{resource.qualified}"] = 1
    if resource.plural in _PLAIN and not resource.group:
        amounts[resource.plural] = 1
    if resource is CLAIMS:
        size = ceil(quantity.parse_quantity(claim_size(body)))
        amounts["requests.storage"] = size
        notes = body["metadata"].get("annotations", {})
        name = notes.get(CLASS_ANNOTATION) or body["spec"].get("storageClassName")
        if name:
            amounts[f"{name}.storageclass.storage.k8s.io/requests.storage"] = size
            amounts[f"{name}.storageclass.storage.k8s.io/persistentvolumeclaims"] = 1
    return amounts


def _total(cluster: KubernetesCluster, namespace: str) -> Usage:
    total: Usage = Counter()
    for resource, body in cluster.contents(namespace):
        total.update(usage(resource, body))
    return total


def _written(name: str, amount: int) -> str:
    return quantity.quantity_text(Fraction(amount), "binary" if name.endswith(_BYTES) else "decimal")


def validate(attempt: AdmissionRequest) -> None:
    """Refuse what would exceed a quota of the namespace; a decrease is always allowed."""
    if not attempt.resource.namespaced or attempt.operation == "DELETE" or attempt.subresource:
        return
    quotas = attempt.cluster.objects(QUOTAS, attempt.namespace)
    if not quotas:
        return
    wanted = usage(attempt.resource, attempt.new)
    wanted.subtract(usage(attempt.resource, attempt.old))
    total = _total(attempt.cluster, attempt.namespace)
    for quota in sorted(quotas, key=lambda body: body["metadata"]["name"]):
        hard = {name: quantity.parse_quantity(text) for name, text in quota["spec"].get("hard", {}).items()}
        over = sorted(name for name in hard if wanted[name] > 0 and total[name] + wanted[name] > hard[name])
        if over:
            requested, used = (
                ",".join(f"{name}={_written(name, side[name])}" for name in over) for side in (wanted, total)
            )
            limited = ",".join(f"{name}={quota['spec']['hard'][name]}" for name in over)
            why = (
                f"exceeded quota: {quota['metadata']['name']}, requested: {requested}, used: {used}, limited: {limited}"
            )
            raise attempt.resource.forbidden(attempt.name, why)


def refresh_quotas(cluster: KubernetesCluster, namespace: str) -> None:
    """The quota controller: write status.hard and status.used of the namespace's quotas."""
    quotas = cluster.objects(QUOTAS, namespace)
    total = _total(cluster, namespace) if quotas else Counter()
    for quota in quotas:
        hard = quota["spec"].get("hard", {})
        used = {name: _written(name, total[name]) for name in hard}
        cluster.controller_write(QUOTAS, quota, {**quota, "status": {"hard": hard, "used": used} if hard else {}})
