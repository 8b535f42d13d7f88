"""The patch formats: JSON merge patch, JSON patch, strategic merge patch."""

from __future__ import annotations

import json
from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.kubernetes.fields import resolve
from vastplan.sim.kubernetes.status import StatusError, bad_request
from vastplan.sim.tables import Table

_DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def _unprocessable() -> StatusError:
    return StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {})


def json_patch(document: Any, operations: Any) -> Any:
    """RFC 6902; raises `StatusError` if an operation does not apply."""
    if not isinstance(operations, list) or not all(isinstance(operation, dict) for operation in operations):
        kind = "object" if isinstance(operations, dict) else type(operations).__name__
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {kind} into Go value of type []handlers.jsonPatchOp"
        )
    holder = {"": json_copy(document)}
    for operation in operations:
        try:
            _operate(holder, operation)
        except (AttributeError, KeyError, IndexError, ValueError, TypeError):
            raise _unprocessable() from None
    return holder[""]


def _pointer(path: str) -> list[str]:
    if path and not path.startswith("/"):
        raise ValueError(path)
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")]


def _find(node: Any, parts: list[str]) -> Any:
    for part in parts:
        node = node[int(part)] if isinstance(node, list) else node[part]
    return node


def _value(parent: Any, last: str) -> Any:
    """The value an operation reads: a missing key of an object reads as null, as on the server."""
    return parent[int(last)] if isinstance(parent, list) else parent.get(last)


def _operate(holder: dict[str, Any], operation: dict[str, Any]) -> None:
    verb, parts = operation["op"], _pointer(operation["path"])
    parent, last = _find(holder, parts[:-1]), parts[-1]
    if not isinstance(parent, dict | list):
        raise TypeError(operation["path"])
    key: Any = int(last) if isinstance(parent, list) and last != "-" else last
    if verb == "test":
        if _value(parent, last) != operation["value"]:
            raise ValueError(operation["path"])
    elif verb == "remove":
        del parent[key]
    elif verb == "replace":
        _value(parent, last)  # in a list, the replaced item must exist
        parent[key] = operation["value"]
    elif verb in ("add", "copy", "move"):
        value = operation["value"] if verb == "add" else json_copy(_source(holder, operation["from"]))
        if verb == "move":
            _operate(holder, {"op": "remove", "path": operation["from"]})
        if isinstance(parent, list):
            index = len(parent) if last == "-" else int(last)
            if not 0 <= index <= len(parent):
                raise IndexError(last)
            parent.insert(index, value)
        else:
            parent[last] = value
    else:
        raise ValueError(verb)


def _source(holder: dict[str, Any], path: str) -> Any:
    parts = _pointer(path)
    return _value(_find(holder, parts[:-1]), parts[-1])


def strategic(table: Table, schema: dict[str, Any], target: Any, patch: Any) -> Any:
    """Strategic merge patch by the merge keys of the field table; raises `StatusError` on a type that cannot be merged."""
    if not isinstance(patch, dict):
        raise bad_request(
            "error decoding patch: json: cannot unmarshal the patch into Go value of type map[string]interface {}"
        )
    return _merge_map(table, schema, target if isinstance(target, dict) else {}, patch, patch)


def _merge_map(table: Table, schema: dict[str, Any], target: dict[str, Any], patch: dict[str, Any], whole: Any) -> Any:
    schema = resolve(table, schema)
    if patch.get("$patch") == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    merged = dict(target)
    if "$retainKeys" in patch:
        merged = {key: value for key, value in merged.items() if key in patch["$retainKeys"]}
    extra = schema.get("additionalProperties")
    for key, value in patch.items():
        if key.startswith("$deleteFromPrimitiveList/"):
            name = key.partition("/")[2]
            merged[name] = [item for item in merged.get(name, []) if item not in value]
        if key.startswith(_DIRECTIVES):
            continue
        inner = schema.get("properties", {}).get(key, extra if isinstance(extra, dict) else {})
        kind = resolve(table, inner)
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            if value.get("$patch") == "delete":
                merged.pop(key, None)
            else:
                old = merged.get(key)
                merged[key] = _merge_map(table, inner, old if isinstance(old, dict) else {}, value, whole)
        elif isinstance(value, list) and kind.get("type") == "array":
            merged[key] = _merge_list(table, kind, merged.get(key) or [], value, whole)
        elif kind.get("type") == "object":
            words: dict[type, str] = {bool: "bool", int: "int64", str: "string", list: "slice"}
            go_type = words.get(type(value), "float64")
            why = f"cannot restore map from {go_type}"
            raise invalid_patch(go_map(whole), why)
        else:
            merged[key] = value
    return merged


def _merge_list(table: Table, schema: dict[str, Any], target: list[Any], patch: list[Any], whole: Any) -> list[Any]:
    if "merge" not in schema.get("x-kubernetes-patch-strategy", ""):
        return patch
    key = schema.get("x-kubernetes-patch-merge-key")
    if not key:
        return patch + [item for item in target if item not in patch]
    if any(isinstance(item, dict) and item.get("$patch") == "replace" for item in patch):
        return [item for item in patch if item.get("$patch") != "replace"]
    merged = list(target)
    for item in patch:
        if not isinstance(item, dict) or key not in item:
            raise bad_request(f"map: {go_map(item)} does not contain declared merge key: {key}")
        index = next((index for index, old in enumerate(merged) if old.get(key) == item[key]), None)
        if item.get("$patch") == "delete":
            if index is not None:
                del merged[index]
        elif index is None:
            merged.append({name: value for name, value in item.items() if not name.startswith(_DIRECTIVES)})
        else:
            merged[index] = _merge_map(table, schema["items"], merged[index], item, whole)
    return merged


def go_map(value: Any) -> str:
    """A value as Go prints a map."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{go_map(item)}" for key, item in sorted(value.items())) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(go_map, value)) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def invalid_patch(quoted: str, why: str) -> StatusError:
    """422: the patched object cannot be decoded; `quoted` is the patch or the object, as the server quotes it."""
    message = f"Invalid value: {json.dumps(quoted, ensure_ascii=False)}: {why}"
    causes = [{"reason": "FieldValueInvalid", "message": message, "field": "patch"}]
    return StatusError(422, "Invalid", f' "" is invalid: patch: {message}', {"causes": causes})
