"""The vendors' field tables as validators: which operations exist, and what their bodies may hold."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import jsonschema
import jsonschema.protocols

from vastplan.sim.older import older


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented operation: its query names, its body's validator and its answers."""

    method: str
    path: str
    query: dict[str, Any]
    responses: dict[str, Any]
    body: dict[str, Any] | None
    validator: jsonschema.protocols.Validator | None

    def problems(self, body: Any) -> list[jsonschema.ValidationError]:
        """Why the document refuses this body; empty when it does not."""
        return (
            []
            if self.validator is None
            else sorted(self.validator.iter_errors(body), key=lambda e: list(map(str, e.path)))
        )

    def vouch(self, status: int) -> None:
        """Raise `AssertionError` when the document has no such answer; refusals are not all documented."""
        assert status >= 300 or str(status) in self.responses, f"{self.method} {self.path} does not answer {status}"


class Table:
    """One vendor document's facts."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        for path in content["paths"]:
            pattern = re.sub(r"\\\{[^/]+\\\}", r"([^/]+)", re.escape(path.rstrip("/")))
            self._patterns.append((re.compile(pattern + "/?"), path))
        # A literal segment wins over a parameter: /projects/count before /projects/{id}.
        self._patterns.sort(key=lambda item: item[1].count("{"))
        self._operations: dict[tuple[str, str], Operation] = {}

    def match(self, path: str) -> tuple[str, tuple[str, ...]] | None:
        """The documented path template that `path` is an instance of, and its parameters."""
        for pattern, template in self._patterns:
            found = pattern.fullmatch(path)
            if found:
                return template, found.groups()
        return None

    def operation(self, method: str, template: str) -> Operation | None:
        """The operation of a template, or `None` when the document has none."""
        known = self.content["paths"].get(template, {}).get(method)
        if known is None:
            return None
        if (method, template) not in self._operations:
            body = known.get("body")
            validator = (
                jsonschema.Draft202012Validator({**body, "schemas": self.content["schemas"]})
                if body is not None
                else None
            )
            self._operations[method, template] = Operation(
                method, template, known["query"], known["responses"], body, validator
            )
        return self._operations[method, template]

    def fields(self, schema: dict[str, Any] | None) -> dict[str, Any]:
        """The properties of a schema, through one reference."""
        while schema and "$ref" in schema:
            schema = self.content["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return (schema or {}).get("properties", {})  # type: ignore[no-any-return]


@lru_cache
def load(name: str) -> Table:
    """The table `tables/NAME.json`; raises `FileNotFoundError` naming those there are."""
    folder = resources.files(__package__) / "tables"
    file = folder / f"{name}.json"
    if not file.is_file():
        known = sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))
        raise FileNotFoundError(f"no field table {name!r}; there are {', '.join(known)}")
    content = json.loads(file.read_text())
    return Table(older(load(content["base"]).content, content) if "base" in content else content)
