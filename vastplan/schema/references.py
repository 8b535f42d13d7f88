"""The references in an object's values, found by its field table: symbolic ones of the document, raw ones of a system."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vastplan.model.value import Ref, references
from vastplan.schema.kind import Field, Kind, Shape, Values
from vastplan.schema.markers import Marker, Refers


def map_references(fields: tuple[Field, ...], values: Values, change: Callable[[Refers, Any], Any]) -> Values:
    """`values` with every reference replaced by `change(refers, value)`."""
    found: Values = dict(values)
    for field in fields:
        if not field.has_references or (value := values.get(field.name)) is None:
            continue
        if field.refers is not None:
            if isinstance(value, list):
                mapped = [change(field.refers, item) for item in value]
                found[field.name] = sorted(mapped, key=str) if field.shape is Shape.SET else mapped
            else:
                found[field.name] = change(field.refers, value)
        elif field.shape is Shape.LIST_MAP and isinstance(value, dict):
            found[field.name] = {
                key: map_references(field.fields, item, change) if item is not None else None
                for key, item in value.items()
            }
        elif field.fields and isinstance(value, dict):
            found[field.name] = map_references(field.fields, value, change)
        elif field.fields and isinstance(value, list):
            found[field.name] = [
                map_references(field.fields, item, change) if isinstance(item, dict) else item for item in value
            ]
    return found


def fields_with_references(fields: tuple[Field, ...], values: Mapping[str, object]) -> Iterator[tuple[Field, Ref]]:
    """Every reference in symbolic values with its field."""
    for field in fields:
        if not field.has_references or (value := values.get(field.name)) is None:
            continue
        if field.refers is not None:
            for ref in references(value):
                yield field, ref
        elif isinstance(value, dict):
            for part in value.values() if field.shape is Shape.LIST_MAP else [value]:
                if isinstance(part, dict):
                    yield from fields_with_references(field.fields, part)
        elif isinstance(value, list):
            for part in value:
                yield from fields_with_references(field.fields, part)


def raw_references(fields: tuple[Field, ...], values: dict[str, object]) -> list[tuple[Field, Refers, object]]:
    """Every raw reference in live values, with the top-level field it is in."""
    found: list[tuple[Field, Refers, object]] = []
    for field in fields:
        if field.name not in values:
            continue

        def note(refers: Refers, raw: object, field: Field = field) -> object:
            found.append((field, refers, raw))
            return raw

        map_references((field,), values, note)
    return found


def targets_of(fields: tuple[Field, ...]) -> set[str]:
    """The kinds that a live object with these fields can refer to."""
    found: set[str] = set()
    for field in fields:
        if not field.has(Marker.DOCUMENT):
            found |= {kind for kind, _ in field.refers.targets} if field.refers else set()
            found |= targets_of(field.fields)
    return found


def reaching(kinds: Mapping[str, Kind], kind: Kind) -> list[str]:
    """The kinds whose objects can refer to those of a kind, directly or through others; in the order of their names."""
    refers = {name: targets_of(one.fields) for name, one in kinds.items()}
    found: set[str] = set()
    queue = [kind.name]
    while queue:
        target = queue.pop()
        new = {name for name, targets in refers.items() if target in targets} - found
        found |= new
        queue += new
    return sorted(found)
