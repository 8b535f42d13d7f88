"""Copies of JSON values: `copy.deepcopy` supports classes and cycles, which JSON lacks, and takes five times as long."""

from __future__ import annotations

from typing import Any, TypeVar, cast

Value = TypeVar("Value")


def json_copy(value: Value) -> Value:
    """A copy that shares no dictionary and no list with `value`."""
    return cast(Value, _copied(value))


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) if isinstance(item, dict | list) else item for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) if isinstance(item, dict | list) else item for item in value]
    return value
