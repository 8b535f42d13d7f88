"""Bodies made from a shape: the least that is valid, values that are valid or not, and a value put at one place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.documented.facts import Facts, Place

UUID = "00000000-0000-4000-8000-000000000000"
# Tried in turn until one fits the pattern of a string.
_TEXTS = ("x1", "x", "1", "/x", "10Gi", "a@b.c", UUID, "2026-01-01T00:00:00Z", "djE=", "0644")
WRONG: dict[str, tuple[Any, ...]] = {
    "string": (5, {}), "integer": ("x", 1.5), "number": ("x", [1]), "boolean": ("x", 1), "array": ("x", {"x": 1}),
    "object": ("x", [1]), "any": (),
}  # fmt: skip


def _sized(size: int, shape: dict[str, Any]) -> str:
    """A text of a length; a path where the pattern wants one."""
    return ("/" if shape.get("pattern", "").startswith("^/") else "x") + "x" * (size - 1)


class ControllerOwned:
    """Makes values by one facts file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def least(self, given: Any) -> Any:
        """The smallest valid value."""
        shape = self.facts.shape(given)
        if "enum" in shape:
            return shape["enum"][0]
        kind = shape["type"]
        if kind == "object":
            fields = shape.get("fields", {})
            return {name: self.least(one) for name, one in fields.items() if self.facts.shape(one).get("required")}
        if kind == "array":
            return [self.least(shape.get("items", "any")) for _ in range(shape.get("min_items", 0))]
        if kind in ("integer", "number"):
            return shape.get("min", 1 if kind == "integer" else 1.5)
        return True if kind == "boolean" else self._text(shape)

    def full(self, given: Any) -> Any:
        """The smallest valid value that is not empty: an array has an item."""
        shape = self.facts.shape(given)
        return [self.full(shape.get("items", "any"))] if shape["type"] == "array" else self.least(given)

    def _text(self, shape: dict[str, Any]) -> str:
        by_format = {"uuid": UUID, "date-time": "2026-01-01T00:00:00Z", "byte": "djE="}.get(shape.get("format", ""))
        size, most = shape.get("min_length", 0), shape.get("max_length", 10_000)
        texts = [by_format] if by_format else [*_TEXTS, "x" * size]
        return next(text for text in texts if size <= len(text) <= most and re.search(shape.get("pattern", ""), text))

    def beyond(self, given: Any) -> Iterator[Any]:
        """Values just outside the bounds."""
        shape = self.facts.shape(given)
        if "min" in shape:
            yield shape["min"] - 1
        if "max" in shape:
            yield shape["max"] + 1
        if shape.get("min_length"):
            yield "x" * (shape["min_length"] - 1)
        if "max_length" in shape and shape["max_length"] < 10_000:
            yield "x" * (shape["max_length"] + 1)

    def within(self, given: Any) -> Iterator[Any]:
        """Values just inside the bounds."""
        shape = self.facts.shape(given)
        yield from (shape[name] for name in ("min", "max") if name in shape)
        for size in (shape.get("min_length", 0), shape.get("max_length", 0)) if "enum" not in shape else ():
            if 0 < size < 10_000 and "format" not in shape and re.search(shape.get("pattern", ""), _sized(size, shape)):
                yield _sized(size, shape)

    def planted(self, given: Any, place: Place, value: Any) -> Any:
        """The least valid value with another one at a place; an array on the way gets one item."""
        shape = self.facts.shape(given)
        if shape["type"] == "array" and place:
            return [self.planted(shape["items"], place, value)]
        if not place:
            return value
        body = self.least(shape)
        name, *rest = place
        body[name] = self.planted(shape["fields"][name], tuple(rest), value) if name in shape["fields"] else value
        return body

    def without(self, given: Any, place: Place, name: str) -> Any:
        """The least valid value with something at a place that lacks the field `name`."""
        return self.planted(given, place, self._lacking(self.at(given, place), name))

    def _lacking(self, given: Any, name: str) -> Any:
        shape = self.facts.shape(given)
        if shape["type"] == "array":
            return [self._lacking(shape["items"], name)]
        return {key: item for key, item in self.least(shape).items() if key != name}

    def at(self, given: Any, place: Place) -> Any:
        """The shape at a place."""
        shape = self.facts.shape(given)
        for name in place:
            while shape["type"] == "array":
                shape = self.facts.shape(shape["items"])
            shape = self.facts.shape(shape["fields"][name])
        return shape

    def inside(self, given: Any) -> dict[str, Any]:
        """The object behind arrays; without `fields` when there is none."""
        shape = self.facts.shape(given)
        while shape["type"] == "array":
            shape = self.facts.shape(shape.get("items", "any"))
        return shape
