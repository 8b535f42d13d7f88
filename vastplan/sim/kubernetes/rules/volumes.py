"""Rules of PersistentVolumeClaim and PersistentVolume."""

from __future__ import annotations

import difflib
import json
from typing import Any

from vastplan.sim.kubernetes import names, quantity
from vastplan.sim.kubernetes.rules.rule import Object, Rules
from vastplan.sim.kubernetes.status import (
    StatusCause,
    forbidden_field,
    immutable,
    invalid,
    not_supported,
    required_field,
)

CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")
_RECLAIM = ("Delete", "Recycle", "Retain")
# The fields of a PersistentVolume's spec other than its source.
_NOT_A_SOURCE = {
    "accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy",
    "storageClassName", "volumeAttributesClassName", "volumeMode",
}  # fmt: skip


def claim_size(body: Object) -> str:
    """The size a claim requests, `0` if it names none."""
    return str(body["spec"].get("resources", {}).get("requests", {}).get("storage", "0"))


def _difference(old: Any, new: Any) -> str:
    before, after = (json.dumps(side, indent=1, sort_keys=True).splitlines() for side in (old, new))
    return "\n".join(list(difflib.unified_diff(before, after, lineterm=""))[2:])


def _modes(spec: Object, path: str = "spec") -> list[StatusCause]:
    causes = []
    modes = spec.get("accessModes", [])
    causes += [not_supported(f"{path}.accessModes", mode, _ACCESS_MODES) for mode in modes if mode not in _ACCESS_MODES]
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        causes.append(forbidden_field(f"{path}.accessModes", "may not use ReadWriteOncePod with other access modes"))
    return causes


