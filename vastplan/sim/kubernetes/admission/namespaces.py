"""NamespaceLifecycle: no create in a namespace that does not exist or is being deleted."""

from __future__ import annotations

from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.resources import NAMESPACES
from vastplan.sim.kubernetes.status import StatusCause

IMMORTAL = ("default", "kube-system", "kube-public")


def admit(attempt: AdmissionRequest) -> None:
    """Refuse a create outside an active namespace, and the delete of a namespace that must stay."""
    if attempt.resource is NAMESPACES and attempt.operation == "DELETE" and attempt.name in IMMORTAL:
        raise NAMESPACES.forbidden(attempt.name, "this namespace may not be deleted")
    if attempt.operation != "CREATE" or not attempt.resource.namespaced:
        return
    namespace = attempt.cluster.get(NAMESPACES, "", attempt.namespace)
    if namespace is None:
        raise NAMESPACES.not_found(attempt.namespace)
    if namespace["status"]["phase"] == "Terminating":
        why = f"unable to create new content in namespace {attempt.namespace} because it is being terminated"
        cause = StatusCause(
            "NamespaceTerminating", f"namespace {attempt.namespace} is being terminated", "metadata.namespace"
        )
        raise attempt.resource.forbidden(attempt.name, why, (cause,))
