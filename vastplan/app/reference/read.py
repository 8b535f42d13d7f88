"""The sections and fields of a document, read from the models."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import core_schema

import vastplan.kinds
import vastplan.systems
from vastplan.app import reference, schemas
from vastplan.app.reference.facts import field_facts, vendor_name
from vastplan.app.reference.structure import DocumentField, DocumentSection
from vastplan.app.reference.types import BELOW, SAYS, Schema, field_type
from vastplan.schema.compile import fields_of
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import EntryType
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.system import discover_systems
from vastplan.schema.walk import field_table

COMMON = ("sites", "per_site", "renamed_from")
"""What every entry may have beside its own fields."""
_ORDER = ("version", "name", "sites", "defaults", "limits", "ledger", "drift", "checks")


class _Collecting(schemas.Described):
    """Generates a JSON Schema with patterns described in words; collects its models by name in `models`."""

    models: dict[str, type[BaseModel]]

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        """The schema of a model, which is noted in `models`."""
        self.models[schema["cls"].__name__] = schema["cls"]
        return super().model_schema(schema)

    def custom_error_schema(self, schema: core_schema.CustomErrorSchema) -> Schema:
        """The schema of a type whose error text describes in words what it takes."""
        words = (schema.get("custom_error_context") or {}).get("words")
        return {**super().custom_error_schema(schema), SAYS: words}


@lru_cache(1)
def document_sections() -> dict[str, DocumentSection]:
    """All sections by name, those of the head first."""
    registry = discover(vastplan.kinds)
    models: dict[str, type[BaseModel]] = {}
    generator = type("Collecting", (_Collecting,), {"models": models})
    whole = schemas.desired_state(registry, generator)
    reader = _Reader(registry, whole["$defs"], models)
    properties: Mapping[str, Schema] = whole["properties"]
    heads = [name for name in _ORDER if name in properties]
    return {
        name: reader.head(name, properties[name]) if name in heads else reader.section(registry.sections[name])
        for name in (*heads, *sorted(registry.sections))
    }


def section_example(section: str) -> str:
    """The example of a section from its files, "" if it has none. Alternative forms are separate YAML documents."""
    folder = resources.files(reference) / "entries"
    files = sorted(
        (file for file in folder.iterdir() if file.name == f"{section}.yaml" or file.name.startswith(f"{section}-")),
        key=lambda file: (file.name != f"{section}.yaml", file.name),
    )
    return "---\n".join(file.read_text("utf-8") for file in files)


class _Known(NamedTuple):
    """A model's fields by name: their table entries, their docstrings, and the values in force if they are left out."""

    fields: Mapping[str, Field]
    docstrings: Mapping[str, str]
    taken: Mapping[str, str]


