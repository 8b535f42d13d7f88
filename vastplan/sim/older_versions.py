"""An older version of a vendor's document, as a difference: for versions whose own document is not public.

A difference lists, by the start of a path: `paths` that do not exist, `fields` that bodies and answers lack at their top,
`deep` fields that they lack at any depth, and `query` names. By operation (`POST /vippools/`) it gives the `required`
fields that replace the newer ones, and the values that a field accepted (`choices`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.sim.json_copy import json_copy

Content = dict[str, Any]


def older(base: Content, difference: Content) -> Content:
    """The content of the older table; raises `KeyError` if the difference names something that the newer one lacks."""
    content: Content = json_copy(base)
    for start in difference.get("paths", []):
        _drop(content["paths"], start)
    for deep, places in ((False, difference.get("fields", {})), (True, difference.get("deep", {}))):
        for start, names in places.items():
            for name in names:
                having = [
                    schema
                    for top in _bodies(content, start)
                    for schema in _objects(content, top, deep, set())
                    if name in schema["properties"]
                ]
                if not having:
                    raise KeyError(f"nothing at {start} has the field {name}")
                for schema in having:
                    schema["properties"].pop(name, None)
                    schema["required"] = [field for field in schema.get("required", []) if field != name]
    for start, names in difference.get("query", {}).items():
        for name in names:
            for operation in _operations(content, start):
                operation["query"].pop(name, None)
    for place, names in difference.get("required", {}).items():
        _body(content, place)["required"] = sorted(names)
    for place, fields in difference.get("choices", {}).items():
        for name, values in fields.items():
            _body(content, place)["properties"][name]["enum"] = values
    content["source"] = difference["source"]
    return content


def _drop(paths: Content, start: str) -> None:
    gone = [path for path in paths if path.startswith(start)]
    if not gone:
        raise KeyError(f"no path starts with {start}")
    for path in gone:
        del paths[path]


def _operations(content: Content, start: str) -> Iterator[Content]:
    for path, operations in content["paths"].items():
        if path.startswith(start):
            yield from operations.values()


def _bodies(content: Content, start: str) -> Iterator[Content]:
    for operation in _operations(content, start):
        for schema in (operation.get("body"), *operation["responses"].values()):
            if isinstance(schema, dict):
                yield schema


def _objects(content: Content, schema: Any, deep: bool, seen: set[str]) -> Iterator[Content]:
    """The object schemas at the top, through references, lists and the envelope of a page; with `deep` all below too."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name not in seen:
            seen.add(name)
            yield from _objects(content, content["schemas"][name], deep, seen)
        return
    properties = schema.get("properties", {})
    if properties:
        yield schema
    inner = list(properties.values()) if deep else [properties[part] for part in ("results",) if part in properties]
    inner += [schema.get("items"), *schema.get("oneOf", []), *schema.get("anyOf", []), *schema.get("allOf", [])]
    for part in inner:
        yield from _objects(content, part, deep, seen)


def _body(content: Content, place: str) -> Content:
    method, _, path = place.partition(" ")
    body: Content = content["paths"][path][method]["body"]
    while "$ref" in body:
        body = content["schemas"][body["$ref"].rsplit("/", 1)[1]]
    return body
