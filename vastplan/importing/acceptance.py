"""Which of a live object's values the model of an entry accepts, and which are dropped one by one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from vastplan.document.scalars import Unwritable, key_text, scalar_text
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.choices import models_at
from vastplan.schema.entries import EntryType
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Marker
from vastplan.schema.problem_words import problem_text
from vastplan.schema.types import CANONICAL
from vastplan.schema.walk import map_references

_LARGE, _LONG = 10**15, 100
"""Numbers up to the first, and plain ASCII keys up to the second in length, can always be written."""


def accepted_values(kind: Kind, address: Address, values: Values) -> tuple[Values, dict[str, str], str]:
    """The values that the model accepts; why others were dropped, by field or key; and why no entry is possible, "" if one is."""
    fell: dict[str, str] = {}
    for name, problem in _unwritable_fields(values).items():
        if is_required(kind, kind.field(name)):
            return values, fell, f"{name}: {problem}"
        fell[name] = problem
        values = {other: value for other, value in values.items() if other != name}
    while (problems := rejected_field(kind, address, values)) is not None:
        field_name, text = problems
        name = field_name or _without_one(kind, address, values)
        culprit = next((field for field in kind.fields if field.name == name), None)
        if culprit is None or is_required(kind, culprit):
            return values, fell, f"{name}: {text}" if name else text
        rest = {other: value for other, value in values.items() if other != name}
        keys = _refused_keys(kind, address, values, culprit, field_name)
        if keys:
            fell |= {f"{name}.{key}": why for key, why in keys.items()}
            kept = {key: value for key, value in values[name].items() if key not in keys}
            values = {**values, name: kept} if kept else rest
            continue
        if values[name] is not None:  # leaving out a null loses nothing
            fell[name] = text
        values = rest
    return values, fell, ""


def _unwritable_fields(values: Values) -> dict[str, str]:
    """The fields with a value that no file can hold, each with the reason."""
    reasons: dict[str, str] = {}
    for name, value in values.items():
        try:
            _write_what_is_odd(value)
        except Unwritable as problem:
            reasons[name] = str(problem)
    return reasons


def _write_what_is_odd(value: Any) -> None:
    """Write the parts of a value that may not be writable, which are rare. Raises `Unwritable`."""
    if isinstance(value, str):
        if not value.isascii():
            scalar_text(value)
    elif isinstance(value, int | float):
        if not abs(value) <= _LARGE:  # NaN, too
            scalar_text(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if len(key) > _LONG or key == "<<" or not key.isascii():
                key_text(key)
            _write_what_is_odd(item)
    elif isinstance(value, list):
        for item in value:
            _write_what_is_odd(item)
    elif isinstance(value, Ref):
        _write_what_is_odd(value.target.name)


def is_required(kind: Kind, field: Field) -> bool:
    """Whether no entry can omit the field: without a field that takes the entry's name, it would describe another object."""
    named_after = field.has(Marker.NAMED) or field.name in kind.identity
    return named_after or kind.model.model_fields[field.name].is_required()


def rejected_field(kind: Kind | EntryType, address: Address, values: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first field that the model rejects, and why; `None` if it accepts all."""
    typed = map_references(kind.fields, values, lambda _, value: _typed(value))
    for name in name_fields(kind):
        typed.setdefault(name, address.name)
    try:
        kind.model.model_validate(typed, context=CANONICAL)
    except ValidationError as invalid:
        problem = invalid.errors(include_url=False)[0]
        where = problem["loc"]
        text, _ = problem_text(problem, models_at(kind.model, where))
        return (str(where[0]) if where else ""), text
    return None


def _typed(value: Any) -> Any:
    return (
        {"existing": str(value)}
        if isinstance(value, Ref) and not value.managed
        else str(value)
        if isinstance(value, Ref)
        else value
    )


def _without_one(kind: Kind, address: Address, values: Values) -> str:
    """The one field without which the model accepts the others, the last in its order; "" if there is none."""
    for field in reversed(kind.fields):
        if field.name in values and not is_required(kind, field):
            rest = {name: value for name, value in values.items() if name != field.name}
            if rejected_field(kind, address, rest) is None:
                return field.name
    return ""


def _refused_keys(kind: Kind, address: Address, values: Values, field: Field, fallback: str) -> dict[str, str]:
    """The keys of a mapping that the model rejects even alone, each with the reason; empty if no single key is the cause.

    `fallback` is the field that the model rejects in all values together; a problem with another field is not the fault of a key.
    """
    mapping = values[field.name]
    if field.fields or not isinstance(mapping, dict):
        return {}
    problems = {key: rejected_field(kind, address, {**values, field.name: {key: mapping[key]}}) for key in mapping}
    return {key: problem[1] for key, problem in problems.items() if problem is not None and problem[0] == fallback}


def name_fields(kind: Kind | EntryType) -> Iterator[str]:
    """The fields that take the entry's name if the entry does not set them."""
    for field in kind.fields:
        if field.has(Marker.NAMED) or (field.name == "name" and field.has(Marker.IDENTITY)):
            yield field.name
