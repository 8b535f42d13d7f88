"""The only code that walks field tables. What differs by shape is in `shapes/`; what is common to all shapes is here.

A `FieldTable` is compiled from its fields once, because `decode_fields`, `map_references` and `leaves` run for every row of large
collections.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from vastplan.model.site_ledger import path_text
from vastplan.model.value import REDACTED, Ref, references
from vastplan.schema.field import Canonicalise, Change, Field, Leaf, MapReferences, Shape
from vastplan.schema.markers import Marker, Refers
from vastplan.schema.row_reader import RowReader
from vastplan.schema.rows import ABSENT, Path, deep_overlay

_UNCOMPARED = frozenset({Marker.DOCUMENT, Marker.CREATE_ONLY})
_UNDISCLOSED = frozenset({Marker.SENSITIVE, Marker.WRITE_ONLY})
_new_leaf = (
    tuple.__new__
)  # skips the checks of a constructor call: there are a dozen leaves for each of a hundred thousand objects


class _Compared(NamedTuple):
    """How to find a field's leaves; `nested` is `None` for a field that is one leaf."""

    place: int
    name: str
    path: Path
    field: Field
    immutable: bool
    text: str
    nested: Callable[[Field, Any, Path, bool], Iterable[Leaf]] | None


class FieldTable(tuple["Field", ...]):
    """The fields of a kind or of a struct, in the order of the model, with what is compiled from them."""

    by_name: Mapping[str, Field]
    compared: Mapping[str, _Compared]
    readable: RowReader
    parts: RowReader
    referring: tuple[tuple[str, Field, MapReferences], ...]
    canonicalised: tuple[tuple[str, Canonicalise], ...]
    overlaid: Mapping[Path, Field]
    versioned: tuple[Field, ...]
    secret: bool

    def __new__(cls, fields: Iterable[Field]) -> FieldTable:
        """Compiles the fields once; the table does not change afterwards."""
        table = super().__new__(cls, fields)
        table.by_name = {field.name: field for field in table}
        table.compared = {
            field.name: _compared(place, field) for place, field in enumerate(table) if not field.markers & _UNCOMPARED
        }
        table.parts = RowReader(table)
        table.readable = RowReader(field for field in table if field.readable)
        table.referring = tuple(
            (field.name, field, mapper)
            for field in table
            if field.has_references and (mapper := field.shape.reference_mapper(field)) is not None
        )
        table.canonicalised = tuple(
            (field.name, canonicalise)
            for field in table
            if (canonicalise := field.shape.canonicaliser(field)) is not None
        )
        table.overlaid = {field.wire: field for field in table if field.shape.overlays}
        table.versioned = tuple(field for field in table if field.versioned)
        table.secret = any(field.secret for field in table)
        return table


EMPTY = FieldTable(())
"""The table of a field without inner fields, as most are."""


def field_table(fields: Iterable[Field]) -> FieldTable:
    """Returns the fields as a table; those of kinds and structs are one already and are returned as they are."""
    return fields if type(fields) is FieldTable else FieldTable(fields) if fields else EMPTY


def _compared(place: int, field: Field) -> _Compared:
    nested = None if type(field.shape).leaves is Shape.leaves else field.shape.leaves
    path, immutable = (field.name,), Marker.IMMUTABLE in field.markers
    return _Compared(place, field.name, path, field, immutable, path_text(path), nested)


