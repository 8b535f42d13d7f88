"""Compiles a pydantic model with markers into a field table."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any

from pydantic import MISSING, BaseModel

from vastplan.schema.field import VALUE, Field, Shape
from vastplan.schema.markers import (
    Admits,
    Clears,
    Codec,
    CreatedWith,
    Deletes,
    Exclusive,
    FixedWhile,
    FollowsFrom,
    Grows,
    InsteadOf,
    KeysOfOthers,
    Limits,
    ListMap,
    Marker,
    Meaning,
    Opens,
    Reduces,
    Refers,
    RequiredFrom,
    Revokes,
    ServerDefault,
    Shorthand,
    Shown,
    ShownAt,
    Since,
    Typed,
    Unit,
    Until,
    Wire,
)
from vastplan.schema.rows import ABSENT
from vastplan.schema.shapes.list import LIST
from vastplan.schema.shapes.list_map import LIST_MAP
from vastplan.schema.shapes.map import MAP
from vastplan.schema.shapes.set import SET
from vastplan.schema.shapes.struct import STRUCT
from vastplan.schema.types import Existing
from vastplan.schema.walk import EMPTY, FieldTable

_FIELD_MARKERS = (
    Marker,
    Wire,
    ShownAt,
    Refers,
    ListMap,
    Clears,
    Admits,
    Opens,
    Revokes,
    Deletes,
    Reduces,
    CreatedWith,
    Limits,
    Exclusive,
    InsteadOf,
    Shown,
    Since,
    Until,
    RequiredFrom,
    ServerDefault,
    Shape,
    Shorthand,
    KeysOfOthers,
    FollowsFrom,
)
_DEEP_MARKERS = (Unit, Codec, Typed, Meaning)


@lru_cache
def fields_of(model: type[BaseModel]) -> FieldTable:
    """The field table of a model, in the order of the class."""
    reserved = model.model_fields.keys() & {"sites", "per_site", "renamed_from"}
    if reserved:
        raise TypeError(f"{model.__name__}: sites, per_site and renamed_from belong to every entry")
    return FieldTable(_field(model, name) for name in model.model_fields)


def _field(model: type[BaseModel], name: str) -> Field:
    info = model.model_fields[name]
    every_arm = list(_arms(info.annotation))
    arms = [arm for arm in every_arm if arm is not MISSING and arm is not type(None)]
    for arm in arms:
        hidden = [marker for marker in _metadata(arm) if isinstance(marker, _FIELD_MARKERS)]
        if hidden:
            raise TypeError(f"{model.__name__}.{name}: {hidden[0]} is inside a union, where it is not seen")
    metadata = [*info.metadata, *(marker for arm in arms for marker in _deep_metadata(arm))]
    list_map, refers, clears = _first(metadata, ListMap), _first(metadata, Refers), _first(metadata, Clears)
    wire, unit = _first(metadata, Wire), _first(metadata, Unit)
    shown_at = _first(metadata, ShownAt)
    markers = frozenset(marker for marker in metadata if isinstance(marker, Marker))
    shape, parts = _shape(f"{model.__name__}.{name}", arms, markers, list_map)
    shape = _first(metadata, Shape) or shape
    shown_keys = _first(metadata, Shown)
    if shown_keys and (shape is not MAP or Marker.SENSITIVE in markers):
        raise TypeError(f"{model.__name__}.{name}: only a mapping that is no secret has keys that are shown")
    meaning = _first(metadata, Meaning)
    if meaning and shape is not VALUE:
        raise TypeError(f"{model.__name__}.{name}: only a single text has a Meaning; the items of a list have a Codec")
    cleared: tuple[Any, ...] = (None, "", [], {})
    return Field(
        name=name,
        wire=wire.path if wire else (name,),
        shown_at=shown_at.path if shown_at else (),
        shape=shape,
        fields=fields_of(parts) if parts else EMPTY,
        markers=markers,
        refers=refers,
        key=list_map.path if list_map else (),
        key_writes=list_map.writes if list_map else (),
        key_refers=list_map.refers if list_map else None,
        codec=_first(metadata, Codec),
        meaning=meaning,
        unit=unit.name if unit else "",
        typed=_first(metadata, Typed),
        shorthand=_first(metadata, Shorthand),
        default=ABSENT if info.is_required() or info.default is MISSING else info.default,
        admits=_first(metadata, Admits),
        opens=_first(metadata, Opens),
        revokes=_first(metadata, Revokes),
        deletes=_first(metadata, Deletes),
        reduces=_first(metadata, Reduces),
        created_with=_first(metadata, CreatedWith),
        limits=_first(metadata, Limits),
        grows=_first(metadata, Grows),
        fixed_while=_first(metadata, FixedWhile),
        exclusive=_first(metadata, Exclusive),
        instead_of=_first(metadata, InsteadOf),
        shown=shown_keys,
        keys_of_others=_first(metadata, KeysOfOthers),
        follows=_first(metadata, FollowsFrom),
        clears=clears.sends if clears else None,
        cleared=(*cleared, clears.sends, *clears.also) if clears else cleared,
        nullable=type(None) in every_arm or shape.unordered,
        versions=tuple(marker for marker in metadata if isinstance(marker, Since | Until)),
        required_from=_first(metadata, RequiredFrom),
        server_default=_first(metadata, ServerDefault),
        required=info.is_required(),
    )


def _shape(
    place: str, arms: list[Any], markers: frozenset[Marker], list_map: ListMap | None
) -> tuple[Shape, type[BaseModel] | None]:
    """The shape that a type implies, and the model of its inner fields, if it has any."""
    plain = [arm for arm in map(_plain, arms) if arm is not Existing]
    for arm in plain:
        origin = typing.get_origin(arm)
        if origin is list:
            return (SET if Marker.SET in markers else LIST), _model(typing.get_args(arm)[0])
        if origin is dict:
            parts = _model(typing.get_args(arm)[1])
            if parts and not list_map and Marker.DOCUMENT not in markers:
                raise TypeError(f"{place}: a mapping of structs needs ListMap(...)")
            return (LIST_MAP, parts) if list_map else (MAP, None)
    models = [arm for arm in plain if isinstance(arm, type) and issubclass(arm, BaseModel)]
    if len(plain) == 1 and models:
        return STRUCT, models[0]
    return VALUE, None


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
    """The markers Unit, Codec, Typed and Meaning of the arm itself, or of the items of a list."""
    yield from (marker for marker in _metadata(annotation) if isinstance(marker, _DEEP_MARKERS))
    plain = _plain(annotation)
    if typing.get_origin(plain) is list:
        item = typing.get_args(plain)[0]
        yield from (marker for marker in _metadata(item) if isinstance(marker, _DEEP_MARKERS))


def _first(metadata: list[Any], wanted: type[Any]) -> Any:
    for marker in metadata:  # runs ten times for every field: a generator takes three times as long
        if isinstance(marker, wanted):
            return marker
    return None
