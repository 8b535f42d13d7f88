"""Objects that belong to an owner and have no path of their own: their rows, locators and requests. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vastplan.model.errors import Refused, Unreachable
from vastplan.schema.codec import at, item_id
from vastplan.schema.endpoint import Endpoint, Members, WirePath
from vastplan.schema.kind import Row
from vastplan.systems.transport import segment


def of_owners(endpoint: Endpoint, shape: Members, rows: Iterable[Row]) -> list[Row]:
    """The members in listed rows: the rows themselves, or what is within each of them, with the owner's id."""
    if not shape.within:
        return list(rows)
    rows_of_members = []
    for owner in rows:
        members = at(owner, shape.within)
        if members is None:
            continue
        if not isinstance(members, list) or not all(isinstance(member, dict) for member in members):
            raise Unreachable(
                f"{endpoint.path}: {'.'.join(shape.within)} of {owner.get('id')} is not a list of objects"
            )
        rows_of_members += [with_owner(shape, member, str(owner.get("id", ""))) for member in members]
    return rows_of_members


def with_owner(shape: Members, row: Row, owner: str) -> Row:
    """The row with its owner's id, where rows of this kind have it."""
    return _with(row, shape.owner, int(owner) if owner.isdecimal() else owner)


def split_owner(shape: Members, body: Row) -> tuple[str, Row]:
    """A body's owner, "" when it has none, and the body without it: the owner is in the path."""
    owner = at(body, shape.owner)
    return "" if owner is None else str(owner), _without(body, shape.owner)


def members_path(shape: Members, owner: str) -> str:
    """The path at which an owner's members are created, changed and deleted. Raises `Refused` if the body named no owner."""
    if not owner:
        raise Refused(f"{shape.path}: the body names no owner")
    return shape.path.replace("{owner}", segment(owner))


def owner_locator(endpoint: Endpoint, shape: Members, row: Row) -> str:
    """`OWNER/ID`, "" for a row that lacks either."""
    owner, member = at(row, shape.owner), item_id(endpoint, row)
    return f"{owner}/{member}" if owner is not None and member else ""


def owner_and_id(locator: str) -> tuple[str, str]:
    """Owner and id of a locator; an id may hold slashes, an owner does not."""
    owner, _, member = locator.partition("/")
    return owner, member


def member_path(shape: Members, locator: str) -> tuple[str, Row]:
    """The path at which a member is changed and deleted, and what in the body names it."""
    owner, member = owner_and_id(locator)
    return members_path(shape, owner), {shape.key: member}


def removed_with(shape: Members, row: Row) -> Row:
    """The fields of a DELETE besides the member's id, as far as its row has them."""
    values = {name: at(row, place) for name, place in shape.removed_with}
    return {name: value for name, value in values.items() if value is not None}


def _with(row: Row, place: WirePath, value: Any) -> Row:
    if len(place) == 1:
        return {**row, place[0]: value}
    inner = row.get(place[0])
    return {**row, place[0]: _with(inner if isinstance(inner, dict) else {}, place[1:], value)}


def _without(body: Row, place: WirePath) -> Row:
    if len(place) == 1:
        return {key: value for key, value in body.items() if key != place[0]}
    inner = body.get(place[0])
    if not isinstance(inner, dict):
        return body
    rest = _without(inner, place[1:])
    return {**{key: value for key, value in body.items() if key != place[0]}, **({place[0]: rest} if rest else {})}
