"""Cut the facts about the operations that vastplan uses out of a vendor's document: names, types, bounds, no prose.

    python -m tests.documented.extract vast VMS.json > tests/documented/facts/vast-5.5.yaml
    python -m tests.documented.extract runai RUNAI.json > tests/documented/facts/runai-2.24.yaml
    python -m tests.documented.extract updates VMS-OLD.json > tests/documented/updates/vast-5.3.yaml
    python -m tests.documented.extract kubernetes V3/{version,api__v1,...}_openapi.json CRD.yaml > .../kubernetes-1.34.yaml

It shares no code with `vastplan.sim.derive`: what one of them misreads the other contradicts. `facts.py` explains the
form. The documents themselves are the vendors' and are not kept here.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.documented.used import BESIDES, LATER, counted, kinds, operations

Json = dict[str, Any]
BOUNDS = {
    "minimum": "min", "maximum": "max", "minLength": "min_length", "maxLength": "max_length", "minItems": "min_items",
    "maxItems": "max_items", "pattern": "pattern",
}  # fmt: skip
FORMATS = ("uuid", "byte", "date-time")


class Extractor:
    """Reads one document; `types` are the named objects met on the way."""

    def __init__(self, document: Json) -> None:
        self.document = document
        self.types: Json = {}

    def behind(self, source: Json) -> Json:
        """What a reference points to."""
        while "$ref" in source:
            found: Any = self.document
            for step in source["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            source = found
        return source

    def shape(self, source: Json) -> Any:
        """A schema in the form of the facts."""
        parts = source.get("allOf", ())
        if len(parts) == 1 and "$ref" in parts[0] and "properties" not in source:  # a reference with prose around it
            named = self.shape(parts[0])
            said = {"nullable": source.get("nullable"), "read_only": source.get("readOnly")}
            told = {name: True for name, value in said.items() if value}
            return {**(named if isinstance(named, dict) else {"type": named}), **told} if told else named
        whole = self.behind(source)
        if "$ref" in source and "properties" in whole and "allOf" not in whole:
            name = source["$ref"].rsplit("/", 1)[1].removeprefix("io.k8s.")
            if name not in self.types:
                self.types[name] = {}
                self.types[name] = self.members(whole)
            return {"type": name, "nullable": True} if whole.get("nullable") else {"type": name}
        found: Json = {}
        self.gather(whole, found)
        for name in self.needed(whole) & set(found.get("fields", ())):
            known = found["fields"][name]
            found["fields"][name] = {**(known if isinstance(known, dict) else {"type": known}), "required": True}
        return found["type"] if set(found) == {"type"} else found

    def needed(self, source: Json) -> set[str]:
        """What a schema requires; a part of an `allOf` may require what another part declares."""
        parts = (self.behind(part) for part in source.get("allOf", ()))
        return set(source.get("required", ())).union(*(self.needed(part) for part in parts))

    def gather(self, source: Json, found: Json) -> None:
        """Add what a schema says to what is known; the parts of an `allOf` say it together."""
        for part in source.get("allOf", ()):
            self.gather(self.behind(part), found)
        if "oneOf" in source or "anyOf" in source:
            found["type"] = "any"
        elif "type" in source:
            found["type"] = source["type"]
        if "properties" in source:
            found["type"] = "object"
            found["fields"] = {**found.get("fields", {}), **self.members(source)}
        if "items" in source:
            found["items"] = self.shape(source["items"])
        if isinstance(source.get("additionalProperties"), dict):
            found["values"] = self.shape(source["additionalProperties"])
        for name, short in BOUNDS.items():
            if name in source:
                found[short] = source[name]
        if source.get("format") in FORMATS:
            found["format"] = source["format"]
        if "enum" in source:
            found["enum"] = sorted((value for value in source["enum"] if value is not None), key=str)
        if source.get("nullable"):
            found["nullable"] = True
        if source.get("readOnly"):
            found["read_only"] = True
        found.setdefault("type", "any")

    def members(self, source: Json) -> Json:
        """The fields of an object."""
        needed = set(source.get("required", ()))
        found = {}
        for name, part in sorted(source["properties"].items()):
            shape = self.shape(part)
            if name in needed:
                shape = {**(shape if isinstance(shape, dict) else {"type": shape}), "required": True}
            found[name] = shape
        return found

    def fields_of(self, source: Json) -> Json:
        """The fields of an object's schema, whatever it is put together from."""
        found: Json = {}
        self.gather(self.behind(source), found)
        fields: Json = found.get("fields", {})
        return fields

    def operation(self, source: Json, shared: list[Json], *, item_of: bool) -> Json:
        """Query names, body, the fields of one object that is read, and the statuses of success."""
        found: Json = {}
        parameters = [self.behind(one) for one in (*shared, *source.get("parameters", ()))]
        query = {one["name"]: self.shape(one.get("schema", {})) for one in parameters if one["in"] == "query"}
        if query:
            found["query"] = dict(sorted(query.items()))
        if "requestBody" in source:
            content = self.behind(source["requestBody"])["content"]
            found["body"] = self.shape(next(iter(content.values()))["schema"])
        answer = self.behind(source["responses"].get("200", {})).get("content", {})
        row: Json = {}
        for one in answer.values() if item_of else ():
            row["fields"] = Extractor(self.document).fields_of(one.get("schema", {}))
        if row.get("fields"):
            found["answers"] = sorted(row["fields"])
        found["success"] = sorted(int(code) for code in source["responses"] if code.startswith("2"))
        return found


