"""From a pydantic model with marks to a field table, once; and the declaration of a kind."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

from pydantic import MISSING, BaseModel

from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Attribute, Field, Kind, Shape
from vastplan.schema.markers import Admits, Clears, Codec, ListMap, Marker, Refers, Unit, Wire
from vastplan.schema.types import Existing

_FIELD_MARKS = (Marker, Wire, Refers, ListMap, Clears, Admits)


def kind(
    model: type[BaseModel],
    *,
    name: str,
    system: str,
    endpoint: Endpoint,
    section: str = "",
    attributes: tuple[Attribute, ...] = (),
    **facts: Any,
) -> Kind:
    """Declare a kind from its model; every kind has the attributes `id`, `path` (its locator) and, where it has one, `name`.

    Raises `TypeError` for a mark that cannot be seen (inside a union) or an identity that is missing.
    """
    fields = fields_of(model)
    identity = tuple(field.name for field in fields if field.has(Marker.IDENTITY))
    if not identity:
        raise TypeError(f"kind {name}: no field is marked IDENTITY")
    if endpoint.update is Update.NONE:
        fields = tuple(_frozen(field) for field in fields)
    known = {attribute.name for attribute in attributes}
    implied = [Attribute("id", endpoint.id)] if "id" not in known else []
    if "path" not in known:
        implied.append(Attribute("path", ()))
    named = next((field for field in fields if field.name == "name"), None)
    if named is not None and "name" not in known:
        implied.append(Attribute("name", named.wire, lambda values: values.get("name")))
    return Kind(
        name=name,
        system=system,
        section=section,
        model=model,
        endpoint=endpoint,
        fields=fields,
        identity=identity,
        attributes=(*implied, *attributes),
        within_tenant="tenant" in model.model_fields,
        **facts,
    )


def _frozen(field: Field) -> Field:
    """The same field, immutable: an API without updates can only replace."""
    if field.markers & {Marker.IMMUTABLE, Marker.DOCUMENT, Marker.CREATE_ONLY, Marker.IDENTITY}:
        return field
    return replace(field, markers=field.markers | {Marker.IMMUTABLE})


@lru_cache
def fields_of(model: type[BaseModel]) -> tuple[Field, ...]:
    """The field table of a model, in the order of the class."""
    found = tuple(_field(model, name) for name in model.model_fields)
    if any(isinstance(one.shape, Shape) and one.name in ("sites", "per_site", "renamed_from") for one in found):
        raise TypeError(f"{model.__name__}: sites, per_site and renamed_from belong to every entry")
    return found


def _field(model: type[BaseModel], name: str) -> Field:
    info = model.model_fields[name]
    arms = [arm for arm in _arms(info.annotation) if arm is not MISSING and arm is not type(None)]
    for arm in arms:
        hidden = [mark for mark in _metadata(arm) if isinstance(mark, _FIELD_MARKS)]
        if hidden:
            raise TypeError(f"{model.__name__}.{name}: {hidden[0]} is inside a union, where it is not seen")
    metadata = [*info.metadata, *(mark for arm in arms for mark in _deep_metadata(arm))]
    one = _first(metadata, ListMap)
    refers, clears = _first(metadata, Refers), _first(metadata, Clears)
    markers = frozenset(mark for mark in metadata if isinstance(mark, Marker))
    shape, inner = _shape(model, name, arms, markers, one)
    wire = _first(metadata, Wire)
    unit = _first(metadata, Unit)
    cleared: tuple[Any, ...] = (None, "", [], {})
    return Field(
        name=name,
        wire=wire.path if wire else (name,),
        shape=shape,
        fields=fields_of(inner) if inner else (),
        markers=markers,
        refers=refers,
        key=one.path if one else (),
        key_writes=one.writes if one else (),
        key_refers=one.refers if one else None,
        codec=_first(metadata, Codec),
        unit=unit.name if unit else "",
        admits=_first(metadata, Admits),
        clears=clears.sends if clears else None,
        cleared=(*cleared, clears.sends, *clears.also) if clears else cleared,
        nullable=type(None) in list(_arms(info.annotation)) or shape is Shape.SET,
    )


def _shape(
    model: type[BaseModel], name: str, arms: list[Any], markers: frozenset[Marker], keyed: ListMap | None
) -> tuple[Shape, type[BaseModel] | None]:
    """How the arms of a union are compared, and the model of the parts."""
    plain = [arm for arm in map(_plain, arms) if arm is not Existing]
    for arm in plain:
        origin = typing.get_origin(arm)
        if origin is list:
            return (Shape.SET if Marker.SET in markers else Shape.LIST), _model(typing.get_args(arm)[0])
        if origin is dict:
            inner = _model(typing.get_args(arm)[1])
            if inner and not keyed and Marker.DOCUMENT not in markers:
                raise TypeError(f"{model.__name__}.{name}: a mapping of structs needs Keyed(...)")
            return (Shape.LIST_MAP if keyed else Shape.MAP), inner if keyed else None
    models = [arm for arm in plain if isinstance(arm, type) and issubclass(arm, BaseModel)]
    if len(plain) == 1 and models:
        return Shape.STRUCT, models[0]
    return Shape.VALUE, None


def _model(annotation: Any) -> type[BaseModel] | None:
    plain = _plain(annotation)
    return plain if isinstance(plain, type) and issubclass(plain, BaseModel) and plain is not Existing else None


def _plain(annotation: Any) -> Any:
    return typing.get_args(annotation)[0] if typing.get_origin(annotation) is Annotated else annotation


def _arms(annotation: Any) -> Iterator[Any]:
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        for arm in typing.get_args(annotation):
            yield from _arms(arm)
    else:
        yield annotation


def _metadata(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation)[1:] if typing.get_origin(annotation) is Annotated else ()


def _deep_metadata(annotation: Any) -> Iterator[Any]:
    """Unit and Codec of the arm itself, or of the items of a list."""
    yield from (mark for mark in _metadata(annotation) if isinstance(mark, Unit | Codec))
    plain = _plain(annotation)
    if typing.get_origin(plain) is list:
        yield from (mark for mark in _metadata(typing.get_args(plain)[0]) if isinstance(mark, Unit | Codec))


def _first(metadata: list[Any], wanted: type[Any]) -> Any:
    return next((mark for mark in metadata if isinstance(mark, wanted)), None)
