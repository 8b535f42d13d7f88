"""A struct: fields inside a field, each compared separately."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from vastplan.schema import walk
from vastplan.schema.field import (
    Canonicalise,
    Change,
    Field,
    Leaf,
    MapReferences,
    Read,
    Shape,
    ShapeEncoder,
    Typist,
    secrets,
)
from vastplan.schema.markers import Marker
from vastplan.schema.rows import Path


class Struct(Shape):
    """A field with a table of inner fields."""

    name = "struct"

    def reader(self, field: Field) -> Read:
        """Field by field."""
        table = walk.field_table(field.fields)
        return lambda raw: walk.decode_parts(table, raw) if isinstance(raw, dict) else raw

    def reference_mapper(self, field: Field) -> MapReferences | None:
        """Maps the references in its fields."""
        if field.refers is not None or not field.has_references:
            return super().reference_mapper(field)
        table = walk.field_table(field.fields)

        def mapped(value: Any, change: Change) -> Any:
            return walk.map_references(table, value, change) if isinstance(value, dict) else value

        return mapped

    def canonicaliser(self, field: Field) -> Canonicalise | None:
        """Field by field; a struct that is marked sensitive is one secret."""
        if Marker.SENSITIVE in field.markers:
            return secrets
        table = walk.field_table(field.fields)
        if not table.canonicalised:
            return None
        return lambda value: walk.canonical_values(table, value) if isinstance(value, dict) else value

    def leaves(self, field: Field, value: Any, path: Path, immutable: bool) -> Iterable[Leaf]:
        """The leaves of its fields."""
        if not isinstance(value, dict):
            return super().leaves(field, value, path, immutable)
        return walk.leaves(field.fields, value, path, immutable)

    def encode(self, field: Field, value: Any, encoder: ShapeEncoder) -> Any:
        """Field by field."""
        return encoder.struct(field.fields, value)

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """Field by field."""
        return typist.struct(field.fields, value) if isinstance(value, dict) else value

    def merge(self, field: Field, live: dict[str, Any], desired: Any) -> Any:
        """Field by field."""
        return walk.merge_values(field.fields, live, desired)

    def changed_part(self, field: Field, value: dict[str, Any], paths: Collection[Path], path: Path) -> Any:
        """The changed fields."""
        return walk.changed_part(field.fields, value, paths, path)

    def parts(self, value: Any) -> Iterable[dict[str, Any]]:
        """The struct itself."""
        return (value,) if isinstance(value, dict) else ()

    def wire(self, field: Field, steps: Path) -> Path:
        """The struct's place, then the place of the inner field."""
        return (*field.wire, *walk.wire(field.fields, steps))

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """Field by field."""
        return walk.redacted(field.fields, value, owned, path) if isinstance(value, dict) else (value, [])


STRUCT = Struct()