def decode_fields(fields: tuple[Field, ...], row: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the fields in a row; references stay raw wire values until the objects that they refer to are known."""
    return field_table(fields).readable(row)


def decode_parts(fields: FieldTable, row: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a struct's fields in its object on the wire."""
    return fields.parts(row)


def leaves(
    fields: Iterable[Field], values: Mapping[str, Any], prefix: Path = (), immutable: bool = False
) -> list[Leaf]:
    """The leaves of the document's values: structs, maps and keyed members recurse, sets and lists are one leaf."""
    result: list[Leaf] = []
    compared = field_table(fields).compared
    present = [compared[name] for name in values if name in compared]
    present.sort()  # by their place in the table; usually they are in that order already
    for _, name, path, field, fixed, _, nested in present:
        leaf_path = (*prefix, name) if prefix else path
        if nested is None:
            result.append(_new_leaf(Leaf, (leaf_path, field, values[name], fixed or immutable)))
        else:
            result += nested(field, values[name], leaf_path, fixed or immutable)
    return result


def in_sync(
    fields: Iterable[Field],
    desired: Mapping[str, Any],
    live: Mapping[str, Any],
    applied: Mapping[str, str],
    same_reference: Callable[[Refers, Ref, Any], bool] | None = None,
    applied_as: Callable[[Field, Any, str], bool] = lambda field, value, applied: True,
) -> bool:
    """A quick check that nothing differs: every live leaf equals the desired one, and exactly these leaves were applied.

    False does not mean that something differs: leaves that take more than comparing two values (never shown, or withheld)
    return false too. `same_reference` compares a reference with a raw one in live values whose references are not named yet,
    `applied_as` a value with what was last applied.
    """
    compared, applied_count = field_table(fields).compared, 0
    for name, value in desired.items():
        if (entry := compared.get(name)) is None:
            continue
        _, _, path, field, immutable, text, nested = entry
        if nested is not None:
            for leaf in nested(field, value, path, immutable):
                if not _plainly_same(leaf.field, leaf.value, value_at(live, leaf.path)):
                    return False
                if (was := applied.get(path_text(leaf.path))) is not None:
                    if not applied_as(leaf.field, leaf.value, was):
                        return False
                    applied_count += 1
        elif (
            same_reference(field.refers, value, live.get(name))
            if same_reference is not None and field.refers is not None and isinstance(value, Ref)
            else _plainly_same(field, value, live.get(name))
        ):
            if (was := applied.get(text)) is not None:
                if not applied_as(field, value, was):
                    return False
                applied_count += 1
        else:
            return False
    return applied_count == len(applied)


def _plainly_same(field: Field, desired: Any, live: Any) -> bool:
    if live is REDACTED or Marker.WRITE_ONLY in field.markers:
        return False
    if type(desired) is type(live) and desired == live and not field.fields:
        return True
    return same(field, desired, live)


def value_at(values: Any, path: Path) -> Any:
    """The value of a leaf, `None` where it has none; `REDACTED` where it, or what contains it, is withheld."""
    for step in path:
        if not isinstance(values, dict):
            return REDACTED if values is REDACTED else None
        values = values.get(step)
    return values


def same(field: Field, desired: Any, live: Any) -> bool:
    """Whether a leaf needs no change. A cleared field equals every value that the system may return for unset."""
    if desired is None:
        return live is None or (not isinstance(live, bool) and live in field.cleared)
    if isinstance(desired, bool):
        return not desired if live is None else isinstance(live, bool) and desired == live
    return not isinstance(live, bool) and field.shape.equal(field, desired, live)


def canonical_texts(fields: Iterable[Field], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with one text for all that mean the same."""
    return dict(values) | {field.name: field.meant(values[field.name]) for field in fields if field.name in values}


def covers(fields: Iterable[Field], desired: Mapping[str, Any], live: Any) -> bool:
    """Whether a live object already has all desired leaves."""
    return isinstance(live, dict) and all(
        same(leaf.field, leaf.value, value_at(live, leaf.path)) for leaf in leaves(fields, desired)
    )


def merge_values(fields: Iterable[Field], live: Mapping[str, Any], desired: Mapping[str, Any]) -> dict[str, Any]:
    """`desired` over `live`: structs and keyed members merge, everything else is replaced whole."""
    merged = dict(live)
    for field in fields:
        if field.name in desired:
            value: Any = desired[field.name]
            current: Any = live.get(field.name)
            partly = value is not None and isinstance(current, dict)
            merged[field.name] = field.shape.merge(field, current, value) if partly else value
    return merged


def changed_part(
    fields: Iterable[Field], values: Mapping[str, Any], paths: Collection[Path], prefix: Path = ()
) -> dict[str, Any]:
    """Only those leaves of `values` whose paths are in `paths`; lists and sets are leaves."""
    changed: dict[str, Any] = {}
    for field in fields:
        if field.name not in values:
            continue
        path, value = (*prefix, field.name), values[field.name]
        if path in paths:
            changed[field.name] = value
        elif isinstance(value, dict) and (part := field.shape.changed_part(field, value, paths, path)):
            changed[field.name] = part
    return changed


def overlay_body(fields: Iterable[Field], row: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """`body` over `row`: objects merge, and so do lists with keys (by their shape), so that parts unknown to vastplan stay."""
    overlaid = field_table(fields).overlaid

    def laid(path: Path, below: Any, above: Any) -> Any:
        if path in overlaid:
            return overlaid[path].shape.overlay(overlaid[path], below, above)
        if isinstance(below, dict) and isinstance(above, dict):
            return {**below, **{name: laid((*path, name), below.get(name), value) for name, value in above.items()}}
        return above

    merged: dict[str, Any] = laid((), row, body) if overlaid else deep_overlay(row, body)
    return merged


def canonical_values(fields: Iterable[Field], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with sets sorted and without repetition, and secrets as `Secret`, at all levels."""
    result = dict(values)
    for name, canonicalise in field_table(fields).canonicalised:
        if (value := values.get(name)) is not None:
            result[name] = canonicalise(value)
    return result


def map_references(fields: Iterable[Field], values: Mapping[str, Any], change: Change) -> dict[str, Any]:
    """Returns `values` with every reference replaced by `change(refers, value)`."""
    mapped = dict(values)
    for name, _, mapper in field_table(fields).referring:
        if (value := mapped.get(name)) is not None:
            mapped[name] = mapper(value, change)
    return mapped


def raw_references(fields: Iterable[Field], values: Mapping[str, Any]) -> list[tuple[Field, Refers, Any]]:
    """Every raw reference in live values, with the top-level field that contains it."""
    raws: list[tuple[Field, Refers, Any]] = []
    for name, field, mapper in field_table(fields).referring:
        if (value := values.get(name)) is None:
            continue
        if field.refers is not None and not isinstance(value, list):
            raws.append((field, field.refers, value))
            continue

        def note(refers: Refers, raw: Any, field: Field = field) -> Any:
            raws.append((field, refers, raw))
            return raw

        mapper(value, note)
    return raws


def fields_with_references(fields: Iterable[Field], values: Mapping[str, Any]) -> Iterator[tuple[Field, Ref]]:
    """Every reference in symbolic values, with its field."""
    for name, field, _ in field_table(fields).referring:
        if (value := values.get(name)) is not None:
            if field.refers is not None:
                for ref in references(value):
                    yield field, ref
            else:
                for part in field.shape.parts(value):
                    yield from fields_with_references(field.fields, part)


def wire(fields: Iterable[Field], path: Path) -> Path:
    """The place of a leaf on the wire; for a leaf in a list whose items have keys, the place of the list."""
    if not path:
        return ()
    field = field_table(fields).by_name.get(path[0])
    return () if field is None else field.shape.wire(field, path[1:])


def redacted(
    fields: Iterable[Field], values: Mapping[str, Any], owned: Collection[str], prefix: Path = ()
) -> tuple[dict[str, Any], list[Path]]:
    """The part of live values that may be stored where others read it, and the paths that are withheld; `owned` are the paths
    that vastplan set."""
    disclosed: dict[str, Any] = {}
    withheld: list[Path] = []
    for field in fields:
        if field.name not in values:
            continue
        path = (*prefix, field.name)
        if field.markers & _UNDISCLOSED or values[field.name] is REDACTED:
            withheld.append(path)
            continue
        value, hidden = field.shape.redacted(field, values[field.name], path, owned)
        withheld += hidden
        if value is not ABSENT:
            disclosed[field.name] = value
    return disclosed, withheld
