"""Turns canonical values into the form that a person would type: names for references, sizes in their largest unit, short forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vastplan.model.units import BANDWIDTH, BYTES, SECONDS, amount_text, parse_bandwidth, parse_bytes, parse_span
from vastplan.model.value import Ref, SecretSource
from vastplan.schema.field import Field
from vastplan.schema.markers import Marker
from vastplan.schema.rows import ABSENT

_PARSERS = {BYTES: parse_bytes, BANDWIDTH: parse_bandwidth, SECONDS: parse_span}

NameReference = Callable[[Ref], Any]


def in_unit(value: Any, unit: str) -> Any:
    """A canonical number in the largest unit that is exact, else the plain number; anything else as it is."""
    if not isinstance(value, int) or isinstance(value, bool) or not value or unit not in _PARSERS:
        return value
    return amount_text(value, unit) or value if value > 0 else value


def amount(typed: str, unit: str) -> int | None:
    """The canonical number of a typed text in a unit; `None` for text that is not an amount."""
    try:
        return int(typed) if typed.isdecimal() else _PARSERS[unit](typed)
    except (KeyError, ValueError):
        return None


def document_reference(reference: Ref) -> Any:
    """A reference as a document writes it: the name of a managed object, `{existing: NAME}` for others."""
    name = reference.target.name
    return name if reference.managed else {"existing": name}


def document_form(
    fields: tuple[Field, ...],
    values: Mapping[str, Any],
    reference: NameReference = document_reference,
    *,
    key: str = "",
    defaults: bool = False,
) -> dict[str, Any]:
    """The values of an entry (`Entry.values`, or those of a live object with named references) as a document writes them.

    Fields come in the order of their model; keys that are not fields are left out. Reading the result gives the same values. Fields
    that a document can leave out are left out: those with the model's default (unless `defaults`), and those that hold the
    entry's own name, which is `key`.
    """
    own_values = values
    if key:
        own = [field.name for field in fields if values.get(field.name) == key and _holds_the_name(field)]
        own_values = {name: value for name, value in values.items() if name not in own}
    return _Typist(reference, defaults).struct(fields, own_values)


def key_fields(fields: Iterable[Field]) -> tuple[str, ...]:
    """The fields that hold the entry's key as the name, unless the document writes another one."""
    return tuple(field.name for field in fields if _holds_the_name(field))


def _holds_the_name(field: Field) -> bool:
    return field.has(Marker.NAMED) or (field.name == "name" and field.has(Marker.IDENTITY))


class _Typist:
    def __init__(self, reference: NameReference, defaults: bool) -> None:
        self._reference = reference
        self._defaults = defaults

    def struct(self, fields: tuple[Field, ...], values: Mapping[str, Any]) -> dict[str, Any]:
        """The fields in `values`, as a document has them."""
        written: dict[str, Any] = {}
        for field in fields:
            if field.name not in values:
                continue
            value = values[field.name]
            short = field.shorthand.write(values) if field.shorthand else None
            if short is not None:
                written |= short
            elif self._defaults or not _is_default(field, value):
                written[field.name] = None if value is None else field.shape.typed(field, value, self)
        return written

    def scalar(self, field: Field, value: Any) -> Any:
        """A plain value of the field, a reference, or the source of a secret, as a document has it."""
        if isinstance(value, Ref):
            return self._reference(value)
        if isinstance(value, SecretSource):
            return {value.source[0]: value.source[1]}
        if field.typed is not None:
            return field.typed.write(value)
        return in_unit(value, field.unit)


def _is_default(field: Field, value: Any) -> bool:
    return field.default is not ABSENT and type(value) is type(field.default) and bool(value == field.default)
