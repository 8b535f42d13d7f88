"""A mapping with free keys (labels, parameters): each key is a leaf of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from vastplan.model.natural_order import natural
from vastplan.model.site_ledger import path_text
from vastplan.schema.markers import Marker
from vastplan.schema.rows import Path
from vastplan.schema.shapes.shape import Canonicalise, Encoder, Leaf, Read, Shape, Typist, scalar_reader, secrets

if TYPE_CHECKING:
    from vastplan.schema.kind import Field


class Map(Shape):
    """Keys that the document does not write are somebody else's and stay."""

    name = "map"

    def reader(self, field: Field) -> Read:
        """Each value through the codec."""
        read = scalar_reader(field.codec)
        if read is None:
            return lambda raw: dict(raw) if isinstance(raw, dict) else raw
        return lambda raw: {key: read(item) for key, item in raw.items()} if isinstance(raw, dict) else raw

    def canonicaliser(self, field: Field) -> Canonicalise | None:
        """Each value may be where a secret is found; the mapping itself is none, whatever its keys."""
        if Marker.SENSITIVE not in field.markers:
            return None
        return lambda value: (
            {key: secrets(item) for key, item in value.items()} if isinstance(value, dict) else secrets(value)
        )

    def leaves(self, field: Field, value: Any, path: Path, immutable: bool) -> Iterable[Leaf]:
        """One for each key."""
        if not isinstance(value, dict):
            return super().leaves(field, value, path, immutable)
        return [Leaf((*path, key), field, item, immutable) for key, item in value.items()]

    def encode(self, field: Field, value: Any, encoder: Encoder) -> Any:
        """Null removes a key."""
        return {key: None if item is None else encoder.scalar(field, item) for key, item in value.items()}

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """Each value; the keys as people count, but where the document itself goes by their order."""
        if not isinstance(value, dict):
            return value
        keys = value if Marker.DOCUMENT in field.markers else sorted(value, key=natural)
        return {key: typist.scalar(field, value[key]) for key in keys}

    def merge(self, field: Field, live: dict[str, Any], desired: Any) -> Any:
        """Key by key."""
        return {**live, **desired}

    def changed_part(self, field: Field, value: dict[str, Any], paths: Collection[Path], path: Path) -> Any:
        """The changed keys."""
        return {key: item for key, item in value.items() if (*path, key) in paths}

    def wire(self, field: Field, steps: Path) -> Path:
        """The key is on the wire as it is."""
        return (*field.wire, *steps)

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """What we set, keys that are known to hold no secret, and what is no text.

        Labels and annotations are anybody's: kubectl keeps a whole Secret in one of them.
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
        kept = {key: item for key, item in value.items() if key not in others}
        return kept, [(*path, key) for key in sorted(others)]


MAP = Map()
