"""Checks request bodies against the vendor's table, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

import jsonschema

from vastplan.sim.store import Row
from vastplan.sim.tables import Table, TableOperation
from vastplan.sim.vast.errors import FIXED, NOT_NULL, REQUIRED, Problem, raise_for
from vastplan.sim.vast.records import ApiCollection
from vastplan.sim.wire import NotJson, Request

_EXPECTED = {
    "integer": "A valid integer is required.",
    "number": "A valid number is required.",
    "string": "Not a valid string.",
    "boolean": "Must be a valid boolean.",
}
NO_FACTS = ApiCollection("")
_TRUTH: dict[Any, bool] = {
    "true": True,
    "True": True,
    "1": True,
    "false": False,
    "False": False,
    "0": False,
    1: True,
    0: False,
}


def read_body(request: Request) -> Row:
    """The body as an object; raises `VmsError` (400)."""
    try:
        body = request.json()
    except NotJson as error:
        raise_for([("detail", f"JSON parse error - {error}")])
    if not isinstance(body, dict):
        raise_for([("", f"Invalid data. Expected a dictionary, but got {type(body).__name__}.")])
    return body  # type: ignore[no-any-return]


def accepted_body(
    body: Row, operation: TableOperation, facts: ApiCollection = NO_FACTS, fixed: frozenset[str] = frozenset()
) -> Row:
    """The body, if the table and the collection's facts allow it; raises `VmsError` (400).

    `fixed` are fields that exist, but not in this operation.
    """
    raise_for(_problems(operation, body, facts, fixed))
    return body


def received(table: Table, operation: TableOperation, body: Row, facts: ApiCollection, fixed: frozenset[str]) -> Row:
    """The body as stock Django REST Framework reads it: unknown fields are left out at any depth, and text that stands for a
    number or a truth value is converted. `facts.unsendable` is left out too; `fixed` stays, to be refused."""
    wanted = {name: value for name, value in body.items() if name not in facts.unsendable}
    converted: Row = _received(table, operation.body or {}, wanted)
    taken = {name: value for name, value in body.items() if name in converted or name in fixed}
    return {name: value if _either(facts, name, value) else converted.get(name, value) for name, value in taken.items()}


def _either(facts: ApiCollection, name: Any, value: Any) -> bool:
    return name in facts.either and isinstance(value, facts.either[name])


def _received(table: Table, schema: Row, value: Any) -> Any:
    schema = table.behind(schema)
    if isinstance(value, list):
        return [_received(table, schema.get("items", {}), part) for part in value]
    if isinstance(value, dict):
        fields, others = table.fields(schema), schema.get("additionalProperties")
        if others is False:
            return {name: _received(table, fields[name], part) for name, part in value.items() if name in fields}
        return value
    return _coerced(schema.get("type"), value)


def _coerced(kind: Any, value: Any) -> Any:
    if kind == "integer" and isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    if kind == "boolean" and value in _TRUTH:
        return _TRUTH[value]
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _problems(operation: TableOperation, body: Row, facts: ApiCollection, fixed: frozenset[str]) -> Iterator[Problem]:
    missing = facts.required - body.keys() if operation.method == "POST" else frozenset()
    yield from ((name, REQUIRED) for name in sorted(missing))
    yield from ((name, "This field is set by the server.") for name in sorted(facts.unsendable & body.keys()))
    for name, allowed in facts.choices.items():
        if isinstance(body.get(name), str) and body[name] not in allowed:
            yield name, f'"{body[name]}" is not a valid choice.'
    needless = facts.optional if operation.method == "POST" else facts.optional_in_patch
    spared = body.keys() | needless  # null is judged as a value
    for error in operation.problems(_without_nulls(body, facts.nullable)):
        if error.validator == "type" and len(error.path) == 1 and _either(facts, error.path[0], error.instance):
            continue
        if error.validator == "required" and not error.path and _missing(error) <= spared:
            continue
        yield from _translated(error, fixed)


def _missing(error: jsonschema.ValidationError) -> set[str]:
    # One error names one missing property, in its message only; the instance shows which ones are missing.
    wanted: list[str] = cast("list[str]", error.validator_value)
    return {name for name in wanted if name not in cast(Row, error.instance) and repr(name) in error.message}


def _without_nulls(value: Any, nullable: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_without_nulls(part, nullable) for part in value]
    if isinstance(value, dict):
        return {
            name: _without_nulls(part, nullable)
            for name, part in value.items()
            if not (part is None and name in nullable)
        }  # fmt: skip
    return value


def _translated(error: jsonschema.ValidationError, fixed: frozenset[str]) -> Iterator[Problem]:
    top, *inner_path = [str(part) for part in error.path] or [""]
    inner = ".".join(inner_path)

    def at(name: str, message: str) -> Problem:
        if not top:
            return name, message
        return top, f"{'.'.join(part for part in (inner, name) if part)}: {message}" if inner or name else message

    if error.validator == "additionalProperties":
        for name in sorted(set(cast(Row, error.instance)) - set(cast(Row, error.schema)["properties"])):
            yield at(name, FIXED if not top and name in fixed else "Unknown field.")
    elif error.validator == "required":
        for name in sorted(_missing(error)):
            yield at(name, REQUIRED)
    elif error.instance is None:
        yield at("", NOT_NULL)
    elif error.validator == "type":
        yield at("", _type_message(error))
    elif error.validator == "enum":
        yield at("", f'"{error.instance}" is not a valid choice.')
    elif error.validator == "minimum":
        yield at("", f"Ensure this value is greater than or equal to {error.validator_value}.")
    elif error.validator == "maximum":
        yield at("", f"Ensure this value is less than or equal to {error.validator_value}.")
    else:
        yield at("", error.message)


def _type_message(error: jsonschema.ValidationError) -> str:
    kinds: str | list[str] = cast("str | list[str]", error.validator_value)
    wanted = kinds if isinstance(kinds, str) else kinds[0]
    got = type(error.instance).__name__
    if wanted == "array":
        return f'Expected a list of items but got type "{got}".'
    if wanted == "object":
        return f"Invalid data. Expected a dictionary, but got {got}."
    return _EXPECTED.get(wanted, error.message)


def blank(schema: Row) -> Any:
    """What a field holds before it is first set: false, an empty list, else null."""
    kind = schema.get("type")
    return False if kind == "boolean" else [] if kind == "array" else None


def completed(table: Table, schema: Row, value: Any) -> Row:
    """A struct with every key of its schema: the given value, else the table's default, else null."""
    sent = value if isinstance(value, dict) else {}
    struct: Row = {}
    for name, part in table.fields(schema).items():
        if table.fields(part):
            struct[name] = completed(table, part, sent.get(name))
        else:
            struct[name] = sent[name] if sent.get(name) is not None else part.get("default")
    return struct
