"""Bodies against the documented schemas: what a request may hold, and which fields of an answer the version has."""

from __future__ import annotations

import uuid
from datetime import datetime
from functools import lru_cache
from typing import Any

import jsonschema
from jsonschema.protocols import Validator

from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.tables import Table, TableOperation

FORMATS = jsonschema.FormatChecker(formats=())


@FORMATS.checks("uuid", raises=ValueError)
def _uuid(value: object) -> bool:
    return not isinstance(value, str) or str(uuid.UUID(value)) == value.lower()


@FORMATS.checks("int32")
def _int32(value: object) -> bool:
    return not isinstance(value, int) or -(2**31) <= value < 2**31


@FORMATS.checks("date-time", raises=ValueError)
def _date_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def check_body(operation: TableOperation, body: Any) -> None:
    """Refuse (400) a body that the document does not allow."""
    validator = _body_validator(operation)
    if validator is None:
        return
    problems = [problem for problem in validator.iter_errors(body) if not _impossible(problem)]
    problems.sort(key=lambda problem: problem.json_path)
    if problems:
        raise RunaiError(400, "; ".join(f"{problem.json_path}: {_short(problem.message)}" for problem in problems[:3]))


def _short(message: str) -> str:
    # The reason is at the end, after the value.
    return message if len(message) <= 200 else f"{message[:100]}…{message[-100:]}"


def _impossible(problem: jsonschema.ValidationError) -> bool:
    # In two updates the document requires a `spec` that it does not declare; nobody could send it.
    schema = problem.schema
    if problem.validator != "required" or not isinstance(schema, dict) or schema.get("additionalProperties", True):
        return False
    return any(problem.message.startswith(repr(name)) for name in set(schema["required"]) - set(schema["properties"]))


@lru_cache(maxsize=256)
def _body_validator(operation: TableOperation) -> Validator | None:
    return operation.validator and operation.validator.evolve(format_checker=FORMATS)


def check_value(table: Table, operation: TableOperation, value: Any, name: str) -> None:
    """Refuse (400) the value of a query parameter that the document does not allow."""
    for problem in _query_validator(table, operation, name).iter_errors(value):
        raise RunaiError(400, f"{name}: {problem.message[:200]}")


@lru_cache(maxsize=256)
def _query_validator(table: Table, operation: TableOperation, name: str) -> Validator:
    schema = {key: part for key, part in operation.query[name].items() if key != "required"}
    return jsonschema.Draft202012Validator({**schema, "schemas": table.content["schemas"]}, format_checker=FORMATS)


def prune_fields(table: Table, schema: dict[str, Any] | None, value: Any) -> Any:
    """A copy of `value` without fields that `schema` lacks, so that an answer has only its version's fields."""
    schema = resolve_schema(table, schema or {}, value)
    if isinstance(value, list):
        return [prune_fields(table, schema.get("items"), item) for item in value]
    if isinstance(value, dict):
        properties = schema.get("properties")
        if properties is None:
            return dict(value)
        return {
            key: prune_fields(table, properties[key], item)
            for key, item in value.items()
            if key in properties and (item is not None or _nullable(table, properties[key]))
        }
    return value


def resolve_schema(table: Table, schema: dict[str, Any], value: Any) -> dict[str, Any]:
    """A schema with its references followed, and with the alternative that applies to `value`."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = table.content["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        else:
            schema = next((part for part in schema["anyOf"] if (part.get("type") == "null") == (value is None)), {})
    return schema


def _nullable(table: Table, schema: dict[str, Any]) -> bool:
    if any(part.get("type") == "null" for part in schema.get("anyOf", ())):
        return True
    kind = resolve_schema(table, schema, None).get("type")
    return kind is None or kind == "null" or (isinstance(kind, list) and "null" in kind)
