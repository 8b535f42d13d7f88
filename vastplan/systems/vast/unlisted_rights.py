"""Rights of a user or group in a tenant, which no list shows: their rows and bodies. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.errors import Refused, Unreachable
from vastplan.schema.codec import at, item_id
from vastplan.schema.endpoint import Asked, AskedMembers, Endpoint
from vastplan.schema.kind import Row


def asked_locator(shape: Asked, row: Row) -> str:
    """The locator of a row, "" if the row lacks the user or group, or the tenant."""
    place, name = row.get(shape.within), row.get(shape.name)
    return shape.locator(str(place), str(name)) if place and name else ""


def found(endpoint: Endpoint, shape: Asked, locator: str, answer: Any) -> Row | None:
    """The row of an answer, `None` if nothing is set for that user or group."""
    if not isinstance(answer, dict) or not any(answer.get(name) for name in shape.nothing):
        return None
    place, name = shape.parts(locator)
    return {**answer, shape.within: place, shape.name: name, endpoint.id[0]: locator}


def split_body(shape: Asked, body: Row) -> tuple[str, Row]:
    """The locator of the object that a body sets, and the values. Raises `Refused` if the body does not name the object."""
    locator = asked_locator(shape, body)
    if not locator:
        raise Refused(f"the body needs {shape.name} and {shape.within}")
    return locator, {key: value for key, value in body.items() if key not in (shape.within, shape.name)}


def key_rows(endpoint: Endpoint, shape: AskedMembers, owner: str, answer: Any) -> list[Row]:
    """The rows of a user's keys, in the form of any release. A `remote` key belongs to another cluster and is left out.

    Raises `Refused` for a local user, whose keys are objects of another kind. Releases before 5.4 return `key` and `status`, and the
    first segment of the API a list that begins with these two.
    """
    place, name, _ = shape.parts(owner)
    if isinstance(answer, dict) and at(answer, shape.origin[0]) == shape.origin[1]:
        raise Refused(f"{name} is a local user: write the user in users, and refer to it without existing")
    items = answer.get(shape.rows) if isinstance(answer, dict) else None
    rows = []
    for item in items or ():
        row = item
        if isinstance(item, list) and len(item) > 1:
            row = {"key": item[0], "status": item[1]}
        if not isinstance(row, dict):
            raise Unreachable(f"{endpoint.path}: {shape.rows} of {name} is not a list of objects")
        if shape.key not in row and "key" in row:
            row = {**row, shape.key: row["key"], "enabled": row.get("status") == "enabled"}
        if not row.get("remote"):
            rows.append({**row, shape.within: place, shape.of: name})
    return rows


def member_locator(endpoint: Endpoint, shape: AskedMembers, row: Row) -> str:
    """`PLACE/NAME/ID`, "" for a row that lacks any of these."""
    place, name, its = row.get(shape.within), row.get(shape.of), item_id(endpoint, row)
    return shape.locator(str(place), str(name), its) if place and name and its else ""


def known_by(shape: AskedMembers, place: Any, answer: Row) -> Row:
    """The fields of a body that name the place and the user. Raises `Refused` if the answer has no field that identifies the user."""
    for field in shape.known_by:
        if answer.get(field) not in (None, ""):
            return {field: answer[field], shape.place: place}
    raise Refused(f"the answer about {answer.get('name')} has none of {', '.join(shape.known_by)}")


def asked_body(shape: Asked, name: str, place: Any, values: Mapping[str, Any]) -> Row:
    """The body that sets values of a user or group in a place."""
    return {shape.name: name, shape.place: place, **values}
