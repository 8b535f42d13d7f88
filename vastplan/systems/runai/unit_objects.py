"""Run:AI objects without a path of their own: the path is the type's, and the query names their unit. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.schema.endpoint import PerUnit
from vastplan.schema.kind import Kind, Row

_UNITS = {"project": "projectId", "department": "departmentId", "cluster": "clusterId"}
_WRITABLE_META = frozenset({"scope", "name", *_UNITS.values()})  # the fields of `meta` that a PUT accepts
_NOTE = "sourceOfRule"  # which unit a rule comes from: only answers have it, and nobody wrote it


def unit_locator(row: Row) -> str:
    """`TYPE/SCOPE/UNIT`."""
    meta = row["meta"]
    return f"{row['type']}/{meta['scope']}/{meta.get(_UNITS.get(meta['scope'], ''))}"


def unit_path(kind: Kind, place: str) -> tuple[str, dict[str, str]]:
    """The path and the query for a locator."""
    shape = kind.endpoint.shape
    assert isinstance(shape, PerUnit)
    type_, scope, unit = place.split("/", 2)
    return f"{kind.endpoint.path}/{shape.paths[type_]}", {"scope": scope, _UNITS[scope]: unit}


def is_one(kind: Kind, row: Row) -> bool:
    """Whether a row of the list has a type and a unit of the kind."""
    shape = kind.endpoint.shape
    assert isinstance(shape, PerUnit)
    return row.get("type") in shape.paths and (row.get("meta") or {}).get("scope") in _UNITS


def unit_row(kind: Kind, place: str, body: Row) -> Row:
    """The row of an answer; `beside` is the number of rules in it that no field of the kind covers."""
    covered = {field.wire for field in kind.fields}
    others = [
        path for path in _leaves(body.get("policy"), ("policy",)) if not any(path[: len(w)] == w for w in covered)
    ]
    return {**body, "type": place.partition("/")[0], "beside": len(others)}


def unit_body(body: Row, fresh: Mapping[str, Any], cluster: str) -> Row:
    """The body of a PUT: the policy, with what was read of its options, and the unit that it belongs to."""
    meta = {**(fresh.get("meta") or {}), **(body.get("meta") or {})}
    if meta.get("scope") == "cluster":
        meta["clusterId"] = cluster
    policy = {name: value for name, value in (body.get("policy") or {}).items() if name != "status"}
    identity = {name: value for name, value in meta.items() if name in _WRITABLE_META and value is not None}
    return {"meta": identity, "policy": _kept(policy, fresh.get("policy"))}


def _kept(value: Any, before: Any) -> Any:
    """A value without notes; an option that existed before keeps everything that was read of it."""
    if isinstance(value, Mapping):
        fields_before = before if isinstance(before, Mapping) else {}
        return {name: _kept(inner, fields_before.get(name)) for name, inner in value.items() if name != _NOTE}
    if isinstance(value, list):
        was = {option.get("value"): option for option in before or () if isinstance(option, Mapping)}
        return [
            was.get(option.get("value"), option) if isinstance(option, Mapping) and "value" in option else option
            for option in value
        ]
    return value


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in (_NOTE, "status"):
                yield from _leaves(inner, (*path, name))
    elif value not in (None, [], ""):
        yield path
