"""The vendors' field tables as validators: which operations exist, and what their bodies may hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import jsonschema
import jsonschema.protocols

from vastplan.sim.older_versions import older


@dataclass(frozen=True, slots=True, eq=False)
class TableOperation:
    """One documented operation: its query names, its body's validator and its answers. A table has one instance of each."""

    method: str
    path: str
    query: dict[str, Any]
    responses: dict[str, Any]
    body: dict[str, Any] | None
    validator: jsonschema.protocols.Validator | None

    def problems(self, body: Any) -> list[jsonschema.ValidationError]:
        """The errors for which the document refuses this body; empty if it is accepted."""
        return (
            []
            if self.validator is None
            else sorted(self.validator.iter_errors(body), key=lambda e: list(map(str, e.path)))
        )

    def assert_documented(self, status: int) -> None:
        """Raise `AssertionError` for a success status that the document lacks; refusals are not all documented."""
        assert status >= 300 or str(status) in self.responses, f"{self.method} {self.path} does not answer {status}"


class _Segment:
    """The templates that continue from one segment of a path; `{name}` matches any text that is not empty."""

    def __init__(self) -> None:
        self._template: str | None = None
        self._literals: dict[str, _Segment] = {}
        self._parameter: _Segment | None = None

    def add(self, template: str) -> None:
        """Add a template."""
        node = self
        for segment in template.rstrip("/").split("/"):
            if segment.startswith("{"):
                node._parameter = node._parameter or _Segment()
                node = node._parameter
            else:
                node = node._literals.setdefault(segment, _Segment())
        node._template = template

    def match(self, segments: list[str], index: int) -> tuple[str, tuple[str, ...]] | None:
        """The template of a path's segments from `index` on, and its parameters.

        A literal segment wins over a parameter: /projects/count before /projects/{id}.
        """
        if index == len(segments):
            return (self._template, ()) if self._template is not None else None
        segment = segments[index]
        literal = self._literals.get(segment)
        matched = literal.match(segments, index + 1) if literal else None
        if matched is None and self._parameter and segment:
            matched = self._parameter.match(segments, index + 1)
            return matched and (matched[0], (segment, *matched[1]))
        return matched


class Table:
    """One vendor document's facts."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        self._templates = _Segment()
        self._named: dict[str, list[str]] = content.get("named", {})
        for path in (*content["paths"], *self._named):
            self._templates.add(path)
        self._operations: dict[tuple[str, str], TableOperation] = {}

    def match(self, path: str) -> tuple[str, tuple[str, ...]] | None:
        """The documented path template that `path` is an instance of, and its parameters."""
        return self._templates.match(path.removesuffix("/").split("/"), 0)

    def operation(self, method: str, template: str) -> TableOperation | None:
        """The operation of a template, `None` if the document has none."""
        entry = self.content["paths"].get(template, {}).get(method)
        if entry is None:
            return None
        if (method, template) not in self._operations:
            body = entry.get("body")
            validator = (
                jsonschema.Draft202012Validator({**body, "schemas": self.content["schemas"]})
                if body is not None
                else None
            )
            self._operations[method, template] = TableOperation(
                method, template, entry["query"], entry["responses"], body, validator
            )
        return self._operations[method, template]

    def methods(self, template: str) -> list[str]:
        """The documented methods of a template."""
        return sorted({*self.content["paths"].get(template, {}), *self._named.get(template, ())})

    def only_named(self, method: str, template: str) -> bool:
        """Whether the document has the operation, but the table keeps only its name."""
        return method in self._named.get(template, ())

    def behind(self, schema: dict[str, Any] | None) -> dict[str, Any]:
        """The schema with its references followed."""
        while schema and "$ref" in schema:
            schema = self.content["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return schema or {}

    def fields(self, schema: dict[str, Any] | None) -> dict[str, Any]:
        """The properties of a schema, with its references followed."""
        return self.behind(schema).get("properties", {})  # type: ignore[no-any-return]


@lru_cache
def load_table(name: str) -> Table:
    """The table `tables/NAME.json`; raises `FileNotFoundError` with the names of the tables that exist."""
    folder = resources.files(__package__) / "tables"
    file = folder / f"{name}.json"
    if not file.is_file():
        names = sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))
        raise FileNotFoundError(f"no field table {name!r}; there are {', '.join(names)}")
    content = json.loads(file.read_text())
    return Table(older(load_table(content["base"]).content, content) if "base" in content else content)
