"""The facts files: what the vendors document about the operations that vastplan uses, and a check of requests by them.

operations:
  /views/{}/:                 # {} is any id or name
    PATCH:
      query: {force: boolean} # names and types
      body: {fields: {...}}   # a shape
      success: [200]
      answers: [path, title]  # the fields of an object, of a GET of one
types: {Name: {field: shape}} # named objects

A shape is a type's name, or a mapping: `type` (a JSON type, `any`, or a name of `types`), `required`, `enum`, `items` of
an array, `values` of a map, `fields` of an object, `nullable`, `read_only`, `format` and bounds. An object without
`fields` and `values` may hold anything.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "facts"
FILES = {"vast": "vast-5.5.yaml", "runai": "runai-2.24.yaml", "kubernetes": "kubernetes-1.34.yaml"}
Place = tuple[str, ...]
_PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing about a request: a place in its body with what is wrong there, "" when nothing is."""

    place: Place
    wrong: str = ""


class Facts:
    """One facts file."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.operations: dict[str, dict[str, Any]] = content["operations"]
        self.types: dict[str, Any] = content["types"]
        # A literal segment wins over a parameter: /x/count before /x/{}.
        self._templates = [
            (re.compile(re.escape(path).replace(r"\{\}", "[^/]+")), path)
            for path in sorted(self.operations, key=lambda path: path.count("{}"))
        ]

    def template(self, path: str) -> str | None:
        """The documented path that this one is an instance of."""
        return next((template for pattern, template in self._templates if pattern.fullmatch(path)), None)

    def shape(self, given: Any) -> dict[str, Any]:
        """A shape in its long form, a named type with its fields."""
        shape: dict[str, Any] = {"type": given} if isinstance(given, str) else given
        if shape["type"] in self.types:
            return {**shape, "type": "object", "fields": self.types[shape["type"]]}
        return shape

    def body(self, method: str, template: str) -> Any:
        """The shape of an operation's body, `None` where it has none."""
        return self.operations[template].get(method, {}).get("body")

    def known(self, method: str, template: str, place: Place) -> Place:
        """As much of a place as the document knows by name; what is inside a map is the caller's own."""
        shape, found = self.body(method, template), 0
        for step in place:
            shape = self._items(shape)
            if "fields" not in shape or step not in shape["fields"]:
                break
            shape, found = shape["fields"][step], found + 1
        return place[:found]

    def _items(self, given: Any) -> dict[str, Any]:
        shape = self.shape(given)
        while shape["type"] == "array" and "items" in shape:
            shape = self.shape(shape["items"])
        return shape

    def query(self, method: str, template: str, given: dict[str, list[str]]) -> Iterator[Seen]:
        """The names of a query and whether their values can be what they must be."""
        known = self.operations[template][method].get("query", {})
        for name, values in given.items():
            if name not in known:
                yield Seen((name,), "is not documented")
                continue
            shape = self.shape(known[name])
            wanted = shape["type"]
            for value in values:
                fits = {"integer": r"-?\d+", "boolean": "true|false"}.get(wanted, r"(?s:.*)")
                allowed = [str(one) for one in shape.get("enum", [value])]
                inner = self.shape(shape["items"]) if "items" in shape else shape
                fine = re.fullmatch(fits, value) and value in allowed and re.search(inner.get("pattern", ""), value)
                yield Seen((name,), "" if fine else f"{value!r} is not {wanted} as documented")

    def judged(self, given: Any, value: Any, *, part: bool, place: Place = ()) -> Iterator[Seen]:
        """Every place in a value with what is wrong there. A `part` (a merge patch) may be null and lack what is required."""
        shape = self.shape(given)
        wrong = self._wrong(shape, value, part)
        yield Seen(place, wrong)
        if wrong or value is None:
            return
        if isinstance(value, list):
            for item in value:
                # A list is replaced whole by every kind of patch.
                yield from self.judged(shape.get("items", "any"), item, part=False, place=place)
        elif isinstance(value, dict) and "fields" in shape:
            for name, item in value.items():
                if name in shape["fields"]:
                    yield from self.judged(shape["fields"][name], item, part=part, place=(*place, name))
                else:
                    yield Seen((*place, name), "is not documented")
            needed = () if part else shape["fields"]
            for name in needed:
                if self.shape(shape["fields"][name]).get("required") and name not in value:
                    yield Seen((*place, name), "is required")
        elif isinstance(value, dict) and "values" in shape:
            for item in value.values():
                for seen in self.judged(shape["values"], item, part=part, place=place):
                    if seen.wrong:
                        yield seen

    def _wrong(self, shape: dict[str, Any], value: Any, part: bool) -> str:
        if value is None:
            return "" if part or shape.get("nullable") or shape["type"] == "any" else "is null"
        wanted = shape["type"]
        if wanted != "any" and (
            not isinstance(value, _PYTHON[wanted]) or (isinstance(value, bool) and wanted != "boolean")
        ):
            return f"is {type(value).__name__}, not {wanted}"
        if "enum" in shape and value not in shape["enum"]:
            return f"{value!r} is not one of {shape['enum']}"
        if shape.get("read_only"):
            return "is read-only"
        return _out_of_bounds(shape, value)


def _out_of_bounds(shape: dict[str, Any], value: Any) -> str:
    size = value if isinstance(value, int | float) else len(value)
    least = next((shape[name] for name in ("min", "min_length", "min_items") if name in shape), size)
    most = next((shape[name] for name in ("max", "max_length", "max_items") if name in shape), size)
    if not least <= size <= most:
        return f"{value!r} is out of bounds"
    if isinstance(value, str):
        if not re.search(shape.get("pattern", ""), value):
            return f"{value!r} does not match {shape['pattern']}"
        if shape.get("format") == "uuid":
            try:
                uuid.UUID(value)
            except ValueError:
                return f"{value!r} is not a uuid"
    return ""


@lru_cache
def facts(system: str, version: str = "") -> Facts:
    """The facts about a system, of its newest version unless told."""
    file = f"{system}-{version}.yaml" if version else FILES[system]
    return Facts(yaml.load((FOLDER / file).read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
