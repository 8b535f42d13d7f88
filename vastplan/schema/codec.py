"""Converts between the document's values and the wire, driven by field tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref, Reveal, SecretSource
from vastplan.schema import walk
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.markers import Marker, Refers
from vastplan.schema.rows import at, dig, prune_nulls, put
from vastplan.schema.walk import changed_part, merge_values, overlay_body

__all__ = [
    "Encoder", "Resolve", "at", "changed_part", "controller_reader", "decode_row", "decoder", "dig", "item_id", "merge_values", "overlay_body", "prune_nulls", "put",
    "system_owned_test",
]  # fmt: skip

Resolve = Callable[[Ref, str], Any]  # a reference and an attribute name -> the value on the wire


class Encoder:
    """Turns symbolic values into request bodies; `resolve` and `reveal` supply ids and secrets, which only an apply knows."""

    def __init__(self, site: str, resolve: Resolve, reveal: Reveal) -> None:
        self._site = site
        self._resolve = resolve
        self._reveal = reveal

    def body(self, kind: Kind, values: Values, *, names: Iterable[str] | None = None) -> Row:
        """The wire form of `values`; with `names` only of these fields."""
        sent_names = set(names) if names is not None else values.keys()
        body = self.struct(kind.fields, {name: value for name, value in values.items() if name in sent_names})
        return kind.finish_encode(body, values) if kind.finish_encode else body

    def struct(self, fields: tuple[Field, ...], values: Values) -> Row:
        """The wire form of the fields in `values`."""
        body: Row = {}
        for field in fields:
            if field.name in values and not field.has(Marker.DOCUMENT):
                put(body, field.wire, self.value(field, values[field.name]))
        return body

    def value(self, field: Field, value: Any) -> Any:
        """One field's value on the wire; `None` becomes the value that clears the field."""
        return field.clears if value is None else field.shape.encode(field, value, self)

    def scalar(self, field: Field, value: Any) -> Any:
        """A plain value, a reference or a secret on the wire."""
        if isinstance(value, Ref):
            assert field.refers is not None
            value = self._resolve(value, field.refers.attribute(value.target.kind))
        elif isinstance(value, SecretSource):
            value = self._reveal(value)
        return field.codec.write(value) if field.codec else value

    def key(self, refers: Refers, name: str) -> Any:
        """The value to send for a key that names another object of the site."""
        ((target, attribute),) = refers.targets
        return self._resolve(Ref(Address(self._site, target, name), managed=False), attribute)


def decode_row(kind: Kind, row: Row) -> Values:
    """The values of a kind's fields in a row; references stay raw wire values until the objects that they refer to are known."""
    values = walk.decode_fields(kind.fields, row)
    return kind.finish_decode(values, row) if kind.finish_decode else values


def decoder(kind: Kind, example: Row) -> Callable[[Row], Values]:
    """A function that decodes rows of a kind as `decode_row` does, and is fast for rows with the same keys as `example`."""
    reader, finish = kind.fields.readable.of_rows_like(example), kind.finish_decode
    return reader if finish is None else lambda row: finish(reader(row), row)


def system_owned_test(kind: Kind) -> Callable[[Row], bool]:
    """A function that returns whether a row belongs to the system itself, so that vastplan never touches it."""
    places = kind.system_owned

    def is_system_owned(row: Row) -> bool:
        for path, value in places:  # noqa: SIM110  (runs for every row of a collection)
            if at(row, path) == value:
                return True
        return False

    return is_system_owned


def controller_reader(kind: Kind) -> Callable[[Row], str]:
    """A function that returns which driver or system created a row for itself, "" where none is recognised."""
    controllers = [(owner.path, re.compile(owner.pattern).fullmatch, owner.name) for owner in kind.controller_owned]

    def controller_of(row: Row) -> str:
        for path, matches, name in controllers:
            value = at(row, path)
            if isinstance(value, str) and matches(value):
                return name
        return ""

    return controller_of


def item_id(endpoint: Endpoint, row: Row) -> str:
    """The object's id as text, "" when the row has none."""
    value = at(row, endpoint.id)
    return "" if value is None else str(value)
