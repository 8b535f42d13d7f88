"""Derive a simulator's field tables from a vendor's OpenAPI 3 document: facts only, no descriptions.

    python -m vastplan.sim.derive DOCUMENT --keep /views --keep /quotas --name-rest > tables/vast-5.5.json

With `--name-rest` the table also lists, under `other_paths`, the operations that are not kept: a simulator can then distinguish
operations it does not simulate from ones that do not exist. The tables of VMS are created with `--keep-vms --name-rest` alone, those
of Run:AI with `--keep-runai` alone.
Several documents give one table. Kubernetes' documents are selected by kind, not by path, and its custom resources come from
their definitions. With V and S the folders of the Go modules k8s.io/kubernetes@v1.34.4 and
github.com/kubernetes-csi/external-snapshotter/client/v8@v8.4.0, and the kinds of vastplan.sim.kubernetes.resources:

    python -m vastplan.sim.derive $V/api/openapi-spec/v3/{api,apis__{admissionregistration,authorization,coordination}\
    .k8s.io,apis__storage.k8s.io}__v1_openapi.json --crd $S/config/crd/snapshot.storage.k8s.io_*.yaml \
    --kind ConfigMap --kind Namespace --kind ... > tables/kubernetes-1.34.json

Every schema becomes a plain, closed JSON Schema: `allOf` is flattened (a simple reader sees an empty type there),
`nullable` becomes a type, references are kept and point into `schemas`. Any JSON Schema validator then refuses a request
body with an unknown field.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import yaml

KEPT = (
    "type", "enum", "required", "default", "format", "pattern", "minimum", "maximum",
    "minLength", "maxLength", "minItems", "maxItems", "readOnly", "writeOnly",
    "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations",
    "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
)  # fmt: skip
METHODS = ("get", "post", "put", "patch", "delete")
VMS = (
    "/apitokens", "/clusters", "/dns", "/events", "/folders", "/globalsnapstreams", "/groups", "/localproviders", "/locals3keys",
    "/managers", "/nativereplicationremotetargets", "/permissions", "/protectedpaths", "/protectionpolicies", "/qospolicies", "/quotas",
    "/realms", "/replicationrestorepoints", "/replicationstreams", "/roles", "/s3lifecyclerules", "/s3policies",
    "/snapshots", "/tenants", "/token", "/users", "/versions", "/viewpolicies", "/views", "/vippools", "/vms", "/volumes",
    "/vtasks",
)  # fmt: skip
RUNAI = (
    "/api/v1/asset/credentials", "/api/v1/asset/datasource", "/api/v1/audit/log", "/api/v1/authorization", "/api/v1/clusters",
    "/api/v1/datavolumes", "/api/v1/node-pools", "/api/v1/org-unit", "/api/v1/storage-class-configuration",
    "/api/v1/storage-classes", "/api/v1/token", "/api/v1/workloads", "/api/v2/policy", "/api/v2/storage-classes", "/api/v2/token",
)  # fmt: skip
OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
Schema = dict[str, Any]


class Deriver:
    """Walks one document and collects the schemas that its kept operations reach."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.schemas: dict[str, Schema] = {}

    def schema(self, source: Schema) -> Schema:
        """`source` as a closed JSON Schema; a reference stays a reference into `schemas`."""
        if "$ref" in source:
            name = source["$ref"].rsplit("/", 1)[1]
            if name not in self.schemas:
                self.schemas[name] = {}  # reserved before the walk: schemas may be recursive
                self.schemas[name] = self.schema(self.document["components"]["schemas"][name])
            return {"$ref": f"#/schemas/{name}"}
        if "allOf" in source:
            return self._flattened(source)
        closed: Schema = {key: source[key] for key in KEPT if key in source}
        for combiner in ("oneOf", "anyOf"):
            if combiner in source:
                closed[combiner] = [self.schema(part) for part in source[combiner]]
        if "items" in source:
            closed["items"] = self.schema(source["items"])
        if closed.get("type") == "array" and "enum" in closed and "type" in closed.get("items", {}):
            closed["items"].setdefault("enum", closed.pop("enum"))  # written on the list, but meant for its items
        if "properties" in source:
            closed["type"] = "object"
            closed["properties"] = {name: self.schema(part) for name, part in sorted(source["properties"].items())}
            closed["additionalProperties"] = False
        if isinstance(source.get("additionalProperties"), dict):
            closed["additionalProperties"] = self.schema(source["additionalProperties"])
        return _nullable(closed) if source.get("nullable") else closed

    def _flattened(self, source: Schema) -> Schema:
        if len(source["allOf"]) == 1 and "properties" not in source:  # a reference wrapped to carry a description
            wrapped = self.schema(source["allOf"][0])
            return _nullable(wrapped) if source.get("nullable") else wrapped
        merged: Schema = {key: value for key, value in source.items() if key != "allOf"}
        for part in source["allOf"]:
            while "$ref" in part:
                part = self.document["components"]["schemas"][part["$ref"].rsplit("/", 1)[1]]
            if "allOf" in part:
                part = self._resolved(part)
            for key, value in part.items():
                if key == "properties":
                    merged["properties"] = {**merged.get("properties", {}), **value}
                elif key == "required":
                    merged["required"] = sorted({*merged.get("required", []), *value})
                else:
                    merged.setdefault(key, value)
        return self.schema(merged)

    def _resolved(self, part: Schema) -> Schema:
        properties: Schema = {}
        required: set[str] = set(part.get("required", []))
        for inner in part["allOf"]:
            while "$ref" in inner:
                inner = self.document["components"]["schemas"][inner["$ref"].rsplit("/", 1)[1]]
            inner = self._resolved(inner) if "allOf" in inner else inner
            properties |= inner.get("properties", {})
            required |= set(inner.get("required", []))
        return {"properties": {**properties, **part.get("properties", {})}, "required": sorted(required)}

    def operation(self, source: dict[str, Any], shared: list[Schema]) -> dict[str, Any]:
        """Query names, request body and documented answers of one operation."""
        query = {}
        for parameter in [*shared, *source.get("parameters", [])]:
            if "$ref" in parameter:
                parameter = self.document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
            if parameter.get("in") == "query":  # one document has empty parameters
                query[parameter["name"]] = self.schema(parameter.get("schema", {})) | (
                    {"required": True} if parameter.get("required") else {}
                )
        facts: dict[str, Any] = {"query": query, "responses": {}}
        body = source.get("requestBody")
        if body:
            if "$ref" in body:
                body = self.document["components"]["requestBodies"][body["$ref"].rsplit("/", 1)[1]]
            facts["body"] = self._content(body)
            facts["body_required"] = bool(body.get("required"))
        for code, answer in (source.get("responses") or {}).items():  # null in one document: no answers are documented
            if "$ref" in answer:
                answer = self.document["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
            facts["responses"][code] = self._content(answer)
        return facts

    def _content(self, source: dict[str, Any]) -> Schema | None:
        for kind in source.get("content", {}).values():
            if "schema" in kind:
                return self.schema(kind["schema"])
        return None


def _nullable(schema: Schema) -> Schema:
    if "type" in schema and "$ref" not in schema and isinstance(schema["type"], str):
        nullable = {**schema, "type": [schema["type"], "null"]}
        if "enum" in nullable and None not in nullable["enum"]:
            nullable["enum"] = [*nullable["enum"], None]
        return nullable
    return {"anyOf": [schema, {"type": "null"}]}


def derive(document: dict[str, Any], keep: list[str], digest: str, kinds: list[str] | None = None) -> dict[str, Any]:
    """The table of the paths that start with one of `keep`: `{source, paths, schemas}`.

    With `kinds`, of the operations on objects of those Kubernetes kinds instead.
    """
    deriver = Deriver(document)
    paths: dict[str, Any] = {}
    for path, operations in sorted(document["paths"].items()):
        if kinds is None and not any(path == prefix or path.startswith(prefix.rstrip("/") + "/") for prefix in keep):
            continue
        shared = operations.get("parameters", [])
        kept = {
            method.upper(): deriver.operation(operations[method], shared)
            for method in METHODS
            if method in operations and (kinds is None or _is_of(operations[method], path, kinds))
        }
        if kept:
            paths[path] = kept
    info = document["info"]
    return {
        "source": {"title": info.get("title"), "version": info.get("version"), "sha256": digest},
        "paths": paths,
        "schemas": dict(sorted(deriver.schemas.items())),
    }


def other_paths(document: dict[str, Any], kept: dict[str, Any]) -> dict[str, list[str]]:
    """The methods of the document's other paths: `{path: ["GET", ...]}`."""
    return {
        path: [method.upper() for method in METHODS if method in operations]
        for path, operations in sorted(document["paths"].items())
        if path not in kept
    }


def _is_of(operation: dict[str, Any], path: str, kinds: list[str]) -> bool:
    kind = operation.get("x-kubernetes-group-version-kind", {}).get("kind")
    return kind in kinds and "/watch/" not in path and (path.split("/")[-1] == "status" or path.count("{name}/") == 0)


def derive_crd(definition: dict[str, Any], digest: str) -> dict[str, Any]:
    """The table of one CustomResourceDefinition's stored version, as the API server would document it."""
    spec = definition["spec"]
    version = next(entry for entry in spec["versions"] if entry["storage"])
    name = f"{spec['group']}.{version['name']}.{spec['names']['kind']}"
    schema = Deriver({}).schema(version["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {"$ref": f"#/schemas/{OBJECT_META}"}
    scope = "namespaces/{namespace}/" if spec["scope"] == "Namespaced" else ""
    path = f"/apis/{spec['group']}/{version['name']}/{scope}{spec['names']['plural']}"
    body = {"body": {"$ref": f"#/schemas/{name}"}}
    paths: dict[str, Any] = {
        path: {"GET": {}, "POST": body},
        path + "/{name}": {"DELETE": {}, "GET": {}, "PATCH": {}, "PUT": body},
    }
    if "status" in version.get("subresources", {}):
        paths[path + "/{name}/status"] = {"GET": {}, "PATCH": {}, "PUT": body}
    source = {"title": definition["metadata"]["name"], "version": version["name"], "sha256": digest}
    return {"source": source, "paths": paths, "schemas": {name: schema}}


def merge_tables(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Several tables as one; `sources` names all documents."""
    if len(tables) == 1:
        return tables[0]
    return {
        "source": tables[0]["source"],
        "sources": [table["source"] for table in tables],
        "paths": {path: operations for table in tables for path, operations in table["paths"].items()},
        "schemas": {name: schema for table in tables for name, schema in table["schemas"].items()},
    }


def main() -> None:
    """Print the table of the given documents."""
    parser = argparse.ArgumentParser(description="Derive a simulator's field tables from OpenAPI 3 documents.")
    parser.add_argument("documents", type=Path, nargs="+", metavar="DOCUMENT")
    parser.add_argument("--keep", action="append", default=[], metavar="PATH", help="a path prefix to keep")
    parser.add_argument("--keep-vms", action="store_true", help="keep what the simulated VMS is made of")
    parser.add_argument("--keep-runai", action="store_true", help="keep what the simulated Run:AI is made of")
    parser.add_argument("--name-rest", action="store_true", help="name the operations that are not kept")
    parser.add_argument("--kind", action="append", metavar="KIND", help="a Kubernetes kind to keep")
    parser.add_argument("--crd", nargs="+", type=Path, default=[], metavar="FILE", help="custom resource definitions")
    arguments = parser.parse_args()
    keep = [*arguments.keep, *(VMS if arguments.keep_vms else ()), *(RUNAI if arguments.keep_runai else ())]
    if not keep and not arguments.kind:
        parser.error("give --keep, --keep-vms, --keep-runai or --kind")
    tables = []
    for file in arguments.documents:
        raw = file.read_bytes()
        document = json.loads(raw)
        table = derive(document, keep, hashlib.sha256(raw).hexdigest(), arguments.kind)
        tables.append(table | ({"named": other_paths(document, table["paths"])} if arguments.name_rest else {}))
    for file in arguments.crd:
        raw = file.read_bytes()
        definition = yaml.safe_load(raw)
        if not arguments.kind or definition["spec"]["names"]["kind"] in arguments.kind:
            tables.append(derive_crd(definition, hashlib.sha256(raw).hexdigest()))
    json.dump(merge_tables(tables), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
