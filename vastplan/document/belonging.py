"""Where a key belongs that is written at the wrong level: what the vocabulary around its place has it. Pure."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from vastplan.model.wording import some
from vastplan.schema.choices import keys_at, models_at, plain_types

NAME = "NAME"
"""The step of a path for a key that the writer of the document chooses."""
_DEPTH = 3  # levels below a place that are searched
_LISTED = 3

Place = tuple[str, ...]


class KeyPlace(NamedTuple):
    """A place where a key is known: what has it, the path to write, and whether it was meant rather than a similar key."""

    owner: str
    path: str
    sure: bool = False


def key_places(model: type[BaseModel], path: Sequence[Any], base: str, whole: str) -> list[KeyPlace]:
    """Where the last step of `path` is known in a model, but not there: in or below the nearest struct around it where it is.

    `base` is where the model is in the document ("" for the top), `whole` the name of all that it describes.
    """
    *holder, key = path
    for depth in range(len(holder), -1, -1):
        around = tuple(map(str, holder[:depth]))
        has_it = depth < len(holder) and key in keys_at(model, holder[:depth])
        places = [(*around, key)] if has_it else []
        places += [(*around, *place) for place in _below(models_at(model, holder[:depth]), key)]
        if places:
            prefix = (base,) if base else ()
            return [
                KeyPlace(_owner_of(place, whole), ".".join((*prefix, *place)), len(place) < len(path))
                for place in places
            ]
    return []


def belongs(places: Iterable[KeyPlace]) -> str:
    """The fix for a key with these places; "" for none."""
    places = list(places)
    owners = list(dict.fromkeys(place.owner for place in places))
    if len(owners) > _LISTED:
        return f"it belongs to {some(owners, _LISTED)}"
    several = f"{', '.join(owners[:-1])} or {owners[-1]}" if len(owners) > 1 else "".join(owners)
    paths = ", ".join(dict.fromkeys(place.path for place in places))
    return f"it belongs to {several}: {paths}" if places else ""


def a(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def _owner_of(place: Place, whole: str) -> str:
    """The field that holds the key at the end of a place; `whole` if it is in none."""
    return next((step for step in reversed(place[:-1]) if step != NAME and not step.isdecimal()), whole)


def _below(models: Sequence[type[BaseModel]], key: str) -> list[Place]:
    """The nearest places below these structs that have the key."""
    level: dict[type[BaseModel], Place] = dict.fromkeys(models, ())
    for _ in range(_DEPTH):
        level = {inner: (*place, *steps) for outer, place in level.items() for inner, steps in _inner(outer)}
        found = [(*place, key) for inner, place in level.items() if key in inner.model_fields]
        if found:
            return list(dict.fromkeys(found))
    return []


def _inner(model: type[BaseModel]) -> Iterator[tuple[type[BaseModel], Place]]:
    """The structs that are values of a struct's fields, or of the items of a list or mapping there."""
    for name, info in model.model_fields.items():
        for annotation in plain_types(info.annotation):
            if _is_struct(annotation):
                yield annotation, (name,)
            elif arguments := typing.get_args(annotation):
                named = (name, NAME) if typing.get_origin(annotation) is dict else (name,)
                yield from ((item, named) for item in plain_types(arguments[-1]) if _is_struct(item))


def _is_struct(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