def plain(path: str) -> str:
    """A path with its parameters unnamed."""
    return re.sub(r"\{[^/]*\}", "{}", path)


def wanted(system: str) -> set[tuple[str, str]]:
    """The operations that vastplan uses on a system."""
    of_kinds = {pair for kind in kinds() if kind.system == system for pair in operations(kind)}
    return of_kinds | {(method, plain(path)) for method, path in BESIDES[system]}


def not_yet(system: str, found: Json) -> set[tuple[str, str]]:
    """The operations that came with a version, where a document has none of them."""
    later = [set(operations(kind)) for kind in kinds() if kind.system == system and kind.versions]
    later.append({(method, path) for method, path in BESIDES[system] if path in LATER})
    return {
        pair for pairs in later if not any(method in found.get(path, {}) for method, path in pairs) for pair in pairs
    }


def extracted(document: Json, system: str) -> tuple[Json, Json]:
    """The operations of one OpenAPI document that vastplan uses, and the types that they name."""
    extractor, uses = Extractor(document), wanted(system)
    found: Json = {}
    for path, methods in document["paths"].items():
        path = path if system == "vast" else path.rstrip("/")  # Kubernetes documents /version/ and answers both
        for method, source in methods.items():
            if (method.upper(), plain(path)) in uses:
                read = method == "get" and path.rstrip("/").endswith("}") and system != "kubernetes"
                one = extractor.operation(source, methods.get("parameters", []), item_of=read)
                if system == "kubernetes" and method == "patch":
                    kind = source["x-kubernetes-group-version-kind"]["kind"]
                    one["body"] = {"type": next(name for name in extractor.types if name.endswith("." + kind))}
                found.setdefault(plain(path), {})[method.upper()] = one
    return found, extractor.types


def of_definition(definition: Json) -> tuple[Json, Json]:
    """The same for a CustomResourceDefinition: the API server serves all of them alike."""
    spec = definition["spec"]
    version = next(one for one in spec["versions"] if one["storage"])
    name, extractor = spec["names"]["kind"], Extractor({})
    fields = extractor.members(version["schema"]["openAPIV3Schema"])
    meta = "apimachinery.pkg.apis.meta.v1."
    fields["metadata"] = {"type": meta + "ObjectMeta"}
    root, plural = f"/apis/{spec['group']}/{version['name']}", spec["names"]["plural"]
    path = f"{root}/namespaces/{{}}/{plural}" if spec["scope"] == "Namespaced" else f"{root}/{plural}"
    body, strict = {"type": name}, {"fieldManager": "string", "fieldValidation": "string"}
    listed = {"query": {"continue": "string", "limit": "integer"}, "success": [200]}
    one = {
        "GET": {"success": [200]},
        "PATCH": {"body": body, "query": strict, "success": [200, 201]},
        "DELETE": {"body": {"type": meta + "DeleteOptions"}, "success": [200, 202]},
    }
    made = {"GET": listed, "POST": {"body": body, "query": strict, "success": [200, 201, 202]}}
    return {f"{root}/{plural}": {"GET": listed}, path: made, path + "/{}": one}, {name: fields}


def updates(document: Json) -> Json:
    """The names of what each PATCH takes, of the operations that vastplan uses: all that is kept of an older version."""
    extractor, uses = Extractor(document), wanted("vast")
    found: Json = {}
    for path, methods in document["paths"].items():
        content = methods.get("patch", {}).get("requestBody", {}).get("content", {})
        if content and ("PATCH", plain(path)) in uses:
            found[plain(path)] = sorted(extractor.fields_of(next(iter(content.values()))["schema"]))
    return found


def main(system: str, *files: str) -> None:
    """Print the facts of some documents."""
    if system == "updates":
        yaml.safe_dump(updates(json.loads(Path(files[0]).read_bytes())), sys.stdout, width=118)
        return
    whole: Json = {"sources": [], "operations": {}, "types": {}}
    for file in map(Path, files):
        raw = file.read_bytes()
        document = yaml.safe_load(raw) if file.suffix == ".yaml" else json.loads(raw)
        found, types = of_definition(document) if "spec" in document else extracted(document, system)
        title = document["info"]["title"] if "info" in document else document["metadata"]["name"]
        whole["sources"].append({"title": title, "sha256": hashlib.sha256(raw).hexdigest()})
        whole["operations"] |= found
        whole["types"] |= types
    counts = {("GET", plain(path)) for path in counted(system)}  # an older version need not count what it has
    asked = wanted(system) - counts - not_yet(system, whole["operations"])
    missing = sorted(pair for pair in asked if pair[0] not in whole["operations"].get(pair[1], {}))
    if missing:
        sys.exit(f"no document has {missing}")
    yaml.SafeDumper.ignore_aliases = lambda *_: True  # type: ignore[method-assign]
    yaml.safe_dump(whole, sys.stdout, width=118, default_flow_style=None)


if __name__ == "__main__":
    main(*sys.argv[1:])
