"""A list in which order and repetition do not matter (Kubernetes' `listType=set`): one leaf, sorted and without repetition."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from vastplan.model.ip_ranges import joined_ranges
from vastplan.model.value import Ref
from vastplan.schema.field import Canonicalise, Change, Field, MapReferences, Read, Shape
from vastplan.schema.shapes.list import List


class Set(List):
    """A list that is always sorted, whether from the document or from a system."""

    name = "set"
    detachable = True
    unordered = True

    def reader(self, field: Field) -> Read:
        """The items of the list, sorted; structs stay in their order."""
        read = super().reader(field)
        if field.fields:
            return read
        return lambda raw: sorted(read(raw), key=str) if isinstance(raw, list) else raw

    def reference_mapper(self, field: Field) -> MapReferences | None:
        """Maps the references, then sorts by what they became."""
        mapper = super().reference_mapper(field)
        if mapper is None or field.refers is None:
            return mapper
        inner = mapper

        def mapped(value: Any, change: Change) -> Any:
            items = inner(value, change)
            return sorted(items, key=_by_name) if isinstance(value, list) else items

        return mapped

    def canonicaliser(self, field: Field) -> Canonicalise:
        """Sorts the items and removes repetition."""
        other = Shape.canonicaliser(self, field)

        def canonical(value: Any) -> Any:
            if isinstance(value, list):
                return sorted(dict.fromkeys(value), key=str)
            return other(value) if other else value

        return canonical

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Plain equality: both lists are sorted."""
        return bool(desired == live)

    def digestible(self, field: Field, value: Any) -> Any:
        """The value as it is: no nulls to remove, as a set holds no structs."""
        return value

    def without(self, value: Any, gone: Collection[str]) -> Any:
        """The rest of the set, without the references in `gone`."""
        return [raw for raw in value or [] if str(raw) not in gone]


class IpRanges(Set):
    """A set of ranges of addresses, in which neighbours are one range, whether the document or a system divides them."""

    def reader(self, field: Field) -> Read:
        """The ranges, joined and sorted."""
        read = super().reader(field)
        return lambda raw: joined_ranges(read(raw)) if isinstance(raw, list) else raw

    def canonicaliser(self, field: Field) -> Canonicalise:
        """Joins and sorts the ranges."""
        return lambda value: joined_ranges(value) if isinstance(value, list) else value


def _by_name(item: Any) -> tuple[str, str]:
    """A sort key by name, then by address: two references may have one name and different kinds (a project and a namespace)."""
    return str(item), str(item.target) if isinstance(item, Ref) else ""


SET = Set()
IP_RANGES = IpRanges()
