"""For each field of each kind: a value that the vendor's document excludes, by its choices or its bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.documented.facts import Facts, facts
from tests.documented.used import READ_ONLY, collection, kinds
from vastplan.schema.field import Field

NO_CHOICE, NO_MATCH = "NO-SUCH-CHOICE", "\x00 !"


def excluded() -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """The kind, the place in its entry, and the value; only for fields whose value is sent as it is written."""
    for kind in kinds():
        known = facts(kind.system)
        method = next((one for one in ("POST", "PUT") if _body(known, one, collection(kind)) is not None), None)
        if kind.name in READ_ONLY or method is None:
            continue
        for place, field, shape in _leaves(known, kind.fields, _body(known, method, collection(kind)), ()):
            for value in _beyond(shape, field):
                yield kind.name, place, value


def _body(known: Facts, method: str, path: str) -> Any:
    return known.operations.get(path, {}).get(method, {}).get("body")


def _leaves(
    known: Facts, fields: Any, within: Any, above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Field, dict[str, Any]]]:
    for field in fields:
        shape: Any = within
        for step in field.wire:
            inner = known.shape(shape) if shape is not None else {}
            shape = inner.get("fields", {}).get(step)
        if shape is None:
            continue
        shape = known.shape(shape)
        if field.fields and field.shape.name == "struct":
            yield from _leaves(known, field.fields, shape, (*above, field.name))
        elif field.refers is None and field.codec is None and not field.unit:
            yield (*above, field.name), field, shape


def _beyond(shape: dict[str, Any], field: Field) -> Iterator[Any]:
    listed = shape["type"] == "array"
    inner = shape.get("items", {}) if listed else shape
    inner = inner if isinstance(inner, dict) else {}
    values: list[Any] = []
    if "enum" in inner and not field.fields:
        values.append(NO_CHOICE)
    if shape["type"] in ("integer", "number"):
        values += [shape[bound] + step for bound, step in (("min", -1), ("max", 1)) if bound in shape]
    if shape["type"] == "string" and "max_length" in shape:
        values.append("x" * (shape["max_length"] + 1))
    if shape["type"] == "string" and shape.get("pattern"):
        values.append(NO_MATCH)
    yield from ([value] if listed else value for value in values)
