"""Of every field it is said what its system takes where nobody writes it, or why nobody says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import MISSING, BaseModel, TypeAdapter

from tests.defaults.marks import KINDS, leaf_fields
from vastplan.schema.compile import fields_of
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import AsWitness, Marker, SameAs

REASONS = {
    "unset": "nothing is there unless somebody writes it: null or empty, which is left out as such",
    "chosen": "the system or the composition chooses another object",
    "written always": "what it says must be seen in the text",
    "named": "it is filled in from the entry's name",
    "theirs": "belongs to whoever wrote it",
    "composed": "the object is made by a composition, which says all of it",
    "unknown": "no vendor says so, and no client",
}
TEXT = (Path(__file__).parent / "none-known.yaml").read_text(encoding="utf-8")
NONE_KNOWN: dict[str, dict[str, str]] = yaml.safe_load(TEXT)


def own_default(kind: Kind, path: tuple[str, ...]) -> bool:
    """Whether the document has a default of its own, which is compared though nobody writes it."""
    info = kind.model.model_fields.get(path[0])
    return len(path) == 1 and info is not None and not info.is_required() and info.default is not MISSING


def unsaid(kind: Kind) -> Iterator[str]:
    for path, field in leaf_fields(kind.fields):
        if not (field.required or field.server_default or field.has(Marker.IDENTITY) or own_default(kind, path)):
            yield ".".join(path)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_field_has_a_default_or_a_reason(name: str) -> None:
    reasons = NONE_KNOWN.get(name, {})
    fields = set(unsaid(KINDS[name]))
    assert fields - reasons.keys() == set(), "mark it with ServerDefault, or say in none-known.yaml why not"
    assert reasons.keys() - fields == set(), "needs no reason"


def test_the_reasons_are_those_that_there_are() -> None:
    assert NONE_KNOWN.keys() <= KINDS.keys()
    given = {reason for reasons in NONE_KNOWN.values() for reason in reasons.values()}
    assert given == set(REASONS)


def marked(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, Field, Any]]:
    """Every field with a default, with its type."""
    for field in fields_of(model):
        if field.server_default is not None and not isinstance(field.server_default.value, SameAs | AsWitness):
            yield f"{prefix}.{field.name}", field, model.model_fields[field.name].rebuild_annotation()


def models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for info in model.model_fields.values():
        for part in _parts(info.annotation):
            yield from models(part)


def _parts(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _parts(inner)


def test_a_default_is_a_value_that_a_document_may_have() -> None:
    wrong = []
    for kind in KINDS.values():
        for model in dict.fromkeys(models(kind.model)):
            for place, field, annotation in marked(model, kind.name):
                assert field.server_default is not None
                value = field.server_default.value
                if value is not None and TypeAdapter(annotation).validate_python(value) != value:
                    wrong.append(place)
    assert wrong == []


@pytest.mark.parametrize(("name", "field"), [("view", "protocols"), ("view_policy", "flavor")])
def test_what_is_written_always_has_no_default(name: str, field: str) -> None:
    assert KINDS[name].field(field).server_default is None
    assert NONE_KNOWN[name][field] == "written always"
