"""Rules of pods, as far as their containers and volumes need them."""

from __future__ import annotations

import json

from vastplan.sim.kubernetes import names
from vastplan.sim.kubernetes.rules.rule import Object, Rules
from vastplan.sim.kubernetes.status import StatusCause, duplicate, forbidden_field, not_supported, required_field

_RESTART = ("Always", "OnFailure", "Never")
_PULL = ("Always", "IfNotPresent", "Never")
_FIXED = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def _defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    for field, value in {
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "default-scheduler", "enableServiceLinks": True,
    }.items():  # fmt: skip
        spec.setdefault(field, value)
    for container in spec.get("containers", []) + spec.get("initContainers", []):
        image = container.get("image", "")
        latest = ":" not in image.rpartition("/")[2] or image.endswith(":latest")
        for field, value in {
            "resources": {}, "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "imagePullPolicy": "Always" if latest else "IfNotPresent",
        }.items():  # fmt: skip
            container.setdefault(field, value)
    for volume in spec.get("volumes", []):
        if set(volume) == {"name"}:
            volume["emptyDir"] = {}


def _create(body: Object) -> None:
    body["status"] = {"phase": "Pending", "qosClass": "BestEffort"}


def _check(body: Object) -> list[StatusCause]:
    spec = body["spec"]
    causes: list[StatusCause] = []
    seen: set[str] = set()
    for index, volume in enumerate(spec.get("volumes", [])):
        causes += _check_volume(f"spec.volumes[{index}]", volume, seen)
    if not spec.get("containers"):
        causes.append(required_field("spec.containers"))
    used: set[str] = set()
    for index, container in enumerate(spec.get("containers", [])):
        causes += _check_container(f"spec.containers[{index}]", container, seen, used)
    if spec["restartPolicy"] not in _RESTART:
        causes.append(not_supported("spec.restartPolicy", spec["restartPolicy"], _RESTART))
    return causes


def _check_volume(path: str, volume: Object, seen: set[str]) -> list[StatusCause]:
    causes = [
        forbidden_field(f"{path}.{source}", "may not specify more than 1 volume type")
        for source in sorted(set(volume) - {"name"})[1:]
    ]
    name = volume.get("name", "")
    if not name:
        causes.append(required_field(f"{path}.name"))
    elif name in seen:
        causes.append(duplicate(f"{path}.name", name))
    else:
        causes += names.name_causes(f"{path}.name", name, names.label(name))
    seen.add(name)
    if "csi" in volume and not volume["csi"].get("driver"):
        causes.append(required_field(f"{path}.csi.driver"))
    if "persistentVolumeClaim" in volume and not volume["persistentVolumeClaim"].get("claimName"):
        causes.append(required_field(f"{path}.persistentVolumeClaim.claimName"))
    return causes


def _check_container(path: str, container: Object, volumes: set[str], used: set[str]) -> list[StatusCause]:
    causes = []
    name = container.get("name", "")
    if not name:
        causes.append(required_field(f"{path}.name"))
    elif name in used:
        causes.append(duplicate(f"{path}.name", name))
    else:
        causes += names.name_causes(f"{path}.name", name, names.label(name))
    used.add(name)
    if not container.get("image"):
        causes.append(required_field(f"{path}.image"))
    if container["imagePullPolicy"] not in _PULL:
        causes.append(not_supported(f"{path}.imagePullPolicy", container["imagePullPolicy"], _PULL))
    for index, mount in enumerate(container.get("volumeMounts", [])):
        at = f"{path}.volumeMounts[{index}]"
        if mount.get("name") not in volumes:
            causes.append(
                StatusCause("FieldValueNotFound", f"Not found: {json.dumps(mount.get('name', ''))}", f"{at}.name")
            )
        if not mount.get("mountPath"):
            causes.append(required_field(f"{at}.mountPath"))
    return causes


def _fixed(body: Object) -> Object:
    spec: Object = json.loads(json.dumps(body["spec"]))
    for container in spec.get("containers", []) + spec.get("initContainers", []):
        container.pop("image", None)
    for field in ("activeDeadlineSeconds", "tolerations"):
        spec.pop(field, None)
    return spec


def _check_update(new: Object, old: Object) -> list[StatusCause]:
    return [] if _fixed(new) == _fixed(old) else [forbidden_field("spec", _FIXED)]


POD = Rules(defaults=_defaults, create=_create, check=_check, check_update=_check_update)
