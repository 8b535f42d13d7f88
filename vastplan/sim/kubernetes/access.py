"""Authorization: one user who may do everything that was not denied, and the access review that reports it."""

from __future__ import annotations

from dataclasses import dataclass

from vastplan.sim.kubernetes.call import KubernetesCall
from vastplan.sim.kubernetes.cluster import Object
from vastplan.sim.kubernetes.resources import Target
from vastplan.sim.kubernetes.status import StatusError, details, invalid, invalid_object
from vastplan.sim.wire import Response

USER = "kubernetes-admin"


@dataclass(frozen=True, slots=True)
class Denial:
    """One thing the user may not do; `*` stands for any verb, group, resource or namespace."""

    verb: str
    resource: str
    group: str = "*"
    namespace: str = "*"
    name: str = "*"

    def covers(self, verb: str, group: str, resource: str, namespace: str, name: str) -> bool:
        """Whether this denies a request."""
        pairs = (
            (self.verb, verb), (self.group, group), (self.resource, resource),
            (self.namespace, namespace), (self.name, name),
        )  # fmt: skip
        return all(denied in ("*", requested) for denied, requested in pairs)


def forbidden_error(target: Target, verb: str) -> StatusError:
    """403 from the authorizer."""
    resource = target.resource
    plural = f"{resource.plural}/{target.subresource}" if target.subresource else resource.plural
    scope = f'in the namespace "{target.namespace}"' if target.namespace else "at the cluster scope"
    text = f'User "{USER}" cannot {verb} resource "{plural}" in API group "{resource.group}" {scope}'
    subject = f'{resource.qualified} "{target.name}"' if target.name else resource.qualified
    body = details(target.name, resource.group, resource.plural)
    return StatusError(403, "Forbidden", f"{subject} is forbidden: {text}", body)


def review(call: KubernetesCall, body: Object, denials: list[Denial]) -> Response:
    """Answer a SelfSubjectAccessReview; nothing is stored."""
    spec = body.get("spec", {})
    attributes, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if (attributes is None) == (other is None):
        if attributes is None:
            why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
            cause = invalid("spec.resourceAttributes", None, why)
        else:
            cause = invalid(
                "spec.nonResourceAttributes", other, "cannot be specified in combination with resourceAttributes"
            )
        raise invalid_object("", call.target.resource.group, "", [cause])
    attributes_asked = attributes or {}
    allowed = attributes is None or not any(
        denial.covers(
            attributes_asked.get("verb", ""),
            attributes_asked.get("group", ""),
            attributes_asked.get("resource", ""),
            attributes_asked.get("namespace", ""),
            attributes_asked.get("name", ""),
        )
        for denial in denials
    )
    status = {"allowed": allowed} | ({} if allowed else {"reason": "denied"})
    return Response(201, {**body, "metadata": {}, "status": status})
