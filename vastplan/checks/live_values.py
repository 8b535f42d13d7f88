"""Live values are as a system returned them, or as a snapshot has them: a value that is not of the documented form counts as missing."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

_LARGEST = 2.0**100


def mapping_of(value: Any) -> Mapping[str, Any]:
    """The parts of a value; empty if it is not a mapping."""
    return value if isinstance(value, Mapping) else {}


def items_of(value: Any) -> tuple[Any, ...]:
    """The items of a list that can be compared; none if it is not a list."""
    return tuple(item for item in value if isinstance(item, Hashable)) if isinstance(value, list | tuple) else ()


def number_of(value: Any) -> float:
    """A number; 0 if it is not one, or is a fraction so large that sums of such would be infinite. Integers stay exact."""
    if isinstance(value, float):
        return value if -_LARGEST < value < _LARGEST else 0
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
