"""The names, labels and annotations that the server accepts, and its messages for others."""

from __future__ import annotations

import re
from typing import Any

from vastplan.sim.kubernetes.status import StatusCause, forbidden_field, immutable, invalid, required_field, too_long

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_QUALIFIED})?"
MAX_ANNOTATIONS = 256 * 1024
_STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")


def label(value: str) -> list[str]:
    """Why `value` is not a DNS label (RFC 1123); empty if it is one."""
    faults = ["must be no more than 63 bytes"] if len(value) > 63 else []
    if not re.fullmatch(_LABEL, value):
        faults.append(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
            f"start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
            f"regex used for validation is '{_LABEL}')"
        )
    return faults


def subdomain(value: str) -> list[str]:
    """Why `value` is not a DNS subdomain (RFC 1123); empty if it is one."""
    faults = ["must be no more than 253 bytes"] if len(value) > 253 else []
    if not re.fullmatch(_SUBDOMAIN, value):
        faults.append(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
            f"'{_SUBDOMAIN}')"
        )
    return faults


def namespace(value: str) -> list[str]:
    """Why `value` is not a namespace name; empty if it is one."""
    return ["must not contain dots"] if "." in value else label(value)


def qualified(value: str) -> list[str]:
    """Why `value` is not a qualified name (`prefix/name`, the prefix optional); empty if it is one."""
    prefix, slash, name = value.rpartition("/")
    faults = []
    if slash:
        faults += (
            ["prefix part must be non-empty"] if not prefix else [f"prefix part {fault}" for fault in subdomain(prefix)]
        )
    if not name:
        faults.append("name part must be non-empty")
    elif len(name) > 63:
        faults.append("name part must be no more than 63 bytes")
    if not re.fullmatch(_QUALIFIED, name):
        faults.append(
            "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
            "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
            f"'{_QUALIFIED}')"
        )
    return faults


def label_value(value: str) -> list[str]:
    """Why `value` is not a label value; empty if it is one."""
    faults = ["must be no more than 63 bytes"] if len(value) > 63 else []
    if not re.fullmatch(_VALUE, value):
        faults.append(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
            f"validation is '{_VALUE}')"
        )
    return faults


def name_causes(path: str, value: str, faults: list[str]) -> list[StatusCause]:
    """The faults as causes."""
    return [invalid(path, value, fault) for fault in faults]


def metadata_causes(metadata: dict[str, Any], namespaced: bool, check: Any = subdomain) -> list[StatusCause]:
    """The problems of `metadata`."""
    faults: list[StatusCause] = []
    generated, name = metadata.get("generateName"), metadata.get("name", "")
    if generated:  # the random suffix is added later, so a trailing hyphen is allowed
        faults += name_causes("metadata.generateName", generated, check(generated.rstrip("-") or "-"))
    if not name:
        faults.append(required_field("metadata.name", "name or generateName is required"))
    else:
        faults += name_causes("metadata.name", name, check(name))
    if namespaced and not metadata.get("namespace"):
        faults.append(required_field("metadata.namespace"))
    for key, value in sorted(metadata.get("labels", {}).items()):
        faults += name_causes("metadata.labels", key, qualified(key)) + name_causes(
            "metadata.labels", value, label_value(value)
        )
    annotations = metadata.get("annotations", {})
    for key in sorted(annotations):
        faults += name_causes("metadata.annotations", key, qualified(key.lower()))
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > MAX_ANNOTATIONS:
        faults.append(too_long("metadata.annotations", MAX_ANNOTATIONS))
    for index, finalizer in enumerate(metadata.get("finalizers", [])):
        path = f"metadata.finalizers[{index}]"
        faults += name_causes(path, finalizer, qualified(finalizer))
        if "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS:
            why = "name is neither a standard finalizer name nor is it fully qualified"
            faults.append(invalid(path, finalizer, why))
    for owner in metadata.get("ownerReferences", []):
        path = "metadata.ownerReferences"
        empty = {"apiVersion": "version must not be empty"}
        for field in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(field):
                faults.append(invalid(f"{path}.{field}", "", empty.get(field, "must not be empty")))
    return faults


def metadata_update_causes(new: dict[str, Any], old: dict[str, Any]) -> list[StatusCause]:
    """The problems of an update of `metadata`."""
    faults = [
        immutable(f"metadata.{field}", new.get(field))
        for field in ("uid", "deletionTimestamp", "deletionGracePeriodSeconds")
        if new.get(field) != old.get(field)
    ]
    if old.get("deletionTimestamp"):
        added = [name for name in new.get("finalizers", []) if name not in old.get("finalizers", [])]
        if added:
            listed = ", ".join(f'"{name}"' for name in added)
            why = "no new finalizers can be added if the object is being deleted, found new finalizers"
            faults.append(forbidden_field("metadata.finalizers", f"{why} []string{{{listed}}}"))
    return faults
