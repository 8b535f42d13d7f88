"""What a model allows at a place in a document: which structs, with which keys."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel

from vastplan.model import units
from vastplan.schema.markers import Unit
from vastplan.schema.types import Existing, Says

_EXAMPLES = {
    units.BYTES: "SIZE, such as 500 GiB",
    units.BANDWIDTH: "BANDWIDTH, such as 2 GB/s",
    units.SECONDS: "TIME, such as 24h",
}
_NAMED = 4  # keys of a struct that a message lists


def models_at(model: type[BaseModel], path: Iterable[Any]) -> tuple[type[BaseModel], ...]:
    """The structs that the model allows at a path."""
    allowed: list[Any] = [model]
    for step in path:
        allowed = [inner for annotation in allowed for inner in _below(annotation, step)]
    models = (
        annotation for annotation in allowed if isinstance(annotation, type) and issubclass(annotation, BaseModel)
    )
    return tuple(dict.fromkeys(models))


def keys_at(model: type[BaseModel], path: Iterable[Any]) -> list[str]:
    """The keys of the structs that the model allows at a path."""
    return list(dict.fromkeys(key for holder in models_at(model, path) for key in holder.model_fields))


def form(model: type[BaseModel]) -> str:
    """The short form of a struct for messages: the `SAYS` of its class, else its required keys, else its first keys."""
    fixed_form = getattr(model, "SAYS", "")
    if fixed_form:
        return str(fixed_form)
    required = [name for name, info in model.model_fields.items() if info.is_required()]
    if required:
        return f"{{{', '.join(f'{name}: ...' for name in required[:_NAMED])}}}"
    names = list(model.model_fields)
    others_text = ", ..." if len(names) > _NAMED else ""
    return f"a mapping with {', '.join(names[:_NAMED])}{others_text}" if names else "a mapping"


def field_example(model: type[BaseModel], path: Sequence[Any]) -> str:
    """An example of what to write for a field, as far as its type shows it; `TEXT` where it does not."""
    for holder in models_at(model, path[:-1]):
        info = holder.model_fields.get(path[-1])
        if info is None:
            continue
        metadata = [*info.metadata, *_metadata(info.annotation)]
        unit = next((marker.name for marker in metadata if isinstance(marker, Unit)), "")
        if unit in _EXAMPLES:
            return _EXAMPLES[unit]
        arms = list(plain_types(info.annotation))
        words = next((marker.words for marker in metadata if isinstance(marker, Says)), "")
        if Existing in arms or words.startswith("a name"):
            return "NAME"
        if words:
            return words
        structs = [arm for arm in arms if isinstance(arm, type) and issubclass(arm, BaseModel)]
        if structs:
            example = form(structs[0])
            return example if example.startswith("{") else "{...}"
        origin, arguments = typing.get_origin(arms[0]), typing.get_args(arms[0])
        if origin is Literal:
            return " or ".join(
                [", ".join(map(str, arguments[:-1])), str(arguments[-1])] if len(arguments) > 1 else map(str, arguments)
            )
        if origin in (list, dict):
            return "[...]" if origin is list else "{...}"
        if arms[0] in (int, float, bool):
            return "NUMBER" if arms[0] is not bool else "true or false"
    return "TEXT"


def _metadata(annotation: Any) -> Iterator[Any]:
    """The metadata of a type and of the arms of its union."""
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        yield from typing.get_args(annotation)[1:]
        yield from _metadata(typing.get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for arm in typing.get_args(annotation):
            yield from _metadata(arm)


def _below(annotation: Any, step: Any) -> Iterator[Any]:
    """The types of the value under a key, or of the items of a list or mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        info = annotation.model_fields.get(step) if isinstance(step, str) else None
        if info is not None:
            yield from plain_types(info.annotation)
        return
    arguments = typing.get_args(annotation)
    if arguments:
        yield from plain_types(arguments[-1])


def plain_types(annotation: Any) -> Iterator[Any]:
    """The arms of a type's union, without metadata."""
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        yield from plain_types(typing.get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for arm in typing.get_args(annotation):
            yield from plain_types(arm)
    else:
        yield annotation
