"""One value, compared and sent as a whole."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from vastplan.model.site_ledger import path_text
from vastplan.schema.rows import Path
from vastplan.schema.shapes.shape import Shape

if TYPE_CHECKING:
    from vastplan.schema.field import Field


class Value(Shape):
    """A scalar, a reference, or an object of any form."""

    name = "value"
    detachable = True

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """Keeps a value that is not an object, or that vastplan set."""
        return (value, []) if path_text(path) in owned else super().redacted(field, value, path, owned)


VALUE = Value()
