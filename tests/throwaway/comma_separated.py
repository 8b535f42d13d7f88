"""A throw-away shape: a list in the document that is one text with commas on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vastplan.schema.field import Read, ShapeEncoder
from vastplan.schema.shapes.set import Set

if TYPE_CHECKING:
    from vastplan.schema.field import Field


class CommaSeparated(Set):
    """A set of words."""

    name = "comma-separated"

    def reader(self, field: Field) -> Read:
        """The words, sorted; what is no text stays as it came."""
        return lambda raw: sorted(raw.split(",")) if isinstance(raw, str) else raw

    def encode(self, field: Field, value: Any, encoder: ShapeEncoder) -> Any:
        """One text."""
        return ",".join(encoder.scalar(field, item) for item in value)


COMMA_SEPARATED = CommaSeparated()
