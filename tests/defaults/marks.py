"""The fields of a kind that are compared, each with its path; members of a keyed list stand under ONE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import vastplan.kinds
from vastplan.schema.discover import discover
from vastplan.schema.field import Field
from vastplan.schema.markers import Marker
from vastplan.schema.rows import Path

KINDS = discover(vastplan.kinds).kinds
ONE = "one"


def leaf_fields(fields: Iterable[Field], prefix: Path = ()) -> Iterator[tuple[Path, Field]]:
    """Every field that is a value of its own. Lists are one, and so are mappings without keys that are known."""
    for field in fields:
        path = (*prefix, field.name)
        if field.markers & {Marker.DOCUMENT, Marker.CREATE_ONLY}:
            continue
        if field.shape.name == "struct":
            yield from leaf_fields(field.fields, path)
        elif field.shape.name == "list-map":
            yield from leaf_fields(field.fields, (*path, ONE))
        else:
            yield path, field
