"""A list whose order matters: one leaf, whose items may be structs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from vastplan.schema import walk
from vastplan.schema.field import (
    Canonicalise,
    Change,
    Field,
    MapReferences,
    Read,
    Shape,
    ShapeEncoder,
    Typist,
    scalar_reader,
    secrets,
)
from vastplan.schema.markers import Marker
from vastplan.schema.rows import ABSENT, Path, prune_nulls


class List(Shape):
    """A list, compared item by item; of an item that is a struct only the fields that the document writes."""

    name = "list"

    def reader(self, field: Field) -> Read:
        """Reads each item, in order."""
        table = walk.field_table(field.fields)
        if table:
            return lambda raw: (
                [walk.decode_parts(table, item) if isinstance(item, dict) else item for item in raw]
                if isinstance(raw, list)
                else raw
            )
        read = scalar_reader(field.codec)
        if read is None:
            return lambda raw: list(raw) if isinstance(raw, list) else raw
        return lambda raw: [read(item) for item in raw] if isinstance(raw, list) else raw

    def reference_mapper(self, field: Field) -> MapReferences | None:
        """Maps the references of the list itself, or those in the structs that are its items."""
        if field.refers is not None or not field.has_references:
            return super().reference_mapper(field)
        table = walk.field_table(field.fields)

        def mapped(value: Any, change: Change) -> Any:
            if not isinstance(value, list):
                return value
            return [walk.map_references(table, item, change) if isinstance(item, dict) else item for item in value]

        return mapped

    def canonicaliser(self, field: Field) -> Canonicalise | None:
        """Canonicalises each struct; the order stays."""
        if Marker.SENSITIVE in field.markers:
            return secrets
        table = walk.field_table(field.fields)
        return (lambda value: [walk.canonical_values(table, item) for item in value]) if table.canonicalised else None

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Compares items that are structs only in the fields that the document writes: the system may add fields to each."""
        if not (field.fields and isinstance(live, list) and isinstance(desired, list)):
            return bool(desired == live)
        pairs = zip(desired, live, strict=False)
        return len(desired) == len(live) and all(
            walk.covers(field.fields, desired_item, live_item) for desired_item, live_item in pairs
        )

    def digestible(self, field: Field, value: Any) -> Any:
        """The items without nulls, as they are meant: a field that the system returns as null counts as one that was left out."""
        if not field.fields or not isinstance(value, list):
            return value
        return [
            prune_nulls(walk.canonical_texts(field.fields, item) if isinstance(item, dict) else item) for item in value
        ]

    def encode(self, field: Field, value: Any, encoder: ShapeEncoder) -> Any:
        """Encodes each item."""
        if field.fields:
            return [encoder.struct(field.fields, item) for item in value]
        return [encoder.scalar(field, item) for item in value]

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """Each item, in its short form where it has one."""
        if not isinstance(value, list):
            return value
        if field.fields:
            items = [typist.struct(field.fields, item) if isinstance(item, dict) else item for item in value]
            return [field.typed.write(item) for item in items] if field.typed else items
        return [typist.scalar(field, item) for item in value]

    def parts(self, value: Any) -> Iterable[dict[str, Any]]:
        """The items that are structs."""
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else ()

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """Kept whole or not at all: an item has no path of its own."""
        return (ABSENT, [path]) if field.undisclosed else super().redacted(field, value, path, owned)


LIST = List()
