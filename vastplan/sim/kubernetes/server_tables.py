"""Answers as tables, which `kubectl get` asks for: the columns of the usual kinds, and the name and age of all others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from vastplan.sim.kubernetes import resources
from vastplan.sim.kubernetes.resources import Resource

Object = dict[str, Any]
Column = tuple[str, Callable[[Object], Any]]
_SHORT_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_DEFAULT = "storageclass.kubernetes.io/is-default-class"


def _modes(names: list[str]) -> str:
    return ",".join(_SHORT_MODES.get(name, name) for name in names)


def _phase(body: Object) -> str:
    leaving = body["metadata"].get("deletionTimestamp") and body["kind"] != "Namespace"
    return "Terminating" if leaving else body.get("status", {}).get("phase", "")


def _claim(body: Object) -> str:
    reference = body["spec"].get("claimRef")
    return f"{reference['namespace']}/{reference['name']}" if reference else ""


def _ready(body: Object) -> str:
    states = body.get("status", {}).get("containerStatuses", [])
    return f"{sum(state['ready'] for state in states)}/{len(body['spec']['containers'])}"


_COLUMNS: dict[Resource, tuple[Column, ...]] = {
    resources.NAMESPACES: (("Status", _phase),),
    resources.CLAIMS: (
        ("Status", _phase),
        ("Volume", lambda body: body["spec"].get("volumeName", "")),
        ("Capacity", lambda body: body.get("status", {}).get("capacity", {}).get("storage", "")),
        ("Access Modes", lambda body: _modes(body.get("status", {}).get("accessModes", []))),
        ("StorageClass", lambda body: body["spec"].get("storageClassName", "")),
    ),
    resources.VOLUMES: (
        ("Capacity", lambda body: body["spec"].get("capacity", {}).get("storage", "")),
        ("Access Modes", lambda body: _modes(body["spec"].get("accessModes", []))),
        ("Reclaim Policy", lambda body: body["spec"].get("persistentVolumeReclaimPolicy", "")),
        ("Status", _phase),
        ("Claim", _claim),
        ("StorageClass", lambda body: body["spec"].get("storageClassName", "")),
    ),
    resources.CLASSES: (
        ("Provisioner", lambda body: body["provisioner"]),
        ("ReclaimPolicy", lambda body: body.get("reclaimPolicy", "")),
        ("VolumeBindingMode", lambda body: body.get("volumeBindingMode", "")),
        ("AllowVolumeExpansion", lambda body: bool(body.get("allowVolumeExpansion"))),
    ),
    resources.PODS: (
        ("Ready", _ready),
        ("Status", _phase),
        ("Restarts", lambda body: sum(state["restartCount"] for state in body["status"].get("containerStatuses", []))),
    ),
    resources.SECRETS: (
        ("Type", lambda body: body.get("type", "")),
        ("Data", lambda body: len(body.get("data") or {})),
    ),
}


def _name(body: Object) -> str:
    default = body["metadata"].get("annotations", {}).get(_DEFAULT) == "true" and body["kind"] == "StorageClass"
    return f"{body['metadata']['name']} (default)" if default else str(body["metadata"]["name"])


def _age(created: str, now: float) -> str:
    seconds = max(0, int(now - datetime.fromisoformat(created).astimezone(UTC).timestamp()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def table(resource: Resource, bodies: list[Object], api_version: str, metadata: Object, now: float) -> Object:
    """The table of some objects of one resource; their rows are in the order of `bodies`."""
    columns: tuple[Column, ...] = (
        ("Name", _name),
        *_COLUMNS.get(resource, ()),
        ("Age", lambda body: _age(body["metadata"]["creationTimestamp"], now)),
    )
    rows = []
    for item in bodies:
        body = {"kind": resource.kind, **item}
        partial = {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": body["metadata"]}
        rows.append({"cells": [cell(body) for _, cell in columns], "object": partial})
    definitions = [
        {"name": name, "type": "string", "format": "name" if name == "Name" else "", "description": "", "priority": 0}
        for name, _ in columns
    ]
    head = {"kind": "Table", "apiVersion": api_version, "metadata": metadata}
    return head | {"columnDefinitions": definitions, "rows": rows}