class _Reader:
    """Reads sections; holds what all of them need."""

    def __init__(self, registry: Registry, defs: Mapping[str, Schema], models: Mapping[str, type[BaseModel]]) -> None:
        self._registry, self._defs, self._models = registry, defs, models
        self._nested = {
            key: entry_type.section
            for entry_type in registry.sections.values()
            if entry_type.within_tenant
            for key in (entry_type.name, entry_type.section)
        }
        self._titles = {name: system.title or name for name, system in discover_systems(vastplan.systems).items()}

    def section(self, entry_type: EntryType) -> DocumentSection:
        """A section of entries."""
        kind = self._registry.kinds.get(entry_type.name)
        definition = self._defs[f"{entry_type.name}.entry"]
        properties = definition["properties"]
        own = {name: node for name, node in properties.items() if name in entry_type.model.model_fields}
        fields = self._fields(own, entry_type.model, (), kind, ())
        common = self._fields({name: properties[name] for name in COMMON}, None, (), None, ())
        several = "An entry creates several objects; `vastplan plan` lists them."
        facts = [f"An object of {self._titles[kind.system]}." if kind else several]
        if entry_type.within_tenant:
            place = f"`tenants.NAME.{entry_type.section}`, or `{entry_type.name}` for the only one"
            facts.append(f"It may also be written in a tenant: {place}.")
        if entry_type.contains:
            others = ", ".join(f"`{name}`" for name in sorted(set(self._nested.values())))
            facts.append(f"Its entries may contain entries of other sections: {others}.")
        description = _first(inspect.getdoc(entry_type.model))
        return DocumentSection(
            entry_type.section,
            "names, each with the fields below",
            description,
            tuple(facts),
            (*fields, *common),
            section_example(entry_type.section),
            self._nested if entry_type.contains else {},
        )

    def head(self, name: str, node: Schema) -> DocumentSection:
        """A section of the document's head."""
        description = str(node.get("description", ""))
        fields = self._within(node, (), None, ())
        return DocumentSection(
            name, field_type(node, None, self._section_of), description, (), fields, section_example(name)
        )

    def _section_of(self, kind: str) -> str:
        entry_type = self._registry.types.get(kind)
        return "" if entry_type is None else entry_type.section

    def _fields(
        self,
        properties: Mapping[str, Schema],
        model: type[BaseModel] | None,
        path: tuple[str, ...],
        kind: Kind | None,
        wire: tuple[str, ...],
    ) -> tuple[DocumentField, ...]:
        documented = _known(model)
        return tuple(self._described((*path, name), node, documented, kind, wire) for name, node in properties.items())

    def _described(
        self, path: tuple[str, ...], node: Schema, documented: _Known, kind: Kind | None, wire: tuple[str, ...]
    ) -> DocumentField:
        name = path[-1]
        field, taken = documented.fields.get(name), documented.taken.get(name, "")
        own = f"Left out, it is `{_shown(node['default'])}`." if "default" in node else ""
        fields = self._within(node, path, kind, wire if field is None else (*wire, *field.wire))
        type_ = field_type(node, field, self._section_of)
        return DocumentField(
            path=path,
            type=type_ if fields else type_.replace(BELOW, "fields of the entry"),
            # a field without a docstring may have a description in the schema; one that only gives the default is skipped
            meaning=documented.docstrings.get(name) or ("" if taken else str(node.get("description", ""))),
            left_out=taken or own,
            facts=() if field is None else field_facts(field, kind),
            vendor="" if field is None else vendor_name(field, kind, wire),
            fields=fields,
        )

    def _below(self, node: Schema) -> tuple[str, ...]:
        """The names of the definitions inside a field: of its value, or of each item of its list or mapping."""
        if "$ref" in node:
            name = str(node["$ref"]).rpartition("/")[2]
            return () if name == "Existing" or name.endswith((".entry", ".part")) else (name,)
        inner = [*node.get("anyOf", ()), *node.get("patternProperties", {}).values()]
        inner += [
            schema for schema in (node.get("items"), node.get("additionalProperties")) if isinstance(schema, dict)
        ]
        return tuple(dict.fromkeys(name for schema in inner for name in self._below(schema)))

    def _within(
        self, node: Schema, path: tuple[str, ...], kind: Kind | None, wire: tuple[str, ...]
    ) -> tuple[DocumentField, ...]:
        """The fields inside a field; each name once if the value can be one of several definitions."""
        rows = (
            field
            for name in self._below(node)
            for field in self._fields(self._defs[name]["properties"], self._models.get(name), path, kind, wire)
        )
        return tuple({field.path: field for field in rows}.values())


@lru_cache(512)
def _known(model: type[BaseModel] | None) -> _Known:
    if model is None:
        return _Known({}, {}, {})
    try:
        fields = field_table(fields_of(model)).by_name
    except TypeError:  # the models of the head are not tables of fields as those of kinds are
        fields = {}
    return _Known(fields, schemas.attribute_docstrings(model), schemas.taken_when_left_out(model))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _first(docstring: str | None) -> str:
    return " ".join((docstring or "").partition("\n\n")[0].split())