def _takes(source: Object) -> bool:
    """Whether a claim can be created from such a data source."""
    kind = (source.get("apiGroup", ""), source.get("kind"))
    return kind in (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def _claim_defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    spec.setdefault("volumeMode", "Filesystem")
    spec.setdefault("resources", {})
    if "dataSource" in spec and not _takes(spec["dataSource"]):
        del spec["dataSource"]  # silently
    if "dataSource" in spec:
        spec.setdefault("dataSourceRef", dict(spec["dataSource"]))


def _claim_create(body: Object) -> None:
    body["status"] = {"phase": "Pending"}


def _check_claim(body: Object) -> list[StatusCause]:
    spec = body["spec"]
    causes = _modes(spec)
    if not spec.get("accessModes"):
        causes.insert(0, required_field("spec.accessModes", "at least 1 access mode is required"))
    size = spec["resources"].get("requests", {}).get("storage")
    if size is None:
        causes.append(required_field("spec.resources[storage]"))
    elif quantity.parse_quantity(size) <= 0:
        causes.append(invalid("spec.resources[storage]", size, "must be greater than zero"))
    if spec.get("storageClassName"):
        causes += names.name_causes(
            "spec.storageClassName", spec["storageClassName"], names.subdomain(spec["storageClassName"])
        )
    if spec["volumeMode"] not in _VOLUME_MODES:
        causes.append(not_supported("spec.volumeMode", spec["volumeMode"], _VOLUME_MODES))
    for field in ("dataSource", "dataSourceRef"):
        source = spec.get(field)
        causes += [
            required_field(f"spec.{field}.{part}")
            for part in ("name", "kind")
            if source is not None and not source.get(part)
        ]
    return causes


def _check_claim_update(new: Object, old: Object) -> list[StatusCause]:
    causes = []
    class_before, class_after = (
        body["metadata"].get("annotations", {}).get(CLASS_ANNOTATION, "") for body in (old, new)
    )
    if class_before != class_after:
        causes.append(immutable(f"metadata.annotations.{CLASS_ANNOTATION}", class_after))
    before, after = json.loads(json.dumps(old["spec"])), json.loads(json.dumps(new["spec"]))
    if not before.get("volumeName"):  # it can be set once
        before.pop("volumeName", None)
        after.pop("volumeName", None)
    if "storageClassName" not in before:  # the class of a claim without one may be filled in later
        after.pop("storageClassName", None)
    if new["status"].get("phase") == "Bound":
        for side in (before, after):
            side["resources"].get("requests", {}).pop("storage", None)
            side.pop("volumeAttributesClassName", None)
    if before != after:
        why = (
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
        )
        causes.append(forbidden_field("spec", f"{why}\n{_difference(old['spec'], new['spec'])}"))
    wanted = quantity.parse_quantity(claim_size(new))
    if wanted < quantity.parse_quantity(claim_size(old)):
        capacity = quantity.parse_quantity(old.get("status", {}).get("capacity", {}).get("storage", "0"))
        if wanted <= capacity:
            causes.append(
                forbidden_field("spec.resources.requests.storage", "field can not be less than status.capacity")
            )
    if new["spec"]["volumeMode"] != old["spec"]["volumeMode"]:
        causes.append(immutable("volumeMode", new["spec"]["volumeMode"]))
    return causes


def _volume_defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")


def _source(body: Object) -> Object:
    return {key: value for key, value in body["spec"].items() if key not in _NOT_A_SOURCE}


def _check_volume(body: Object) -> list[StatusCause]:
    spec = body["spec"]
    causes = _modes(spec)
    if not spec.get("accessModes"):
        causes.insert(0, required_field("spec.accessModes"))
    capacity = spec.get("capacity", {})
    if not capacity:
        causes.append(required_field("spec.capacity"))
    if set(capacity) != {"storage"}:
        causes.append(not_supported("spec.capacity", capacity or None, ("storage",)))
    elif quantity.parse_quantity(capacity["storage"]) <= 0:
        causes.append(invalid("spec.capacity[storage]", capacity["storage"], "must be greater than zero"))
    if spec["persistentVolumeReclaimPolicy"] not in _RECLAIM:
        causes.append(
            not_supported("spec.persistentVolumeReclaimPolicy", spec["persistentVolumeReclaimPolicy"], _RECLAIM)
        )
    sources = sorted(_source(body), key=lambda name: (name == "csi", name))  # the server looks at csi last
    if not sources:
        causes.append(required_field("spec", "must specify a volume type"))
    causes += [forbidden_field(f"spec.{name}", "may not specify more than 1 volume type") for name in sources[1:]]
    if "csi" in spec:
        causes += _check_csi(spec["csi"])
    if spec.get("storageClassName"):
        causes += names.name_causes(
            "spec.storageClassName", spec["storageClassName"], names.subdomain(spec["storageClassName"])
        )
    if spec["volumeMode"] not in _VOLUME_MODES:
        causes.append(not_supported("spec.volumeMode", spec["volumeMode"], _VOLUME_MODES))
    return causes


def _check_csi(source: Object) -> list[StatusCause]:
    causes = []
    driver = source.get("driver", "")
    if not driver:
        causes.append(required_field("spec.csi.driver"))
    causes += names.name_causes("spec.csi.driver", driver, names.subdomain(driver.lower()))
    if not source.get("volumeHandle"):
        causes.append(required_field("spec.csi.volumeHandle"))
    for field in sorted(field for field in source if field.endswith("SecretRef")):
        for part in ("name", "namespace"):
            if not source[field].get(part):
                causes.append(required_field(f"spec.csi.{field}.{part}"))
    return causes


def _check_volume_update(new: Object, old: Object) -> list[StatusCause]:
    causes = []
    if _source(new) != _source(old):
        why = "spec.persistentvolumesource is immutable after creation"
        causes.append(
            forbidden_field("spec.persistentvolumesource", f"{why}\n{_difference(_source(old), _source(new))}")
        )
    if new["spec"]["volumeMode"] != old["spec"]["volumeMode"]:
        causes.append(immutable("volumeMode", new["spec"]["volumeMode"]))
    if old["spec"].get("nodeAffinity") and new["spec"].get("nodeAffinity") != old["spec"]["nodeAffinity"]:
        causes.append(immutable("nodeAffinity", new["spec"].get("nodeAffinity")))
    return causes


def _volume_create(body: Object) -> None:
    body["status"] = {"phase": "Pending"}


CLAIM = Rules(defaults=_claim_defaults, create=_claim_create, check=_check_claim, check_update=_check_claim_update)
VOLUME = Rules(defaults=_volume_defaults, create=_volume_create, check=_check_volume, check_update=_check_volume_update)
