"""Paths into rows: an API's objects are nested, and a path is the place of a value in one."""

from __future__ import annotations

from typing import Any

Path = tuple[str, ...]
ABSENT: Any = object()
"""The value at a path that does not exist; equal to nothing else, not even `None`."""


def dig(row: Any, path: Path) -> Any:
    """The value at a path, or `ABSENT`; see `at` for `None` instead."""
    for step in path:
        if not isinstance(row, dict) or step not in row:
            return ABSENT
        row = row[step]
    return row


def at(row: Any, path: Path) -> Any:
    """The value at a path, or `None`."""
    for step in path:
        if not isinstance(row, dict):
            return None
        row = row.get(step)
    return row


def put(body: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value at a path, and create the objects on the way; the empty path merges a mapping into `body`."""
    if not path:
        body.update(value)
        return
    for step in path[:-1]:
        body = body.setdefault(step, {})
    if isinstance(value, dict) and isinstance(body.get(path[-1]), dict):
        body[path[-1]].update(value)  # two fields of the document may share one object on the wire
    else:
        body[path[-1]] = dict(value) if isinstance(value, dict) else value


def prune_nulls(value: Any) -> Any:
    """A decoded value without the nulls in its structs: a system does not always accept a null that it returned."""
    if isinstance(value, dict):
        return {key: prune_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [prune_nulls(item) for item in value]
    return value


def deep_overlay(below: Any, above: Any) -> Any:
    """`above` over `below`: objects merge, everything else is replaced."""
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{name: deep_overlay(below.get(name), value) for name, value in above.items()}}
    return above
