"""One object of each kind made, listed, read, changed and deleted: which status each step is answered with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.documented.used import collection, item
from tests.probes.subjects import MADE, Send, Subject
from vastplan.schema.endpoint import Update
from vastplan.schema.kind import Kind

BUILT_IN = {"tenants": 1, "views": 1, "viewpolicies": 2, "roles": 3}  # what every cluster has
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
    if kind.name in ("access_rule", "data_source"):
        project = send("POST", "/api/v1/org-unit/projects", scope)[1]["id"]
        role = send("GET", "/api/v1/authorization/roles", None)[1][0]["id"]
        rule = {"subjectId": "g", "subjectType": "group", "roleId": role, "scopeId": project, "scopeType": "project"}
        info = {"size": "1Gi", "storageClass": "standard", "accessModes": {"readWriteOnce": True}}
        meta = {"name": "life", "scope": "project", "projectId": int(project), "clusterId": cluster}
        source = {"meta": meta, "spec": {"path": "/x", "existingPvc": False, "claimInfo": info}}
        body = rule if kind.name == "access_rule" else source
        change = {"meta": {"name": "life"}, "spec": {"path": "/y"}}
    status, made = send("POST", collection(kind), body)
    yield "POST", collection(kind), status
    made = made or {}
    path = f"{kind.endpoint.path}/{made.get('id') or made.get('meta', {}).get('id')}"
    yield "GET", kind.endpoint.path, send("GET", kind.endpoint.path, None)[0]
    yield "GET", item(kind), send("GET", path, None)[0]
    if kind.endpoint.update is Update.PUT:
        yield "PUT", item(kind), send("PUT", path, change)[0]
    yield "DELETE", item(kind), send("DELETE", path, None)[0]
