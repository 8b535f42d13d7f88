"""A mapping with free keys (labels, parameters): each key is a leaf of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from vastplan.model.natural_order import natural
from vastplan.model.site_ledger import path_text
from vastplan.schema.field import Canonicalise, Field, Leaf, Read, Shape, ShapeEncoder, Typist, scalar_reader, secrets
from vastplan.schema.markers import Marker
from vastplan.schema.rows import Path


class Map(Shape):
    """Keys that the document does not write belong to somebody else, and stay."""

    name = "map"

    def reader(self, field: Field) -> Read:
        """Reads each value through the codec."""
        read = scalar_reader(field.codec)
        if read is None:
            return lambda raw: dict(raw) if isinstance(raw, dict) else raw
        return lambda raw: {key: read(item) for key, item in raw.items()} if isinstance(raw, dict) else raw

    def canonicaliser(self, field: Field) -> Canonicalise | None:
        """Each value may be the source of a secret; the mapping itself is not one, whatever its keys."""
        if Marker.SENSITIVE not in field.markers:
            return None
        return lambda value: (
            {key: secrets(item) for key, item in value.items()} if isinstance(value, dict) else secrets(value)
        )

    def leaves(self, field: Field, value: Any, path: Path, immutable: bool) -> Iterable[Leaf]:
        """One leaf for each key."""
        if not isinstance(value, dict):
            return super().leaves(field, value, path, immutable)
        return [Leaf((*path, key), field, item, immutable) for key, item in value.items()]

    def encode(self, field: Field, value: Any, encoder: ShapeEncoder) -> Any:
        """Encodes each value; null removes a key."""
        return {key: None if item is None else encoder.scalar(field, item) for key, item in value.items()}

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """Each value, keys in natural order; in a DOCUMENT field, where the order matters, in the order of the document."""
        if not isinstance(value, dict):
            return value
        keys = value if Marker.DOCUMENT in field.markers else sorted(value, key=natural)
        return {key: typist.scalar(field, value[key]) for key in keys}

    def merge(self, field: Field, live: dict[str, Any], desired: Any) -> Any:
        """Merges key by key."""
        return {**live, **desired}

    def changed_part(self, field: Field, value: dict[str, Any], paths: Collection[Path], path: Path) -> Any:
        """The changed keys."""
        return {key: item for key, item in value.items() if (*path, key) in paths}

    def wire(self, field: Field, steps: Path) -> Path:
        """The key is the same on the wire."""
        return (*field.wire, *steps)

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """Keeps the keys that vastplan set, keys that are known to hold no secret, and values that are not text.

        Anybody may write labels and annotations: kubectl keeps a whole Secret in one of them.
        """
        if not isinstance(value, dict):
            return value, []
        others = {
            key
            for key, item in value.items()
            if isinstance(item, str | dict | list)
            and not (field.shown is not None and isinstance(item, str) and field.shown.has(key))
            and path_text((*path, key)) not in owned
            and not field.has_references
        }
        disclosed = {key: item for key, item in value.items() if key not in others}
        return disclosed, [(*path, key) for key in sorted(others)]


MAP = Map()
