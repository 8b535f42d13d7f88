"""What is set of somebody in a place, and nobody lists: its rows and bodies. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.errors import Refused
from vastplan.schema.endpoint import Asked, Endpoint
from vastplan.schema.kind import Row


def locator(shape: Asked, row: Row) -> str:
    """Where a row's object is asked for, "" for a row that does not say of whom or where."""
    place, name = row.get(shape.within), row.get(shape.name)
    return shape.locator(str(place), str(name)) if place and name else ""


def found(endpoint: Endpoint, shape: Asked, locator: str, answer: Any) -> Row | None:
    """The row of an answer, `None` where nothing is set of who is asked for."""
    if not isinstance(answer, dict) or not any(answer.get(name) for name in shape.nothing):
        return None
    place, name = shape.parts(locator)
    return {**answer, shape.within: place, shape.name: name, endpoint.id[0]: locator}


def split(shape: Asked, body: Row) -> tuple[str, Row]:
    """The locator of what a body is to set, and what it sets; raises `Refused` where it does not say of whom."""
    at = locator(shape, body)
    if not at:
        raise Refused(f"nothing says whose it is to be: {shape.name} and {shape.within}")
    return at, {key: value for key, value in body.items() if key not in (shape.within, shape.name)}


def addressed(shape: Asked, name: str, place: Any, values: Mapping[str, Any]) -> Row:
    """The body that sets values of somebody in a place."""
    return {shape.name: name, shape.place: place, **values}
