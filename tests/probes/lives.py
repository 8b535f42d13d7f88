"""One object of each kind made, listed, read, changed and deleted: which status each step is answered with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.documented.used import collection, item
from tests.probes.subjects import MADE, Send, Subject
from vastplan.schema.endpoint import Update
from vastplan.schema.kind import Kind

BUILT_IN = {"tenants": 1, "views": 1, "viewpolicies": 2, "roles": 3, "managers": 1}  # what every cluster has
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
    status, made = send("POST", collection(kind), body)
    yield "POST", collection(kind), status
    made = made or {}
    path = f"{kind.endpoint.path}/{made.get('id') or made.get('meta', {}).get('id')}"
    yield "GET", kind.endpoint.path, send("GET", kind.endpoint.path, None)[0]
    yield "GET", item(kind), send("GET", path, None)[0]
    if kind.endpoint.update is Update.PUT:
        yield "PUT", item(kind), send("PUT", path, change)[0]
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
