"""What an update sends, in each way that a system may want it; and what is compared of what it never shows. Pure."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from vastplan.engine.live.body import update_body
from vastplan.engine.live.diff import diff, digests, value_at
from vastplan.model.plan import Cause
from vastplan.schema.codec import Encoder
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind
from vastplan.schema.markers import ATOMIC, CREATE_ONLY, FIRST_VALUE, IDENTITY, IMMUTABLE, WRITE_ONLY, ListMap, Wire
from vastplan.schema.types import MISSING, Name, Spec

KEY = "00" * 32


class Place(Spec):
    """A place in a room."""

    desk: int | MISSING = MISSING
    lamp: bool | MISSING = MISSING


class Light(Spec):
    """What a room is lit with."""

    colour: str | MISSING = MISSING
    power: int | MISSING = MISSING


class Room(Spec):
    """A reading room."""

    name: Annotated[Name, IDENTITY]
    floor: Annotated[int | MISSING, IMMUTABLE] = MISSING
    via: Annotated[str | MISSING, CREATE_ONLY] = MISSING
    sign: Annotated[str | MISSING, IMMUTABLE, FIRST_VALUE] = MISSING
    size: int | MISSING = MISSING
    light: Light | None | MISSING = MISSING
    first: Annotated[int | MISSING, ATOMIC, Wire("hours", "first")] = MISSING
    last: Annotated[int | MISSING, ATOMIC, Wire("hours", "last")] = MISSING
    places: Annotated[dict[str, Place] | MISSING, ListMap(("name",)), Wire("seats")] = MISSING
    extras: Annotated[dict[str, Place] | MISSING, ListMap(("name",))] = MISSING
    code: Annotated[str | MISSING, WRITE_ONLY] = MISSING
    seal: Annotated[str | MISSING, WRITE_ONLY, IMMUTABLE] = MISSING


def room(update: Update, keep: tuple[str, ...] = (), omit: tuple[str, ...] = ()) -> Kind:
    """The kind, with an API of that habit."""
    return Kind(Room, name="room", system="library", endpoint=Endpoint("rooms", update=update, keep=keep, omit=omit))


def sent(of: Kind, values: dict[str, Any], fresh: dict[str, Any], *paths: str) -> dict[str, Any]:
    """The body of an update of these leaves."""
    encoder = Encoder("iad", lambda ref, attribute: "?", lambda secret: "?")
    return update_body(of, values, {tuple(path.split(".")) for path in paths}, fresh, encoder)


FRESH: dict[str, Any] = {
    "id": "n1", "name": "r", "floor": 2, "size": 4, "light": {"colour": "warm", "power": 9, "age": 7}, "made": "2025",
    "version": 3, "note": None, "hours": {"first": 8, "last": 20, "holiday": 12},
    "seats": [{"name": "a", "desk": 1, "lamp": True, "age": 5}, {"name": "b", "desk": 2, "age": 6}],
    "extras": [{"name": "x", "desk": 8, "age": 9}],
}  # fmt: skip


def test_a_patch_sends_the_changed_fields_and_their_structs_whole() -> None:
    of = room(Update.PATCH)
    values = {"name": "r", "size": 5, "light": {"power": 3}}
    assert sent(of, values, FRESH, "size") == {"size": 5}
    assert sent(of, values, FRESH, "light.power") == {"light": {"colour": "warm", "power": 3}}
    assert sent(of, {"light": None}, FRESH, "light") == {"light": None}


def test_a_patch_sends_the_first_value_of_what_is_not_changed_afterwards() -> None:
    values = {"name": "r", "floor": 7, "sign": "quiet"}
    assert sent(room(Update.PATCH), values, FRESH, "sign") == {"sign": "quiet"}
    first, another = (
        diff(room(Update.PATCH), {"sign": "quiet"}, {"sign": live}, None, KEY).changes[0] for live in (None, "loud")
    )
    assert (first.replaces, another.replaces) == (False, True)


def test_a_merge_patch_sends_the_changed_leaves_and_what_goes_only_together() -> None:
    of = room(Update.MERGE_PATCH)
    values = {"name": "r", "size": 5, "light": {"colour": "cold", "power": 3}, "first": 9, "last": 20}
    assert sent(of, values, FRESH, "light.power") == {"light": {"power": 3}}
    assert sent(of, values, FRESH, "first") == {"hours": {"first": 9, "last": 20}}
    assert sent(of, {"name": "r", "first": 9}, FRESH, "first") == {"hours": {"first": 9}}


def test_a_put_sends_the_whole_object_as_it_was_read_with_our_values_over_it() -> None:
    of = room(Update.PUT, keep=("version", "note", "gone"), omit=("size",))
    body = sent(of, {"name": "r", "floor": 7, "via": "door", "size": 5, "last": 21}, FRESH, "last")
    assert body == {
        "name": "r", "light": {"colour": "warm", "power": 9}, "hours": {"first": 8, "last": 21}, "version": 3,
        "seats": [{"name": "a", "desk": 1, "lamp": True}, {"name": "b", "desk": 2}], "extras": [{"name": "x", "desk": 8}],
    }  # fmt: skip


def test_members_that_the_document_does_not_name_go_back_exactly_as_they_were_read() -> None:
    of = room(Update.PUT, keep=("seats",))
    body = sent(of, {"name": "r", "places": {"a": {"desk": 5}, "c": {"desk": 9}}}, FRESH, "places.a.desk")
    assert body["seats"] == [
        {"name": "a", "desk": 5, "lamp": True, "age": 5}, {"name": "b", "desk": 2, "age": 6}, {"name": "c", "desk": 9},
    ]  # fmt: skip
    assert body["extras"] == [{"name": "x", "desk": 8}]  # a list that is not kept is sent as we know it
    assert sent(of, {"name": "r"}, FRESH)["seats"] == FRESH["seats"]
    assert "seats" not in sent(of, {"name": "r"}, {**FRESH, "seats": None})


def test_what_is_not_a_mapping_has_no_values_in_it() -> None:
    assert value_at({"light": "on"}, ("light", "power")) is None
    assert value_at({"light": {"power": 3}}, ("light", "power")) == 3


@pytest.mark.parametrize(
    ("applied", "found"),
    [
        ({}, {"code": Cause.NEW}),  # nor is what cannot be changed a reason to replace what may well be right
        ({"code": "1", "seal": "x"}, {}),
        ({"code": "2", "seal": "x"}, {"code": Cause.DOCUMENT}),
        ({"code": "1", "seal": "y"}, {"seal": Cause.DOCUMENT}),
    ],
)
def test_what_is_never_shown_is_held_against_what_was_applied(applied: Any, found: dict[str, Cause]) -> None:
    of = room(Update.PATCH)
    was = digests(of, applied, KEY) if applied else None
    seen = diff(of, {"name": "r", "code": "1", "seal": "x"}, {"name": "r"}, was, KEY)
    assert {change.path: change.cause for change in seen.changes} == found
    assert seen.paths == {(path,) for path in found}
    assert {change.path for change in seen.changes if change.replaces} == set(found) & {"seal"}
