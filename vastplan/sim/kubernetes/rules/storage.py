"""Rules of StorageClass and CSIDriver."""

from __future__ import annotations

from vastplan.sim.kubernetes import names
from vastplan.sim.kubernetes.rules.rule import Object, Rules
from vastplan.sim.kubernetes.status import (
    StatusCause,
    forbidden_field,
    immutable,
    invalid,
    not_supported,
    required_field,
    too_long,
)

_MAX_PARAMETERS = 512
_MAX_PARAMETERS_SIZE = 256 * 1024
_BINDING_MODES = ("Immediate", "WaitForFirstConsumer")
_FS_GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLE_MODES = ("Persistent", "Ephemeral")


def _class_defaults(body: Object) -> None:
    body.setdefault("reclaimPolicy", "Delete")
    body.setdefault("volumeBindingMode", "Immediate")


def _check_class(body: Object) -> list[StatusCause]:
    causes: list[StatusCause] = []
    provisioner, parameters = body.get("provisioner", ""), body.get("parameters", {})
    if provisioner:
        causes += names.name_causes("provisioner", provisioner, names.qualified(provisioner.lower()))
    else:
        causes.append(required_field("provisioner"))
    if len(parameters) > _MAX_PARAMETERS:
        causes.append(too_long("parameters", _MAX_PARAMETERS))
    if "" in parameters:
        causes.append(invalid("parameters", "", "field can not be empty."))
    if sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items()) > _MAX_PARAMETERS_SIZE:
        causes.append(too_long("parameters", _MAX_PARAMETERS_SIZE))
    if body["reclaimPolicy"] not in ("Delete", "Retain"):
        causes.append(not_supported("reclaimPolicy", body["reclaimPolicy"], ("Delete", "Retain")))
    if body["volumeBindingMode"] not in _BINDING_MODES:
        causes.append(not_supported("volumeBindingMode", body["volumeBindingMode"], _BINDING_MODES))
    return causes


def _check_class_update(new: Object, old: Object) -> list[StatusCause]:
    causes = [
        forbidden_field(field, f"updates to {field} are forbidden.")
        for field in ("parameters", "provisioner", "reclaimPolicy")
        if new.get(field) != old.get(field)
    ]
    if new.get("volumeBindingMode") != old.get("volumeBindingMode"):
        causes.append(immutable("volumeBindingMode", new.get("volumeBindingMode")))
    return causes


def _driver_defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    for field, value in {
        "attachRequired": True, "podInfoOnMount": False, "storageCapacity": False, "requiresRepublish": False,
        "seLinuxMount": False, "fsGroupPolicy": "ReadWriteOnceWithFSType", "volumeLifecycleModes": ["Persistent"],
    }.items():  # fmt: skip
        spec.setdefault(field, value)


def _check_driver(body: Object) -> list[StatusCause]:
    spec = body["spec"]
    causes = [
        not_supported("spec.volumeLifecycleModes", mode, _LIFECYCLE_MODES)
        for mode in spec["volumeLifecycleModes"]
        if mode not in _LIFECYCLE_MODES
    ]
    if spec["fsGroupPolicy"] not in _FS_GROUP_POLICIES:
        causes.insert(0, not_supported("spec.fsGroupPolicy", spec["fsGroupPolicy"], _FS_GROUP_POLICIES))
    audiences = [request.get("audience", "") for request in spec.get("tokenRequests", [])]
    if len(audiences) != len(set(audiences)):
        causes.append(invalid("spec.tokenRequests", audiences, "audiences must be unique"))
    return causes


def _check_driver_update(new: Object, old: Object) -> list[StatusCause]:
    causes = []
    if new["spec"]["attachRequired"] != old["spec"]["attachRequired"]:
        causes.append(immutable("spec.attachedRequired", new["spec"]["attachRequired"]))  # the server's own spelling
    if sorted(new["spec"]["volumeLifecycleModes"]) != sorted(old["spec"]["volumeLifecycleModes"]):
        causes.append(immutable("spec.volumeLifecycleModes", new["spec"]["volumeLifecycleModes"]))
    return causes


CLASS = Rules(defaults=_class_defaults, check=_check_class, check_update=_check_class_update)
DRIVER = Rules(defaults=_driver_defaults, check=_check_driver, check_update=_check_driver_update)
