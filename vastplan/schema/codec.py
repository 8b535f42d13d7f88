"""Between the document's values and the wire, generic over field tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref, Reveal, Secret
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.kind import Field, Kind, Row, Shape, Values
from vastplan.schema.markers import Marker

Resolve = Callable[[Ref, str], Any]  # a reference and an attribute name -> the value on the wire

_ABSENT = object()


class Encoder:
    """Turns symbolic values into request bodies; `resolve` and `reveal` supply what only apply knows."""

    def __init__(self, site: str, resolve: Resolve, reveal: Reveal) -> None:
        self._site = site
        self._resolve = resolve
        self._reveal = reveal

    def body(self, kind: Kind, values: Values, *, names: Iterable[str] | None = None) -> Row:
        """The wire form of `values` (of the fields in `names` only, when given)."""
        wanted = set(names) if names is not None else None
        body: Row = {}
        for field in kind.fields:
            if (
                field.has(Marker.DOCUMENT)
                or field.name not in values
                or (wanted is not None and field.name not in wanted)
            ):
                continue
            put(body, field.wire, self.value(field, values[field.name]))
        return kind.finish_encode(body, values) if kind.finish_encode else body

    def value(self, field: Field, value: Any) -> Any:
        """One field's value on the wire; `None` becomes what clears it."""
        if value is None:
            return field.clears
        if field.shape is Shape.STRUCT:
            return self._struct(field.fields, value)
        if field.shape is Shape.LIST_MAP:
            return [self._member(field, key, item) for key, item in value.items()]
        if field.shape is Shape.MAP:
            return {key: None if item is None else self._scalar(field, item) for key, item in value.items()}
        if field.shape in (Shape.LIST, Shape.SET):
            if field.fields:
                return [self._struct(field.fields, item) for item in value]
            return [self._scalar(field, item) for item in value]
        return self._scalar(field, value)

    def _struct(self, fields: tuple[Field, ...], values: Values) -> Row:
        found: Row = {}
        for field in fields:
            if field.name in values and not field.has(Marker.DOCUMENT):
                put(found, field.wire, self.value(field, values[field.name]))
        return found

    def _member(self, field: Field, key: str, values: Values) -> Row:
        found = self._struct(field.fields, values)
        if field.key_refers:
            ((target, attribute),) = field.key_refers.targets
            put(found, field.key_writes, self._resolve(Ref(Address(self._site, target, key), managed=False), attribute))
        else:
            put(found, field.key, key)
        return found

    def _scalar(self, field: Field, value: Any) -> Any:
        if isinstance(value, Ref):
            assert field.refers is not None
            value = self._resolve(value, field.refers.attribute(value.target.kind))
        elif isinstance(value, Secret):
            value = self._reveal(value)
        return field.codec.write(value) if field.codec else value


def decode(kind: Kind, row: Row) -> Values:
    """The kind's fields as a row holds them; references stay raw wire values until somebody can name them."""
    values: Values = {}
    for field in kind.fields:
        if not field.readable:
            continue
        wire = field.wire
        raw = row.get(wire[0], _ABSENT) if len(wire) == 1 else dig(row, wire)
        if raw is not _ABSENT:
            plain = field.shape is Shape.VALUE and field.codec is None
            values[field.name] = raw if plain else decode_value(field, raw)
    return kind.finish_decode(values, row) if kind.finish_decode else values


def decode_value(field: Field, raw: Any) -> Any:
    """One field's canonical value; what does not have the documented shape stays as it came, and so differs."""
    if raw is None:
        return None
    if field.shape is Shape.STRUCT:
        return _decode_struct(field.fields, raw) if isinstance(raw, dict) else raw
    if field.shape is Shape.LIST_MAP:
        return {str(dig(item, field.key)): _decode_struct(field.fields, item) for item in raw} if _rows(raw) else raw
    if field.shape is Shape.MAP:
        return {key: _decode_scalar(field, item) for key, item in raw.items()} if isinstance(raw, dict) else raw
    if field.shape in (Shape.LIST, Shape.SET):
        if not isinstance(raw, list):
            return raw
        if field.fields:
            return [_decode_struct(field.fields, item) if isinstance(item, dict) else item for item in raw]
        items = [_decode_scalar(field, item) for item in raw]
        return sorted(items, key=str) if field.shape is Shape.SET else items
    return _decode_scalar(field, raw)


def _decode_struct(fields: tuple[Field, ...], row: Row) -> Values:
    found: Values = {}
    for field in fields:
        raw = dig(row, field.wire)
        if raw is not _ABSENT:
            found[field.name] = decode_value(field, raw)
    return found


def _decode_scalar(field: Field, raw: Any) -> Any:
    if field.codec is None or raw is None:
        return raw
    try:
        return field.codec.read(raw)
    except (ValueError, TypeError, KeyError, AttributeError):
        return raw  # not in the form that is documented: shown as it is, and so a difference


