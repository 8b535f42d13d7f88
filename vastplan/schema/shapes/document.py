"""A document of another language that a system keeps as JSON text: data in ours, compared by what it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from vastplan.model import strict_json
from vastplan.schema.rows import Path
from vastplan.schema.shapes.shape import Encoder, Read, Shape, Typist

if TYPE_CHECKING:
    from vastplan.schema.kind import Field


class JsonDocument(Shape):
    """One leaf. `canonical` makes the same of documents that say the same, and takes whatever a system may show."""

    name = "json-document"

    def __init__(self, canonical: Callable[[Any], Any]) -> None:
        self._canonical = canonical

    def reader(self, field: Field) -> Read:
        """The text as data; what is no JSON stays text, and so differs."""
        return _read

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Whether they say the same."""
        return bool(self._canonical(desired) == self._canonical(live))

    def digestible(self, field: Field, value: Any) -> Any:
        """What it says, however it is written."""
        return self._canonical(value)

    def encode(self, field: Field, value: Any, encoder: Encoder) -> Any:
        """Text that people can read in the system, too."""
        return json.dumps(value, indent=2, ensure_ascii=False)

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """As it is."""
        return value

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """All of it: who marks a field so says that it holds no secret."""
        return value, []


def _read(raw: Any) -> Any:
    if not isinstance(raw, str):
        return raw
    try:
        return strict_json.parse(raw.encode())
    except ValueError:
        return raw
