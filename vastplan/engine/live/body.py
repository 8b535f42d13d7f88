"""The bodies of creates and updates, and the fields that a system did not keep. Pure except for the encoder's look-ups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.engine.live.diff import leaves, same, value_at
from vastplan.schema.codec import Encoder, changed_part, decode_row, merge_values, overlay_body, prune_nulls
from vastplan.schema.endpoint import Update
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.markers import Marker

Path = tuple[str, ...]
NEVER_SENT = frozenset({Marker.DOCUMENT, Marker.CREATE_ONLY, Marker.IMMUTABLE})


def _never_sent(kind: Kind, field: Field) -> bool:
    """Whether the field is the generation of a delivered value: only the document and the ledger use that number."""
    return kind.delivers is not None and field.name == kind.delivers.generation


def _is_unsent(kind: Kind, field: Field) -> bool:
    if field.has(Marker.FIRST_VALUE):
        return False  # another value replaces the object, so an update has the first one
    return bool(field.markers & NEVER_SENT) or _never_sent(kind, field)


def create_body(kind: Kind, values: Values, encoder: Encoder) -> Row:
    """The body of a create: all fields of the document except those that only an update takes.

    Nulls are left out unless null is a choice (`EXPLICIT_NULL`), because the system's own default differs from it.
    """
    names = [
        field.name
        for field in kind.fields
        if field.name in values
        and (values[field.name] is not None or field.has(Marker.EXPLICIT_NULL))
        and not field.has(Marker.AFTER_CREATE)
        and not _never_sent(kind, field)
    ]
    body = encoder.body(kind, {name: prune_nulls(values[name]) for name in names})
    return overlay_body(kind.fields, dict(kind.endpoint.constants), body)


def update_body(kind: Kind, values: Values, paths: set[Path], fresh: Row, encoder: Encoder) -> Row:
    """The body of an update that sets the leaves in `paths`, in the way the kind's API wants it."""
    changed = {path[0] for path in paths}
    if kind.endpoint.update is Update.MERGE_PATCH:
        values = {name: value for name, value in values.items() if not _never_sent(kind, kind.field(name))}
        return encoder.body(kind, {**changed_part(kind.fields, values, paths), **_together(kind, values, changed)})
    current = prune_nulls(decode_row(kind, fresh))
    if kind.endpoint.update is Update.PUT:
        return _whole(kind, values, current, fresh, encoder)
    # A struct of a PATCH is sent whole: whether the system merges or replaces it is not documented.
    roots = {field.wire[:1] for field in kind.fields if field.name in changed}
    together = [
        field
        for field in kind.fields
        if field.has(Marker.RESENT) or (field.wire[:1] in roots and not _is_unsent(kind, field))
    ]
    merged = merge_values(tuple(together), current, values)
    return encoder.body(
        kind, merged, names=[field.name for field in together if field.name in changed or field.name in merged]
    )


def _together(kind: Kind, values: Values, changed: set[str]) -> Values:
    """The fields marked ATOMIC that share a top-level field on the wire with a changed one: they are sent together."""
    whole = [field for field in kind.fields if field.has(Marker.ATOMIC) and field.name in values]
    roots = {field.wire[:1] for field in whole if field.name in changed}
    return {field.name: values[field.name] for field in whole if field.wire[:1] in roots}


def _whole(kind: Kind, values: Values, current: Values, fresh: Row, encoder: Encoder) -> Row:
    fields = tuple(field for field in kind.fields if not _is_unsent(kind, field))
    merged = merge_values(
        fields, {name: current[name] for name in current if any(f.name == name for f in fields)}, values
    )
    for field in fields:  # members of a list that the document does not name are sent back exactly as they were read
        if field.name in merged and field.wire[:1] and field.wire[0] in kind.endpoint.keep:
            merged[field.name] = field.shape.only_named(merged[field.name], values.get(field.name))
    body = encoder.body(kind, merged, names=[field.name for field in fields])
    kept = {name: fresh[name] for name in kind.endpoint.keep if fresh.get(name) is not None}
    whole = overlay_body(kind.fields, kept, body)
    return {name: value for name, value in whole.items() if name not in kind.endpoint.omit}


def unmet_leaves(fields: tuple[Field, ...], values: Mapping[str, Any], live: Mapping[str, Any]) -> list[Path]:
    """The leaves whose live value differs from the written one, without those that the system never shows."""
    return [
        leaf.path
        for leaf in leaves(fields, values)
        if not leaf.field.has(Marker.WRITE_ONLY) and not same(leaf.field, leaf.value, value_at(live, leaf.path))
    ]
