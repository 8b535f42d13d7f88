"""The published JSON Schemas, generated from the models; a test fails when the files in `schemas/` are stale."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import textwrap
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core.core_schema import ModelSchema

import vastplan.kinds
import vastplan.systems
from vastplan.document import specs
from vastplan.model import units
from vastplan.model.drift import Drift
from vastplan.model.export_result import Export
from vastplan.model.import_result import Import
from vastplan.model.ledger_log import LedgerLog
from vastplan.model.plan import Plan
from vastplan.model.rights import DocumentRights
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.report import json_report
from vastplan.schema.compile import fields_of
from vastplan.schema.connection import CommandSecret
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import EntryType
from vastplan.schema.field import Field
from vastplan.schema.markers import AsWitness, DefaultEvidence, SameAs, ServerDefault
from vastplan.schema.system import discover_systems

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
PRINTED: Mapping[str, Any] = MappingProxyType(
    {
        "validate": json_report.Validation,
        "apply": json_report.Applied,
        "drift": Drift,
        "import": Import,
        "export": Export,
        "show": json_report.ShownObject,
        "budget": json_report.ShownBudget,
        "ledger-list": json_report.OwnedObjects,
        "ledger-log": LedgerLog,
        "problems": json_report.Problems,
        "checks": json_report.KnownChecks,
        "rights": DocumentRights,
    }
)
_ADDRESS = {"type": "string", "pattern": r"^[^/]+/[^/]+/[\s\S]+$"}


_EVIDENCE = {
    DefaultEvidence.SCHEMA: "the vendor's schema says so",
    DefaultEvidence.PROSE: "the vendor's documentation says so",
    DefaultEvidence.WITNESS: "as far as is known; no vendor says so",
}


class Described(GenerateJsonSchema):
    """Generates a JSON Schema with each field's docstring as description, and the value its system takes if it is left out.

    Pydantic can collect docstrings itself (`use_attribute_docstrings`), but parses the source of every model at every
    start; here that happens only when a schema is generated.
    """

    def model_schema(self, schema: ModelSchema) -> Schema:
        """The schema of a model, with descriptions of its fields."""
        generated = super().model_schema(schema)
        documented, taken = attribute_docstrings(schema["cls"]), taken_when_left_out(schema["cls"])
        for name, field in generated.get("properties", {}).items():
            description = " ".join(text for text in (documented.get(name), taken.get(name)) if text)
            if description:
                field.setdefault("description", description)
        return generated


def attribute_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The docstring below each field of a model, in one line, by the field's name in documents."""
    docstrings: dict[str, str] = {}
    for owner in reversed(model.__mro__[: model.__mro__.index(BaseModel)]):
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        assert isinstance(body, ast.ClassDef)
        for statement, below in zip(body.body, body.body[1:], strict=False):
            if (
                isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
                and isinstance(below.value.value, str)
            ):
                docstrings[statement.target.id] = " ".join(below.value.value.split())
    fields = model.model_fields
    return {fields[name].alias or name: text for name, text in docstrings.items() if name in fields}


def taken_when_left_out(model: type[BaseModel]) -> dict[str, str]:
    """A sentence for each field whose value is known when it is left out: what its system takes."""
    if not any(isinstance(marker, ServerDefault) for info in model.model_fields.values() for marker in info.metadata):
        return {}  # the model may be neither a kind nor a part of one
    return {
        field.name: _taken(field, field.server_default)
        for field in fields_of(model)
        if field.server_default is not None and not field.required
    }


def _taken(field: Field, default: ServerDefault) -> str:
    value, since = default.value, f" since {default.since}" if default.since else ""
    if isinstance(value, SameAs):
        taken = f"the system takes its {value.field}"
    elif isinstance(value, AsWitness):
        taken = "the system takes what its own row has"
    elif value is None:
        taken = "it is unset"
    else:
        taken = f"the system takes {units.show_amount(value, field.unit) if field.unit else json.dumps(value)}"
    return f"Left out, {taken} ({_EVIDENCE[default.evidence]}{since})."


def json_schema(name: str) -> Schema:
    """The schema `desired-state`, `plan`, `snapshot`, `ledger`, `approvals` or `connections`, or that of a command's output (`PRINTED`)."""
    if name in PRINTED:
        printed = _open(TypeAdapter(PRINTED[name]).json_schema(mode="serialization"))
        if name == "drift":
            coverage = printed["$defs"]["Coverage"]
            coverage["properties"]["percent"] = {"type": "integer", "minimum": 0, "maximum": 100}
            coverage["required"].append("percent")
        return _titled(printed, f"vastplan {name} output")
    if name == "desired-state":
        return desired_state(discover(vastplan.kinds))
    if name == "plan":
        return _plan()
    if name == "snapshot":
        return _titled(
            _open(TypeAdapter(RecordedSnapshot).json_schema(schema_generator=Described)), "vastplan snapshot"
        )
    if name == "ledger":
        return _titled(TypeAdapter(SiteLedger).json_schema(schema_generator=Described), "vastplan ledger part")
    if name == "connections":
        connections = _models().connections_file.model_json_schema(schema_generator=Described)
        _list_systems(connections["$defs"])
        return _titled(connections, "vastplan connections file")
    from vastplan.app.files.approvals import ApprovalsFile

    return _titled(ApprovalsFile.model_json_schema(schema_generator=Described), "vastplan approvals file")


def _models() -> specs.Models:
    return specs.models(discover_systems(vastplan.systems))


