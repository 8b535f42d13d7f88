"""One object of each kind made, listed, read, changed and deleted: which status each step is answered with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.documented.used import collection, item
from tests.probes.subjects import MADE, Send, Subject
from vastplan.schema.endpoint import Asked, AskedMembers, Members, PerUnit, Update
from vastplan.schema.kind import Kind

BUILT_IN = {"localproviders": 1, "tenants": 1, "views": 1, "viewpolicies": 2, "roles": 3}  # what every cluster has
Step = tuple[str, str, int]  # method, template, status


def statuses(subject: Subject, kind: Kind, send: Send) -> Iterator[Step]:
    """The steps and their answers; the object is one that `prepare` made on VAST."""
    if subject.system == "vast":
        yield from _on_vast(kind, send)
    if subject.system == "runai":
        yield from _on_runai(kind, send)


def undocumented(subject: Subject, kind: Kind, send: Send) -> list[Step]:
    """The steps whose status the facts do not have."""
    known = subject.facts.operations
    return [one for one in statuses(subject, kind, send) if one[2] not in known[one[1]][one[0]]["success"]]


def _on_vast(kind: Kind, send: Send) -> Iterator[Step]:
    one = item(kind)
    if isinstance(kind.endpoint.shape, Asked):
        yield from _asked(kind, kind.endpoint.shape, send)
    if isinstance(kind.endpoint.shape, Members):
        yield from _member(kind, kind.endpoint.shape, send)
    if isinstance(kind.endpoint.shape, AskedMembers):
        yield from _asked_member(kind, kind.endpoint.shape, send)
    for name in reversed(MADE):
        path = f"/api/v5/{name}/{1 + BUILT_IN.get(name, 0)}/"
        mine = kind.endpoint.path == f"/{name}/"
        if mine:
            yield "GET", kind.endpoint.path, send("GET", f"/api/v5{kind.endpoint.path}", None)[0]
            yield "GET", one, send("GET", path, None)[0]
            yield "PATCH", one, send("PATCH", path, {})[0]
        status = send("DELETE", path, None)[0]
        for _ in range(3):
            send("GET", path, None)  # what goes slowly goes with time
        if mine:
            yield "DELETE", one, status


def _asked(kind: Kind, shape: Asked, send: Send) -> Iterator[Step]:
    """What is set of a local user or group: set, looked at, and all of it taken back."""
    path, name = kind.endpoint.path, "u" if kind.endpoint.path.startswith("/users/") else "g"
    whom = f"{shape.name}={name}&{shape.place}=1&context=aggregated"
    yield "GET", shape.places, send("GET", f"/api/v5{shape.places}", None)[0]
    for values in ({"s3_policies_ids": [1]}, dict(shape.nothing)):
        body = {shape.name: name, shape.place: 1, **values}
        yield "PATCH", path, send("PATCH", f"/api/v5{path}", body)[0]
        yield "GET", path, send("GET", f"/api/v5{path}?{whom}", None)[0]


def _member(kind: Kind, shape: Members, send: Send) -> Iterator[Step]:
    """A key of the user that `prepare` made."""
    path, template = f"/api/v5{shape.path.replace('{owner}', '1')}", shape.path.replace("{owner}", "{}")
    yield "GET", kind.endpoint.path, send("GET", f"/api/v5{kind.endpoint.path}", None)[0]
    status, made = send("POST", path, {"tenant_id": 1})
    yield "POST", template, status
    named = {shape.key: made[shape.key]}
    yield "PATCH", template, send("PATCH", path, {**named, "enabled": False})[0]
    yield "DELETE", template, send("DELETE", path, named)[0]


def _asked_member(kind: Kind, shape: AskedMembers, send: Send) -> Iterator[Step]:
    """A key of the user that `prepare` made, by his number."""
    whose = {shape.known_by[0]: 1001, shape.place: 1}
    query = f"{shape.name}=u&{shape.place}=1&context=aggregated"
    status, made = send("POST", f"/api/v5{shape.path}", whose)
    yield "POST", shape.path, status
    yield "GET", kind.endpoint.path, send("GET", f"/api/v5{kind.endpoint.path}?{query}", None)[0]
    named = {**whose, shape.key: made[shape.key]}
    yield "PATCH", shape.path, send("PATCH", f"/api/v5{shape.path}", {**named, "enabled": False})[0]
    yield "DELETE", shape.path, send("DELETE", f"/api/v5{shape.path}", named)[0]


def _on_runai(kind: Kind, send: Send) -> Iterator[Step]:
    cluster = send("GET", "/api/v1/clusters", None)[1][0]["uuid"]
    pool = send("GET", "/api/v1/node-pools", None)[1]["nodepools"][0]["id"]
    resources = [{"nodePool": {"id": pool}, "gpu": {"deserved": 0}}]
    unit = {"name": "life", "clusterId": cluster, "resources": resources}
    scope = unit if kind.name == "project" else {**unit, "name": "given"}
    body: dict[str, Any] = scope if kind.name == "project" else unit
    change: dict[str, Any] = {"resources": resources}
    if kind.name == "access_rule":
        project = send("POST", "/api/v1/org-unit/projects", scope)[1]["id"]
        role = send("GET", "/api/v1/authorization/roles", None)[1][0]["id"]
        body = {"subjectId": "g", "subjectType": "group", "roleId": role, "scopeId": project, "scopeType": "project"}
    if kind.endpoint.path.startswith("/api/v1/asset/"):
        project = send("POST", "/api/v1/org-unit/projects", scope)[1]["id"]
        meta = {"name": "life", "scope": "project", "projectId": int(project), "clusterId": cluster}
        spec, change = _asset(kind, meta, send)
        body = {"meta": meta, "spec": spec}
    if kind.name == "data_volume":
        project = send("POST", "/api/v1/org-unit/projects", scope)[1]["id"]
        body, change = {"name": "life", "projectId": project, "originPvcName": "x"}, {"description": "new"}
    if isinstance(kind.endpoint.shape, PerUnit):
        project = send("POST", "/api/v1/org-unit/projects", scope)[1]["id"]
        body = {
            "meta": {"name": "life", "scope": "project", "projectId": int(project)},
            "policy": {"imposedAssets": []},
        }
        yield "GET", kind.endpoint.path, send("GET", kind.endpoint.path, None)[0]
        for step in kind.endpoint.shape.paths.values():
            path = f"{kind.endpoint.path}/{step}"
            yield "PUT", path, send("PUT", path, body)[0]
            which = f"{path}?scope=project&projectId={project}"
            yield from ((method, path, send(method, which, None)[0]) for method in ("GET", "DELETE"))
        return
    if kind.name == "storage_class_configuration":
        body = {"name": "standard", "scopeType": "cluster", "scopeId": cluster}
        change = {"permissions": {"allowedForAssets": False}}
    status, made = send("POST", collection(kind), body)
    yield "POST", collection(kind), status
    made = made or {}
    path = f"{kind.endpoint.path}/{made.get('id') or made.get('meta', {}).get('id')}"
    asked = "?requestType=Originated" if kind.name == "data_volume" else ""
    yield "GET", kind.endpoint.path, send("GET", kind.endpoint.path + asked, None)[0]
    yield "GET", item(kind), send("GET", path, None)[0]
    if kind.endpoint.update is not Update.NONE:
        method = "PUT" if kind.endpoint.update is Update.PUT else "PATCH"
        yield method, item(kind), send(method, path, change)[0]
    for delta in kind.endpoint.deltas:
        place, body = f"/{delta.add[0]}", {delta.add[1]: [{"scopeType": "cluster", "scopeId": cluster}]}
        yield "PATCH", item(kind) + place, send("PATCH", path + place, body)[0]
    yield "DELETE", item(kind), send("DELETE", path, None)[0]


_SECRET = {"existingSecretName": "s"}
_CLAIM = {"size": "1Gi", "storageClass": "standard", "accessModes": {"readWriteOnce": True}}
# Of each type: what it is made with, and what of its spec a change sends (none: the type takes none).
_SPECS: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "pvc": ({"path": "/x", "existingPvc": False, "claimInfo": _CLAIM}, {"path": "/y"}),
    "nfs": ({"server": "a", "path": "/x", "mountPath": "/x"}, {"server": "b", "path": "/x", "mountPath": "/x"}),
    "s3": ({"bucket": "a", "path": "/x"}, {"bucket": "b", "path": "/x"}),
    "git": ({"repository": "a", "path": "/x"}, {"repository": "b", "path": "/x"}),
    "host-path": ({"path": "/x", "mountPath": "/x"}, {"path": "/y", "mountPath": "/x"}),
    "config-map": ({"configMap": "a", "mountPath": "/x"}, None),
    "secrets": ({"mountPath": "/x"}, None),
}


def _asset(kind: Kind, meta: dict[str, Any], send: Send) -> tuple[dict[str, Any], dict[str, Any]]:
    """The spec of an asset, and the body of a change."""
    if "/credentials/" in kind.endpoint.path:
        # Before 2.22 the name has to be said again, and later it must not.
        named = send("PUT", f"{kind.endpoint.path}/x", {"meta": {"name": "life"}})[0] == 404
        return _SECRET, {"meta": {"name": "life"} if named else {"description": "new"}}
    spec, changed = _SPECS[kind.endpoint.path.rpartition("/")[2]]
    if kind.name == "secret_data_source":
        body = {"meta": {**meta, "name": "given"}, "spec": _SECRET}
        spec = {**spec, "credentialAssetId": send("POST", "/api/v1/asset/credentials/password", body)[1]["meta"]["id"]}
    return spec, {"meta": {"name": "life"}, **({"spec": changed} if changed else {})}
