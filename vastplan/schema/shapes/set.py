"""A list whose order and repetition mean nothing (Kubernetes' `listType=set`): one leaf, sorted and without repetition."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from vastplan.model.value import Ref
from vastplan.schema.shapes.list import List
from vastplan.schema.shapes.shape import Canonicalise, Change, MapReferences, Read, Shape

if TYPE_CHECKING:
    from vastplan.schema.kind import Field


class Set(List):
    """A list that is sorted wherever it comes from."""

    name = "set"
    detachable = True
    unordered = True

    def reader(self, field: Field) -> Read:
        """The items of the list, sorted; what are structs stays in its order."""
        read = super().reader(field)
        if field.fields:
            return read
        return lambda raw: sorted(read(raw), key=str) if isinstance(raw, list) else raw

    def reference_mapper(self, field: Field) -> MapReferences | None:
        """Sorted by what the references become."""
        mapper = super().reference_mapper(field)
        if mapper is None or field.refers is None:
            return mapper
        inner = mapper

        def mapped(value: Any, change: Change) -> Any:
            items = inner(value, change)
            return sorted(items, key=_by_name) if isinstance(value, list) else items

        return mapped

    def canonicaliser(self, field: Field) -> Canonicalise:
        """Sorted and without repetition."""
        other = Shape.canonicaliser(self, field)

        def canonical(value: Any) -> Any:
            if isinstance(value, list):
                return sorted(dict.fromkeys(value), key=str)
            return other(value) if other else value

        return canonical

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Both are sorted."""
        return bool(desired == live)

    def digestible(self, field: Field, value: Any) -> Any:
        """As it is: a set holds no structs."""
        return value

    def without(self, value: Any, gone: Collection[str]) -> Any:
        """The rest of the set."""
        return [raw for raw in value or [] if str(raw) not in gone]


def _by_name(item: Any) -> tuple[str, str]:
    """Two references may be called alike and be of two kinds (a project and a namespace)."""
    return str(item), str(item.target) if isinstance(item, Ref) else ""


SET = Set()
