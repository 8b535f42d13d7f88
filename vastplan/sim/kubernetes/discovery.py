"""Discovery: the groups and resources of the server, and the parts of the OpenAPI documents that kubectl requests."""

from __future__ import annotations

from typing import Any

from vastplan.sim.kubernetes.resources import GROUPS, RESOURCES, Resource
from vastplan.sim.tables import Table
from vastplan.sim.wire import Response


def discovery_answer(path: str, version: str, table: Table) -> Response | None:
    """The answer to a discovery path, `None` for any other path."""
    path = "/" + path.strip("/")
    fixed = {"/api": _core, "/apis": _groups, "/openapi/v3": _index}
    if path in fixed:
        return Response(200, fixed[path]())
    if path == "/version":
        return Response(200, _version(version))
    for group, number in GROUPS:
        root = f"/apis/{group}" if group else "/api"
        if group and path == root:
            return Response(200, {"kind": "APIGroup", "apiVersion": "v1", **_group(group)})
        if path == f"{root}/{number}":
            return Response(200, _resources(group, number))
        if path == f"/openapi/v3{root}/{number}":
            return Response(200, _openapi(group, number, table))
    return None


def _version(version: str) -> dict[str, str]:
    major, minor = version.split(".")[:2]
    return {
        "major": major, "minor": minor, "gitVersion": f"v{major}.{minor}.4", "gitCommit": "", "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z", "goVersion": "go1.24", "compiler": "gc", "platform": "linux/amd64",
    }  # fmt: skip


def _core() -> dict[str, Any]:
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}


def _group(group: str) -> dict[str, Any]:
    versions = [{"groupVersion": f"{name}/{number}", "version": number} for name, number in GROUPS if name == group]
    return {"name": group, "versions": versions, "preferredVersion": versions[0]}


def _groups() -> dict[str, Any]:
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(group) for group, _ in GROUPS if group]}


def _resources(group: str, number: str) -> dict[str, Any]:
    entries = []
    for resource in sorted(RESOURCES, key=lambda entry: entry.plural):
        if (resource.group, resource.version) == (group, number):
            entries.append(_entry(resource))
            if resource.has_status:
                entries.append({
                    "name": f"{resource.plural}/status", "singularName": "", "namespaced": resource.namespaced,
                    "kind": resource.kind, "verbs": ["get", "patch", "update"],
                })  # fmt: skip
    version = f"{group}/{number}" if group else number
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": entries}


def _entry(resource: Resource) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": resource.plural, "singularName": resource.kind.lower(), "namespaced": resource.namespaced,
        "kind": resource.kind, "verbs": list(resource.verbs),
    }  # fmt: skip
    if resource.short:
        entry["shortNames"] = list(resource.short)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    return entry


def _index() -> dict[str, Any]:
    paths = [f"apis/{group}/{number}" if group else f"api/{number}" for group, number in GROUPS]
    return {"paths": {path: {"serverRelativeURL": f"/openapi/v3/{path}"} for path in paths}}


def _openapi(group: str, number: str, table: Table) -> dict[str, Any]:
    """The operations with their query parameters: kubectl reads from them whether the server validates fields and has dry run."""
    kinds = {
        resource.collection_path(): resource.kind
        for resource in RESOURCES
        if (resource.group, resource.version) == (group, number)
    }
    paths: dict[str, Any] = {}
    for path, operations in table.content["paths"].items():
        kind = kinds.get(path.removesuffix("/{name}"))
        if kind is None:
            continue
        marks = {"x-kubernetes-group-version-kind": {"group": group, "version": number, "kind": kind}}
        query = ("dryRun", "fieldManager", "fieldValidation")
        parameters = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in query]
        paths[path] = {method.lower(): {**marks, "parameters": parameters} for method in operations}
    head = {"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "unversioned"}}
    return {**head, "paths": paths, "components": {"schemas": {}}}  # without schemas, `kubectl explain` says so
