"""Rules of ResourceQuota."""

from __future__ import annotations

from vastplan.sim.kubernetes import names, quantity
from vastplan.sim.kubernetes.rules.rule import Object, Rules
from vastplan.sim.kubernetes.status import StatusCause, immutable, invalid

_COUNTS = {
    "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "persistentvolumeclaims", "configmaps",
    "services.nodeports", "services.loadbalancers",
}  # fmt: skip
_STANDARD = _COUNTS | {
    "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.storage",
    "requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage",
}  # fmt: skip
_SCOPES = {
    "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
}  # fmt: skip


def _check(body: Object) -> list[StatusCause]:
    causes = []
    for name, text in sorted(body["spec"].get("hard", {}).items()):
        path = f"spec.hard[{name}]"
        value = quantity.parse_quantity(text)
        faults = names.name_causes(path, name, names.qualified(name))
        recognized = "/" in name or name in _STANDARD or name.startswith(("hugepages-", "requests.hugepages-"))
        if not faults and not recognized:
            faults = [
                invalid(path, name, "must be a standard resource type or fully qualified"),
                invalid(path, name, "must be a standard resource for quota"),
            ]
        causes += faults
        if value < 0:
            causes.append(invalid(path, text, "must be greater than or equal to 0"))
        counted = name in _COUNTS or name.startswith("count/") or name.endswith("/persistentvolumeclaims")
        if counted and value.denominator != 1:
            causes.append(invalid(path, text, "must be an integer"))
    scopes = body["spec"].get("scopes", [])
    if any(scope not in _SCOPES for scope in scopes):
        causes.append(invalid("spec.scopes", scopes, "unsupported scope"))
    return causes


def _check_update(new: Object, old: Object) -> list[StatusCause]:
    scopes = new["spec"].get("scopes", [])
    return [] if set(scopes) == set(old["spec"].get("scopes", [])) else [immutable("spec.scopes", scopes)]


def _create(body: Object) -> None:
    body["status"] = {}


QUOTA = Rules(
    defaults=lambda body: body.setdefault("spec", {}) and None, create=_create, check=_check, check_update=_check_update
)  # fmt: skip
