"""Query parameters and lists: typed values, `filterBy`, `sortBy`, `search` and pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.shape import check_value, resolve_schema
from vastplan.sim.store import Row
from vastplan.sim.tables import Table, TableOperation

TERM = re.compile(r"([A-Za-z0-9]+)(==|!=|<=|>=|=@|!@|=\^|=\$)(.+)")
PAGE = 50
Fields = Mapping[str, Callable[[Row], Any]]


def parse_query(table: Table, operation: TableOperation, raw: Mapping[str, list[str]]) -> dict[str, Any]:
    """The typed query of an operation; refuses (400) unknown, missing, repeated and malformed parameters."""
    for name in operation.query.keys() - raw.keys():
        if operation.query[name].get("required") is True:
            raise RunaiError(400, f"query parameter {name} is missing")
    typed: dict[str, Any] = {}
    for name, values in raw.items():
        if name not in operation.query:
            raise RunaiError(400, f"there is no query parameter {name}")
        kind = resolve_schema(table, operation.query[name], "").get("type")
        if kind == "array":
            typed[name] = [part for value in values for part in value.split(",")]
        elif len(values) > 1:
            raise RunaiError(400, f"query parameter {name} is repeated")
        else:
            typed[name] = _typed(kind, values[0], name)
        check_value(table, operation, typed[name], name)
    if typed.get("offset", 0) < 0:
        raise RunaiError(400, "offset is negative")
    return typed


def _typed(kind: str | None, value: str, name: str) -> Any:
    if kind == "integer":
        if not re.fullmatch(r"[+-]?[0-9]+", value):
            raise RunaiError(400, f"{name}: {value!r} is not an integer")
        return int(value)
    if kind == "boolean":
        if value not in ("true", "false"):
            raise RunaiError(400, f"{name}: {value!r} is not a boolean")
        return value == "true"
    return value


def select_rows(rows: Iterable[Row], query: Mapping[str, Any], fields: Fields) -> list[Row]:
    """The rows that match `filterBy` and `search`, in the order of `sortBy` (default: oldest first)."""
    selected = list(rows)
    for term in query.get("filterBy", ()):
        match = TERM.fullmatch(term)
        if match is None:
            raise RunaiError(400, f"filterBy: {term!r}")
        name, operator, wanted = match.groups()
        if name.endswith("At"):
            _check_time(name, operator, wanted)
        selected = [row for row in selected if _holds(name, _field(fields, name, row), operator, wanted)]
    if query.get("search"):
        selected = [row for row in selected if query["search"].lower() in str(_field(fields, "name", row)).lower()]
    if "sortBy" in query:
        name = query["sortBy"]
        selected.sort(
            key=lambda row: ((value := _field(fields, name, row)) is not None, value),
            reverse=query.get("sortOrder") == "desc",
        )
    return selected


def _field(fields: Fields, name: str, row: Row) -> Any:
    # Analytics fields that the document allows as filters, but that are not simulated, are zero.
    return fields[name](row) if name in fields else row.get(name, 0 if name.startswith("avg") else None)


def _holds(name: str, value: Any, operator: str, wanted: str) -> bool:
    left, right = _comparable(name, value, operator, wanted)
    text = "" if value is None else str(value)
    match operator:
        case "==":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<=" | ">=":
            return left is not None and bool(left <= right if operator == "<=" else left >= right)
        case "=@":
            return wanted in text
        case "!@":
            return wanted not in text
        case "=^":
            return text.startswith(wanted)
        case _:
            return text.endswith(wanted)


def _comparable(name: str, value: Any, operator: str, wanted: str) -> tuple[Any, Any]:
    try:
        if name.endswith("At"):
            return (None if value is None else _time(value)), _time(wanted)
        if isinstance(value, bool):
            return str(value).lower(), wanted
        if isinstance(value, (int, float)):
            return (value, float(wanted)) if operator in ("==", "!=", "<=", ">=") else (value, wanted)
    except ValueError as error:
        raise RunaiError(400, f"filterBy: {name} cannot be compared with {wanted!r}") from error
    return value, wanted


def _check_time(name: str, operator: str, wanted: str) -> None:
    # Check before looking at any row: a malformed term is refused even if there are no rows.
    if operator not in ("==", "!=", "<=", ">="):
        raise RunaiError(400, f"filterBy: {operator} is not for {name}")
    try:
        _time(wanted)
    except ValueError as error:
        raise RunaiError(400, f"filterBy: {name} cannot be compared with {wanted!r}") from error


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def page_rows(rows: list[Row], query: Mapping[str, Any]) -> tuple[list[Row], dict[str, int]]:
    """The rows of one page, and `{next: offset}` if more follow."""
    offset = query.get("offset", 0)
    end = offset + query.get("limit", PAGE)
    return rows[offset:end], {"next": end} if end < len(rows) else {}