def desired_state(registry: Registry, generator: type[GenerateJsonSchema] = Described) -> Schema:
    """The schema of the document. No field of an entry is required: `defaults` or `per_site` may supply it."""
    types = list(registry.sections.values())
    models = [(entry_type.model, "validation") for entry_type in types]
    _, together = models_json_schema([(_models().head, "validation"), *models], schema_generator=generator)  # type: ignore[list-item]
    defs: Schema = together["$defs"]
    head = defs.pop(specs.Head.__name__)
    properties: Schema = dict(head["properties"])
    _without_commands(defs)
    _list_systems(defs)
    for entry_type in types:
        part = defs.pop(entry_type.model.__name__)
        part.pop("required", None)
        defs[f"{entry_type.name}.part"] = part
        defs[f"{entry_type.name}.entry"] = _entry(part, entry_type.name)
    _nest(defs, types)
    for entry_type in types:
        properties[entry_type.section] = _named(entry_type)
    defaults = {entry_type.section: {"$ref": f"#/$defs/{entry_type.name}.part"} for entry_type in types}
    properties["defaults"] = {
        "type": "object",
        "properties": defaults,
        "additionalProperties": False,
        "description": "Values for all entries of a section, by section; what an entry says itself comes first.",
    }
    document = {
        "type": "object",
        "properties": properties,
        # several files may make one document, so no single file needs the head
        "additionalProperties": False,
        "$defs": dict(sorted(defs.items())),
    }
    return _titled(document, "vastplan desired state")


def _without_commands(defs: Schema) -> None:
    """Remove command secrets: the head has the types of a connections file, but a document that runs a command is refused (VP222)."""
    command = {"$ref": f"#/$defs/{CommandSecret.__name__}"}
    del defs[CommandSecret.__name__]
    for definition in defs.values():
        for field in definition.get("properties", {}).values():
            if command in field.get("anyOf", ()):
                field["anyOf"].remove(command)


def _list_systems(defs: Schema) -> None:
    """Describe the fields that are generated for each system: they have no docstring, so their model's first line is used."""
    for model in (specs.Connections, specs.SiteSpec, specs.LedgerSpec):
        for field in defs.get(model.__name__, {}).get("properties", {}).values():
            if "$ref" in field and "description" not in field:
                field["description"] = _first_line(defs[field["$ref"].rpartition("/")[2]]["description"])


def _entry(part: Schema, name: str) -> Schema:
    entry = copy.deepcopy(part)
    site = {"type": "string"}
    entry["properties"] |= {
        "sites": {
            "type": "array",
            "items": site,
            "minItems": 1,
            "description": "Sites that the entry is on; left out, all that have the systems it needs.",
        },
        "per_site": {
            "type": "object",
            "additionalProperties": {"$ref": f"#/$defs/{name}.part"},
            "description": "Values that replace those of the entry on one site, by the name of the site.",
        },
        "renamed_from": {
            "type": "string",
            "description": "Former name of the entry: what the ledger owns under it, and under names that follow from it, stays "
            "owned and is not recreated.",
        },
    }
    return entry


def _nest(defs: Schema, types: list[EntryType]) -> None:
    """Add to a tenant the entries that may be written inside it."""
    within = [entry_type for entry_type in types if entry_type.within_tenant]
    for suffix in ("part", "entry"):
        tenant: Schema = defs.get(f"tenant.{suffix}") or {"properties": {}}
        for entry_type in within:
            schema = {"$ref": f"#/$defs/{entry_type.name}.entry", "description": _summary(entry_type)}
            tenant["properties"] |= {entry_type.name: schema, entry_type.section: _named(entry_type)}


def _named(entry_type: EntryType) -> Schema:
    """The schema of a section: entries by their names."""
    schema = {"anyOf": [{"$ref": f"#/$defs/{entry_type.name}.entry"}, {"type": "null"}]}
    return {"type": "object", "additionalProperties": schema, "description": _summary(entry_type)}


def _summary(entry_type: EntryType) -> str:
    """The description of an entry: the first sentence of its model's docstring."""
    return _first_line(inspect.cleandoc(entry_type.model.__doc__ or ""))


def _first_line(text: str) -> str:
    """The first line, and the next ones up to the end of the sentence."""
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines) if line.endswith(".")), 0)
    return " ".join(lines[: end + 1])


def _plan() -> Schema:
    plan = TypeAdapter(Plan).json_schema(schema_generator=Described)
    # In the file an address is its text, and a minor version may add fields.
    plan["$defs"]["Address"] = _ADDRESS
    return _titled(_open(plan), "vastplan plan")


def _open(root: Schema) -> Schema:
    for definition in (root, *root.get("$defs", {}).values()):
        definition.pop("additionalProperties", None)
        if "format_version" in definition.get("properties", {}) and "format_version" not in definition["required"]:
            definition["required"].append("format_version")  # always written, whatever the default
    return root


def _titled(root: Schema, title: str) -> Schema:
    plain: Schema = _without_titles({"$schema": DIALECT, **root})
    return plain | {"title": title}


def _without_titles(value: Any) -> Any:
    """The schema without Pydantic's generated titles, which only repeat the names."""
    if isinstance(value, dict):
        return {
            key: _without_titles(item) for key, item in value.items() if not (key == "title" and isinstance(item, str))
        }
    if isinstance(value, list):
        return [_without_titles(item) for item in value]
    return value
