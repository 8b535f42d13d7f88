"""A mapping in the document that is a list on the wire, each item with its key inside (Kubernetes' `listType=map`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from vastplan.model.natural_order import natural
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
from vastplan.schema.rows import Path, at, deep_overlay, dig, put


class ListMapShape(Shape):
    """Members that the document does not name belong to somebody else, and stay."""

    name = "list-map"
    overlays = True

    def reader(self, field: Field) -> Read:
        """The items by their key; a list with items that are not objects stays as it is."""
        table, key = walk.field_table(field.fields), field.key

        def decoded(raw: Any) -> Any:
            if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
                return raw
            return {str(dig(item, key)): walk.decode_parts(table, item) for item in raw}

        return decoded

    def reference_mapper(self, field: Field) -> MapReferences | None:
        """Maps the references in the fields of the members. A key that names an object stays a name."""
        if field.refers is not None or not field.has_references:
            return super().reference_mapper(field)
        table = walk.field_table(field.fields)

        def mapped(value: Any, change: Change) -> Any:
            if not isinstance(value, dict):
                return value
            return {
                key: walk.map_references(table, member, change) if isinstance(member, dict) else member
                for key, member in value.items()
            }

        return mapped

    def canonicaliser(self, field: Field) -> Canonicalise | None:
        """Canonicalises each member; null stays, because it removes the member."""
        if Marker.SENSITIVE in field.markers:
            return secrets
        table = walk.field_table(field.fields)
        if not table.canonicalised:
            return None

        def canonical(value: Any) -> Any:
            if not isinstance(value, dict):
                return value
            return {
                key: walk.canonical_values(table, member) if member is not None else None
                for key, member in value.items()
            }

        return canonical

    def leaves(self, field: Field, value: Any, path: Path, immutable: bool) -> Iterable[Leaf]:
        """The leaves of each member; a member that is to be removed, or does not have the documented form, is one leaf."""
        if not isinstance(value, dict):
            yield from super().leaves(field, value, path, immutable)
            return
        for key, member in value.items():
            if not isinstance(member, dict):
                yield Leaf((*path, key), field, member, immutable)
            else:
                yield from walk.leaves(field.fields, member, (*path, key), immutable)

    def encode(self, field: Field, value: Any, encoder: ShapeEncoder) -> Any:
        """A list of the members, each with its key inside."""
        return [self._item(field, key, member, encoder) for key, member in value.items()]

    def _item(self, field: Field, key: str, member: dict[str, Any], encoder: ShapeEncoder) -> dict[str, Any]:
        item = encoder.struct(field.fields, member)
        if field.key_refers:
            put(item, field.key_writes, encoder.key(field.key_refers, key))
        else:
            put(item, field.key, key)
        return item

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """Each member, keys in natural order; null stays, because it removes the member."""
        if not isinstance(value, dict):
            return value
        return {
            key: typist.struct(field.fields, value[key]) if isinstance(value[key], dict) else value[key]
            for key in sorted(value, key=natural)
        }

    def merge(self, field: Field, live: dict[str, Any], desired: Any) -> Any:
        """Merges each member; null removes one."""
        members = {
            key: walk.merge_values(field.fields, live.get(key) or {}, member)
            for key, member in desired.items()
            if member is not None
        }
        return {**{key: member for key, member in live.items() if key not in desired}, **members}

    def only_named(self, members: Any, named: Any) -> Any:
        """The members that the document names."""
        return {key: member for key, member in (members or {}).items() if key in (named or {})}

    def overlay(self, field: Field, below: Any, above: Any) -> Any:
        """Merges item by item, so that parts of an item that vastplan does not know are sent back as they were read."""
        if not (isinstance(below, list) and isinstance(above, list)):
            return deep_overlay(below, above)
        path = field.key_writes or field.key
        new = {str(at(item, path)): item for item in above}
        merged = [deep_overlay(item, new.pop(str(at(item, path)), {})) for item in below]
        return merged + list(new.values())

    def parts(self, value: Any) -> Iterable[dict[str, Any]]:
        """The members."""
        members = value.values() if isinstance(value, dict) else ()
        return [member for member in members if isinstance(member, dict)]

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """Redacts each member."""
        if not isinstance(value, dict):
            return value, []
        disclosed: dict[str, Any] = {}
        withheld: list[Path] = []
        for key, member in value.items():
            disclosed[key] = member
            if isinstance(member, dict):
                disclosed[key], hidden = walk.redacted(field.fields, member, owned, (*path, key))
                withheld += hidden
        return disclosed, withheld


LIST_MAP = ListMapShape()
