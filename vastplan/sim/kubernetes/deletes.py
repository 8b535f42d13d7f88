"""DELETE of an object: preconditions, finalizers, and deletes that take time."""

from __future__ import annotations

from typing import Any

from vastplan.sim.kubernetes import admission, lifecycle
from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.call import KubernetesCall, Unreadable, parse_body
from vastplan.sim.kubernetes.cluster import Object
from vastplan.sim.kubernetes.resources import NAMESPACES
from vastplan.sim.kubernetes.status import StatusError, bad_request, invalid_object, not_supported
from vastplan.sim.wire import Response

_PROPAGATION = ("Foreground", "Background", "Orphan")


def _options(call: KubernetesCall) -> Object:
    """The DeleteOptions in the body; raises `StatusError`. Unknown fields are ignored, as the server does."""
    if not call.request.body.strip():
        return {}
    call.check_form()
    try:
        options = parse_body(call.request.body, call.content_type)
    except Unreadable as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {error}") from None
    if not isinstance(options, dict):
        raise bad_request(
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into DeleteOptions"
        )
    causes = []
    dry_run = options.get("dryRun") or []
    if any(value != "All" for value in dry_run):
        causes.append(not_supported("dryRun", dry_run, ("All",)))
    policy = options.get("propagationPolicy")
    if policy is not None and policy not in _PROPAGATION:
        causes.append(not_supported("propagationPolicy", policy, (*_PROPAGATION, "nil")))
    if causes:
        raise invalid_object("DeleteOptions", "meta.k8s.io", "", causes)
    return options


def _mismatch(call: KubernetesCall, field: str, wanted: str, stored: str, why: str) -> StatusError:
    resource, name = call.target.resource, call.target.name
    kind = f"{resource.kind}.{resource.group}" if resource.group else resource.kind
    text = f"the {field} in the precondition ({wanted}) does not match the {field} in record ({stored}). {why}"
    refusal = resource.conflict(name, text)
    refusal.body["message"] = f'Operation cannot be fulfilled on {kind} "{name}": {text}'
    refusal.body["details"]["kind"] = resource.kind
    return refusal


def _preconditions(call: KubernetesCall, options: Object, old: Object) -> None:
    wanted: dict[str, Any] = options.get("preconditions") or {}
    metadata = old["metadata"]
    if call.target.resource is NAMESPACES:  # namespaces have a check of their own
        for field, word in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
            if wanted.get(field) not in (None, metadata[field]):
                where = f"{word} in precondition: {wanted[field]}, {word} in object meta: {metadata[field]}"
                raise NAMESPACES.conflict(call.target.name, f"Precondition failed: {where}")
    if wanted.get("uid") not in (None, metadata["uid"]):
        why = "The object might have been deleted and then recreated"
        raise _mismatch(call, "UID", wanted["uid"], metadata["uid"], why)
    if wanted.get("resourceVersion") not in (None, metadata["resourceVersion"]):
        why = "The object might have been modified"
        raise _mismatch(call, "ResourceVersion", wanted["resourceVersion"], metadata["resourceVersion"], why)


def delete_object(call: KubernetesCall) -> Response:
    """DELETE of an object; raises `StatusError`."""
    cluster, target, resource = call.cluster, call.target, call.target.resource
    options = _options(call)
    dry_run = bool(options.get("dryRun")) if call.request.body.strip() else call.dry_run
    old = cluster.get(resource, target.namespace, target.name)
    if old is None:
        raise resource.not_found(target.name)
    _preconditions(call, options, old)
    attempt = AdmissionRequest(
        cluster, resource, "DELETE", target.namespace, target.name, None, old, "", dry_run, call.user, call.warnings
    )  # fmt: skip
    admission.namespaces.admit(attempt)
    admission.run_validating(attempt)
    if old["metadata"].get("finalizers") or resource is NAMESPACES:
        return Response(200, _begin(call, old, dry_run))
    if not dry_run:
        cluster.drop(resource, old)
        lifecycle.removed(cluster, resource, old)
    if resource.answers_deleted:
        return Response(200, old)
    details = {**resource.details(target.name), "uid": old["metadata"]["uid"]}
    return Response(
        200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
    )


def _begin(call: KubernetesCall, old: Object, dry_run: bool) -> Object:
    """Mark an object as being deleted; it is removed when no finalizer or user holds it any more."""
    resource = call.target.resource
    if old["metadata"].get("deletionTimestamp"):
        return old
    end: Object = {"deletionTimestamp": call.cluster.now()}
    if resource is not NAMESPACES:
        end["deletionGracePeriodSeconds"] = 0
    new = {**old, "metadata": {**old["metadata"], **end}}
    if resource is NAMESPACES:
        new["status"] = {"phase": "Terminating"}
    if dry_run:
        return new
    new = call.cluster.put(resource, new)
    lifecycle.react_to_write(call.cluster, resource, new)
    return new