def _rows(raw: Any) -> bool:
    return isinstance(raw, list) and all(isinstance(item, dict) for item in raw)


def dig(row: Any, path: tuple[str, ...]) -> Any:
    """The value at a path, or a marker that equals nothing; see `at` for `None` instead."""
    for step in path:
        if not isinstance(row, dict) or step not in row:
            return _ABSENT
        row = row[step]
    return row


def at(row: Any, path: tuple[str, ...]) -> Any:
    """The value at a path, or `None`."""
    found = dig(row, path)
    return None if found is _ABSENT else found


def put(body: Row, path: tuple[str, ...], value: Any) -> None:
    """Set the value at a path, making the objects on the way; the empty path merges a mapping into `body`."""
    if not path:
        body.update(value)
        return
    for step in path[:-1]:
        body = body.setdefault(step, {})
    if isinstance(value, dict) and isinstance(body.get(path[-1]), dict):
        body[path[-1]].update(value)  # two fields of the document may share one object on the wire
    else:
        body[path[-1]] = dict(value) if isinstance(value, dict) else value


def merge(fields: tuple[Field, ...], live: Values, desired: Values) -> Values:
    """`desired` over `live`, leaf by leaf: structs and keyed members merge, everything else is taken whole."""
    merged = dict(live)
    for field in fields:
        if field.name not in desired:
            continue
        value, current = desired[field.name], live.get(field.name)
        if value is None or not isinstance(current, dict):
            merged[field.name] = value
        elif field.shape is Shape.STRUCT:
            merged[field.name] = merge(field.fields, current, value)
        elif field.shape is Shape.LIST_MAP:
            members = {
                key: merge(field.fields, current.get(key) or {}, item)
                for key, item in value.items()
                if item is not None
            }
            kept = {key: item for key, item in current.items() if key not in value}
            merged[field.name] = {**kept, **members}
        elif field.shape is Shape.MAP:
            merged[field.name] = {**current, **value}
        else:
            merged[field.name] = value
    return merged


def is_system_owned(kind: Kind, row: Mapping[str, Any]) -> bool:
    """Whether the row is one that is never ours to touch."""
    return any(at(row, path) == value for path, value in kind.system_owned)


def controller_of(kind: Kind, row: Mapping[str, Any]) -> str:
    """Who made the row for itself, "" when nobody is known to have."""
    for one in kind.controller_owned:
        value = at(row, one.path)
        if isinstance(value, str) and re.fullmatch(one.pattern, value):
            return one.name
    return ""


def item_id(endpoint: Endpoint, row: Row) -> str:
    """The object's id as text, "" when the row has none."""
    value = at(row, endpoint.id)
    return "" if value is None else str(value)


def changed_part(
    fields: tuple[Field, ...], values: Values, paths: set[tuple[str, ...]], prefix: tuple[str, ...] = ()
) -> Values:
    """Only those leaves of `values` whose paths are in `paths`; lists and sets are leaves."""
    found: Values = {}
    for field in fields:
        if field.name not in values:
            continue
        path, value = (*prefix, field.name), values[field.name]
        if path in paths:
            found[field.name] = value
        elif field.shape is Shape.STRUCT and isinstance(value, dict):
            inner = changed_part(field.fields, value, paths, path)
            if inner:
                found[field.name] = inner
        elif field.shape is Shape.MAP and isinstance(value, dict):
            inner = {key: item for key, item in value.items() if (*path, key) in paths}
            if inner:
                found[field.name] = inner
    return found


def overlay(fields: tuple[Field, ...], row: Row, body: Row) -> Row:
    """`body` over `row`: objects merge, keyed lists merge item by item, so that what we do not know is sent back as read."""
    keyed = {field.wire: field for field in fields if field.shape is Shape.LIST_MAP}

    def laid(path: tuple[str, ...], below: Any, above: Any) -> Any:
        if path in keyed and isinstance(below, list) and isinstance(above, list):
            return _overlay_items(keyed[path], below, above)
        if isinstance(below, dict) and isinstance(above, dict):
            return {**below, **{name: laid((*path, name), below.get(name), value) for name, value in above.items()}}
        return above

    merged: Row = laid((), row, body)
    return merged


def _overlay_items(field: Field, below: list[Any], above: list[Any]) -> list[Any]:
    path = field.key_writes or field.key
    new = {str(at(item, path)): item for item in above}
    kept = [_deep(item, new.pop(str(at(item, path)), {})) for item in below]
    return kept + list(new.values())


def _deep(below: Any, above: Any) -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{name: _deep(below.get(name), value) for name, value in above.items()}}
    return above


def prune(value: Any) -> Any:
    """A decoded value without the nulls in its structs: what reads out as null is not always taken back."""
    if isinstance(value, dict):
        return {key: prune(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [prune(item) for item in value]
    return value
