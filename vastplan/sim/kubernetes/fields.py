"""Sets of fields, in which `metadata.managedFields` records who wrote what.

A path is a tuple of `f:name`, `k:{"name":"x"}` (a list's item by its keys) and `v:"x"` (a member of a set); a final `.`
means that the container itself was created.
"""

from __future__ import annotations

import json
from typing import Any

from vastplan.sim.kubernetes.resources import Resource
from vastplan.sim.tables import Table

Path = tuple[str, ...]
Schema = dict[str, Any]
_UNOWNED = {
    ("f:apiVersion",), ("f:kind",), *(("f:metadata", f"f:{name}") for name in (
        "name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink",
        "deletionTimestamp", "deletionGracePeriodSeconds",
    )),
}  # fmt: skip
_STRUCTS = ("f:spec", "f:status", "f:metadata", "f:resources")  # Go values: they always exist, and nobody owns them


def resolve(table: Table, schema: Schema) -> Schema:
    """The schema behind references."""
    while "$ref" in schema:
        schema = table.content["schemas"][schema["$ref"].removeprefix("#/schemas/")]
    return schema


def item_key(schema: Schema, item: Any) -> str | None:
    """The path element of a list's item, `None` for an atomic list."""
    kind = schema.get("x-kubernetes-list-type")
    if kind == "set":
        return "v:" + json.dumps(item)
    if kind == "map" and isinstance(item, dict):
        keys = {key: item.get(key) for key in sorted(schema["x-kubernetes-list-map-keys"]) if key in item}
        return "k:" + json.dumps(keys, separators=(",", ":"))
    return None


class Leaves:
    """Finds the owned paths of an object and their values."""

    def __init__(self, table: Table, resource: Resource) -> None:
        self._table = table
        self._root = resource.schema(table)
        self._custom = resource.custom

    def of(self, body: dict[str, Any], containers: bool = True) -> dict[Path, Any]:
        """Path to value; `containers` adds the paths of the maps and lists that had to be created."""
        leaves: dict[Path, Any] = {}
        self._walk(self._root, body, (), containers, leaves)
        return {path: value for path, value in leaves.items() if path not in _UNOWNED and path[:2] not in _UNOWNED}

    def _walk(self, schema: Schema, value: Any, path: Path, containers: bool, leaves: dict[Path, Any]) -> None:
        schema = resolve(self._table, schema)
        atomic = schema.get("x-kubernetes-map-type") == "atomic" or schema.get("x-kubernetes-list-type") == "atomic"
        if isinstance(value, dict) and value and not atomic:
            struct = len(path) == 1 and (path[0] == "f:metadata" or not self._custom) and path[-1] in _STRUCTS
            if containers and path and not struct and path[-1] != "f:resources":
                leaves[*path, "."] = True
            fields = schema.get("properties", {})
            extra = schema.get("additionalProperties")
            for key, item in value.items():
                inner = fields.get(key, extra if isinstance(extra, dict) else {})
                self._walk(inner, item, (*path, f"f:{key}"), containers, leaves)
            return
        if isinstance(value, list) and not atomic and schema.get("x-kubernetes-list-type") in ("map", "set"):
            if containers:
                leaves[*path, "."] = True
            for item in value:
                element = str(item_key(schema, item))
                if element.startswith("v:"):
                    leaves[*path, element] = item
                else:
                    self._walk(schema["items"], item, (*path, element), containers, leaves)
                    leaves[*path, element, "."] = True
            return
        if path:
            leaves[path] = value


def encode(paths: set[Path]) -> dict[str, Any]:
    """The `fieldsV1` of a set of paths."""
    root: dict[str, Any] = {}
    for path in sorted(paths):
        node = root
        for element in path:
            node = node.setdefault(element, {})
    return root


def decode_paths(fields: dict[str, Any], prefix: Path = ()) -> set[Path]:
    """The paths of a `fieldsV1`."""
    paths: set[Path] = set()
    for element, inner in fields.items():
        paths |= decode_paths(inner, (*prefix, element)) if inner else {(*prefix, element)}
    return paths


def field_path_text(path: Path) -> str:
    """A path as conflict messages write it: `.spec.containers[name="x"].image`."""
    text = ""
    for element in path:
        if element.startswith("f:"):
            text += "." + element[2:]
        elif element.startswith("k:"):
            text += "[" + ",".join(f"{key}={json.dumps(value)}" for key, value in json.loads(element[2:]).items()) + "]"
        elif element.startswith("v:"):
            text += f"[={element[2:]}]"
    return text
