"""A document in another language that a system keeps as JSON text: in vastplan's document it is data, compared by meaning."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from vastplan.model import strict_json
from vastplan.schema.field import Field, Read, Shape, ShapeEncoder, Typist
from vastplan.schema.rows import Path


class JsonDocument(Shape):
    """One leaf. `canonical` returns equal values for documents with the same meaning, and accepts anything a system may show."""

    name = "json-document"

    def __init__(self, canonical: Callable[[Any], Any]) -> None:
        self._canonical = canonical

    def reader(self, field: Field) -> Read:
        """The text as data; text that is not JSON stays text, and so differs."""
        return _read

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Whether both have the same meaning."""
        return bool(self._canonical(desired) == self._canonical(live))

    def digestible(self, field: Field, value: Any) -> Any:
        """Its canonical form: the same for every way to write it."""
        return self._canonical(value)

    def encode(self, field: Field, value: Any, encoder: ShapeEncoder) -> Any:
        """Indented text, so that people can read it in the system too."""
        return json.dumps(value, indent=2, ensure_ascii=False)

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """The value as it is."""
        return value

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """Keeps all of it: a field with this shape is declared to hold no secret."""
        return value, []


def _read(raw: Any) -> Any:
    if not isinstance(raw, str):
        return raw
    try:
        return strict_json.parse_json(raw.encode())
    except ValueError:
        return raw
