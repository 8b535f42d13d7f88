"""One object as an entry of its own: what is said of it, what need not be, and what cannot."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import model_validator

from tests.importing.made_up import made_up, one, seen
from vastplan.engine.live.observe import Live
from vastplan.importing.addresses import Addresses
from vastplan.importing.flatten import Flat, flatten, is_unset
from vastplan.importing.model import Degraded, Detail, Left, LeftReason, object_key
from vastplan.importing.server_defaults import ServerDefaults
from vastplan.model.address import Address
from vastplan.model.value import REDACTED, Ref
from vastplan.schema.kind import Kind
from vastplan.schema.live import Witness
from vastplan.schema.markers import (
    CREATE_ONLY,
    DOCUMENT,
    EXPLICIT_NULL,
    IDENTITY,
    NAMED,
    PROSE,
    SCHEMA,
    SENSITIVE,
    WITNESS,
    WRITE_ONLY,
    Clears,
    InsteadOf,
    KeysOfOthers,
    Opens,
    Refers,
    ServerDefault,
    Shown,
    Wire,
)
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec

AT = Address("iad", "disk", "x")
WHOLE = Detail(full=("disk",))


class Room(Spec):
    """What others refer to."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING


class Part(Spec):
    """A struct, or an item of a list."""

    size: int | None | MISSING = MISSING
    speed: Annotated[int | None | MISSING, ServerDefault(7, SCHEMA)] = MISSING
    until: Annotated[int | None | MISSING, EXPLICIT_NULL] = MISSING
    room: Annotated[ReferenceName | None | MISSING, Refers("room")] = MISSING


class Disk(Spec):
    """One with every sort of field."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    title: Annotated[Name | MISSING, NAMED] = MISSING
    size: int | None | MISSING = MISSING
    note: Annotated[str | None | MISSING, Clears("-")] = MISSING
    until: Annotated[int | None | MISSING, EXPLICIT_NULL] = MISSING
    on: Annotated[bool | None | MISSING, Clears(0)] = MISSING
    role: str = "PLAIN"
    colour: str | None = "grey"
    hosts: Annotated[list[str] | MISSING, ServerDefault(["*"], PROSE)] = MISSING
    users: Annotated[list[str] | MISSING, ServerDefault([], PROSE, group="who")] = MISSING
    groups: Annotated[list[str] | MISSING, ServerDefault(["all"], PROSE, group="who")] = MISSING
    readers: Annotated[list[str] | MISSING, Opens(), ServerDefault([], PROSE, group="in")] = MISSING
    writers: Annotated[list[str] | None | MISSING, Opens(), ServerDefault(["*"], PROSE, group="in")] = MISSING
    speed: Annotated[int | MISSING, ServerDefault(7, SCHEMA)] = MISSING
    parts: list[Part] | MISSING = MISSING
    part: Part | MISSING = MISSING
    options: Annotated[dict[str, str] | MISSING, Shown("lane", "depth"), Wire("options")] = MISSING
    depth: Annotated[str | MISSING, Wire("options", "depth")] = MISSING
    labels: Annotated[dict[str, str] | MISSING, KeysOfOthers()] = MISSING
    rooms: Annotated[list[ReferenceName] | MISSING, Refers("room")] = MISSING
    room: Annotated[ReferenceName | None | MISSING, Refers("room")] = MISSING
    spare: Annotated[ReferenceName | None | MISSING, Refers("room")] = MISSING
    how: Annotated[str, DOCUMENT] = "well"
    forced: Annotated[bool | MISSING, CREATE_ONLY] = MISSING
    hidden: Annotated[int | MISSING, WRITE_ONLY] = MISSING
    password: Annotated[str | MISSING, SENSITIVE] = MISSING


DISK, ROOM = made_up(Disk), made_up(Room)
QUIET = Detail()
HALL = one(ROOM, "1", name="hall")
CELLAR = one(ROOM, "2", name="cellar")


def flat(
    kind: Kind = DISK,
    detail: Detail = QUIET,
    fields: dict[str, str] | None = None,
    unread: bool = False,
    entries: tuple[Live, ...] = (),
    **values: Any,
) -> Flat | Left:
    """An object of those values; `fields` have fallen in an earlier round, `entries` are rooms that have entries."""
    live = one(kind, "7", **{"name": "x", **values})
    rooms = {("iad", "room"): "denied"} if unread else {}
    observed = seen((kind, ROOM), live, *(() if unread else (HALL, CELLAR)), unread=rooms)
    known = {object_key(each): Address(each.site, each.kind.name, f"e-{each.name}") for each in entries}
    degraded = Degraded(fields={object_key(live): fields} if fields else {})
    addresses = Addresses(observed, {each.name: each for each in (kind, ROOM)}, known)
    return flatten(live, AT, addresses, ServerDefaults(observed, {}), degraded, detail)


def said(**values: Any) -> dict[str, Any]:
    """What the entry of an object says beside its name."""
    found = flat(**{"title": "x", **values})
    assert isinstance(found, Flat) and not found.fallen, found
    return {name: value for name, value in found.entry.values.items() if name not in ("name", "title")}


def fallen(found: Flat | Left) -> dict[str, str]:
    assert isinstance(found, Flat)
    assert all(
        (left.reason, left.kind, left.id) == (LeftReason.VALUE, found.live.kind.name, "7") for left in found.fallen
    )
    return {left.path: left.why for left in found.fallen}


def test_an_entry_says_what_is_there_and_knows_all_of_it() -> None:
    values: dict[str, Any] = {
        "title": "t",
        "size": 5,
        "speed": 7,
        "hosts": ["*"],
        "note": "",
        "role": "PLAIN",
        "colour": "grey",
    }
    found = flat(**values)
    assert isinstance(found, Flat)
    assert found.entry.address == AT and found.entry.values == {"name": "x", "title": "t", "size": 5}
    assert found.full == {"name": "x", **values}
    assert dict(found.known) == {("speed",): SCHEMA, ("hosts",): PROSE}
    assert found.fallen == () and found.whole is None and found.live.id == "7"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # what is unset is not said, but where that is a choice
        ({"size": None, "note": "", "hosts": None}, {}),
        ({"note": "-"}, {}),
        ({"note": "words"}, {"note": "words"}),
        ({"until": None}, {"until": None}),
        ({"until": 3}, {"until": 3}),
        ({"on": False}, {"on": False}),
        ({"on": None}, {}),
        # what the document means where it says nothing
        ({"role": "PLAIN"}, {}),
        ({"role": "ODD"}, {"role": "ODD"}),
        ({"colour": "grey"}, {}),
        ({"colour": None}, {"colour": None}),
        ({"colour": ""}, {"colour": None}),
        ({"colour": "red"}, {"colour": "red"}),
        # what the system takes anyway; an empty list where it takes another is somebody's choice
        ({"speed": 8}, {"speed": 8}),
        ({"hosts": []}, {"hosts": []}),
        ({"hosts": ["a"]}, {"hosts": ["a"]}),
        # those that are told together
        ({"users": [], "groups": ["all"]}, {}),
        ({"users": ["ana"], "groups": ["all"]}, {"users": ["ana"], "groups": ["all"]}),
        ({"readers": [], "writers": ["*"]}, {}),
        ({"readers": [], "writers": ["a"]}, {"readers": [], "writers": ["a"]}),
        ({"readers": None, "writers": ["a"]}, {"writers": ["a"]}),
        ({"readers": ["a"], "writers": None}, {"readers": ["a"]}),
        # parts
        ({"part": {"size": 1, "speed": 7, "until": None}}, {"part": {"size": 1, "until": None}}),
        ({"part": {"size": None, "speed": 7}}, {}),
        ({"parts": [{"size": 1, "speed": None, "until": None, "room": None}]}, {"parts": [{"size": 1, "until": None}]}),
        ({"options": {"lane": "fast"}}, {"options": {"lane": "fast"}}),
        # a key that has a field of its own is said there
        ({"options": {"lane": "fast", "depth": "9"}, "depth": "9"}, {"options": {"lane": "fast"}, "depth": "9"}),
        ({"options": {"depth": "9"}, "depth": "9"}, {"depth": "9"}),
        # references
        ({"room": 1}, {"room": Ref(Address("iad", "room", "hall"), managed=False)}),
        ({"room": ""}, {}),
        ({"room": None}, {}),
        ({"part": {"room": 1}}, {"part": {"room": Ref(Address("iad", "room", "hall"), managed=False)}}),
    ],
)  # fmt: skip
def test_what_has_to_be_said_is(values: dict[str, Any], expected: dict[str, Any]) -> None:
    assert said(**values) == expected


def test_a_list_of_parts_with_what_is_no_part_falls_alone() -> None:
    assert fallen(flat(parts=["odd"])).keys() == {"parts"}
    assert fallen(flat(parts="odd")).keys() == fallen(flat(parts=5)).keys() == {"parts"}


def test_what_has_an_entry_is_referred_to_by_that() -> None:
    found = flat(room=1, spare=2, entries=(HALL,))
    assert isinstance(found, Flat)
    assert found.entry.values["room"] == Ref(Address("iad", "room", "e-hall"))
    assert found.full["spare"] == Ref(Address("iad", "room", "cellar"), managed=False)


@pytest.mark.parametrize("name", ["", None])
def test_what_has_no_name_is_no_entry(name: str | None) -> None:
    found = flat(name=name, size=1)
    assert isinstance(found, Left) and found.reason is LeftReason.VALUE
    assert found.why == "its name is empty, which no entry can express"
    found = flat(title="", size=1)
    assert isinstance(found, Left) and found.reason is LeftReason.VALUE and "title" in found.why


def test_what_the_system_does_not_show_is_not_said() -> None:
    found = flat(how="badly", forced=True, hidden=3, password="secret", size=REDACTED)
    assert isinstance(found, Flat) and found.entry.values == {"name": "x"} and found.full == {"name": "x"}


class Tagged(Spec):
    """What anybody may write labels into."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    labels: Annotated[dict[str, str] | MISSING, KeysOfOthers()] = MISSING


def test_labels_are_said_on_request() -> None:
    tagged, labels, team = made_up(Tagged), {"team": "red", "other": "blue"}, Detail(labels=("team",))
    quiet, asked, secretive = (
        flat(tagged, labels=labels),
        flat(tagged, team, labels=labels),
        flat(DISK, team, labels=labels),
    )
    assert isinstance(quiet, Flat) and quiet.entry.values == {"name": "x"}
    assert isinstance(asked, Flat) and asked.entry.values == {"name": "x", "labels": {"team": "red"}}
    assert isinstance(secretive, Flat) and secretive.entry.values == {"name": "x"}, "it holds secrets"
    assert fallen(flat(tagged, labels="odd")).keys() == {"labels"}


def test_what_is_withheld_is_told_where_somebody_might_look_for_it() -> None:
    found = flat(options={"lane": REDACTED, "depth": "x", "more": REDACTED}, labels={"a": REDACTED})
    assert fallen(found) == dict.fromkeys(
        ("options.lane", "options.more"), "it may be a secret, so vastplan does not read it"
    )
    assert isinstance(found, Flat) and "lane" not in found.entry.values.get("options", {})
    assert fallen(flat(options={"lane": "x"})) == {}
    assert fallen(flat(options="odd")).keys() == {"options"}
    elsewhere = flat(made_up(Path), options={"a": REDACTED})
    assert isinstance(elsewhere, Flat) and not elsewhere.fallen, "nobody looks for what is no part of the kind"


def test_what_stands_on_what_could_not_be_read_waits_for_that() -> None:
    found = flat(unread=True, room=1)
    assert isinstance(found, Left) and found.reason is LeftReason.UNREAD
    assert found.why == "its room depends on what could not be read: room" and found.fix
    assert isinstance(flat(unread=True, room=None, size=1), Flat)


def test_what_nothing_names_falls_alone_where_an_entry_can_be_without_it() -> None:
    found = flat(room=8, spare=1, part={"room": 9, "size": 1}, title="x")
    assert fallen(found) == {"room": "no name here for '8'", "part": "no name here for '9'"}
    assert isinstance(found, Flat) and found.entry.values.keys() == {"name", "title", "spare"}


def test_what_fell_in_an_earlier_round_stays_away() -> None:
    found = flat(fields={"size": "it would change", "role": "so too", "room": "earlier"}, size=5, role="ODD", room=8,
                 note="n")  # fmt: skip
    assert fallen(found) == {"size": "it would change", "role": "so too", "room": "earlier"}
    assert isinstance(found, Flat) and found.entry.values == {"name": "x", "note": "n"}
    assert [left.path for left in found.fallen] == sorted(fallen(found))
    found = flat(fields={"colour": "it would change"}, colour="red")
    assert isinstance(found, Flat) and found.entry.values == {"name": "x"}, "nor is it said that there is none"


def test_what_the_model_does_not_take_falls_with_its_reason() -> None:
    found = flat(size="much", note=5)
    assert fallen(found).keys() == {"size", "note"} and fallen(found)["size"] == "is text; write a whole number"
    wrong = flat(name="/no/name")
    assert isinstance(wrong, Left) and wrong.reason is LeftReason.VALUE and wrong.why.startswith("name: ")


class Box(Spec):
    """What cannot be without what it refers to, for one reason or another."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    room: Annotated[ReferenceName, Refers("room")]
    one: Annotated[ReferenceName | MISSING, Refers("room")] = MISSING
    two: Annotated[ReferenceName | MISSING, Refers("room")] = MISSING
    size: int | MISSING = MISSING

    @model_validator(mode="after")
    def _some(self) -> Box:
        if self.one is MISSING and self.two is MISSING:
            raise ValueError("one or two")
        return self


class Watched(Spec):
    """What the system has a row for that shows its defaults."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    hosts: Annotated[list[str] | MISSING, ServerDefault([], WITNESS)] = MISSING


def test_that_it_is_empty_is_said_where_a_row_of_the_system_is_not() -> None:
    kind = made_up(Watched, witness=Witness(("name",), "built-in"))
    live, quiet = one(kind, "1", name="x", hosts=[]), one(kind, "2", name="built-in", hosts=[])
    for row, expected in (
        (quiet, {"name": "x"}),
        (replace(quiet, values={"name": "built-in", "hosts": ["*"]}), live.values),
    ):
        observed = seen((kind,), live, row)
        found = flatten(live, AT, Addresses(observed, {}, {}), ServerDefaults(observed, {}), Degraded())
        assert isinstance(found, Flat) and found.entry.values == expected


class Wide(Spec):
    """A struct that lies open in its object."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    part: Annotated[Part | MISSING, Wire()] = MISSING
    size: Annotated[int | MISSING, Wire("size")] = MISSING


def test_a_part_of_a_struct_is_said_there_whatever_lies_beside_it() -> None:
    found = flat(made_up(Wide), part={"size": 1}, size=2)
    assert isinstance(found, Flat) and found.entry.values == {"name": "x", "part": {"size": 1}, "size": 2}


def test_a_list_of_references_falls_as_a_whole() -> None:
    assert fallen(flat(rooms=[1, 8, 9])) == {"rooms": "no name here for '9'"}
    assert "names" not in fallen(flat(rooms=[1, None]))["rooms"]
    found = flat(rooms=[1, 2])
    assert isinstance(found, Flat) and [ref.target.name for ref in found.entry.values["rooms"]] == ["hall", "cellar"]


class Late(Spec):
    """What it cannot be without comes last."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    first: Annotated[ReferenceName | MISSING, Refers("room")] = MISSING
    last: Annotated[ReferenceName, Refers("room")]


def test_what_cannot_be_without_what_nothing_names_is_left_for_that() -> None:
    left = flat(made_up(Late), first=8, last=9)
    assert isinstance(left, Left) and (left.reason, left.why) == (
        LeftReason.REFERENCE,
        "last is '9', which has no name here",
    )
    box = made_up(Box)
    left = flat(box, room=8, one=1)
    assert isinstance(left, Left) and (left.reason, left.why) == (
        LeftReason.REFERENCE,
        "room is '8', which has no name here",
    )
    left = flat(box, room=1, one=8, two=9)
    assert isinstance(left, Left) and (left.reason, left.why) == (
        LeftReason.REFERENCE,
        "one is '8', which has no name here",
    )
    left = flat(box, room=1)
    assert isinstance(left, Left) and (left.reason, left.why) == (LeftReason.VALUE, "one or two")
    found = flat(box, room=1, one=8, two=2)
    assert fallen(found) == {"one": "no name here for '8'"}


class Path(Spec):
    """What may be said in two ways, and one with options that the other says too."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    room: Annotated[ReferenceName | MISSING, Refers("room"), Wire("guid")] = MISSING
    guid: Annotated[str | None | MISSING, InsteadOf("room", (("options", "k1"), ("options", "k2")))] = MISSING
    options: dict[str, str] | MISSING = MISSING
    word: str | MISSING = MISSING
    number: Annotated[int | MISSING, Wire("word"), InsteadOf("word")] = MISSING


def test_what_may_be_said_in_two_ways_is_said_in_one() -> None:
    path = made_up(Path)
    both: dict[str, Any] = {"options": {"k1": "a", "k2": "b", "other": "c"}}
    found = flat(path, room=1, guid="1", **both)
    assert isinstance(found, Flat) and fallen(found) == {}
    assert found.entry.values == {"name": "x", "room": Ref(Address("iad", "room", "hall"), managed=False), **both}
    found = flat(path, room=8, guid="8", **both)
    assert isinstance(found, Flat) and fallen(found) == {}, "said otherwise"
    assert found.entry.values == {"name": "x", "guid": "8", "options": {"other": "c"}}
    found = flat(path, room=None, guid="8", options={"k1": "a", "k2": "b"})
    assert isinstance(found, Flat) and found.entry.values == {"name": "x", "guid": "8"}
    found = flat(path, guid="8")
    assert isinstance(found, Flat) and found.entry.values == {"name": "x", "guid": "8"}
    found = flat(path, room=8)
    assert isinstance(found, Flat) and fallen(found) == {"room": "no name here for '8'"}


def test_what_the_model_takes_in_no_form_is_told_and_in_another_is_said() -> None:
    path = made_up(Path)
    found = flat(path, word=5, number=5, options={"a": "b"})
    assert isinstance(found, Flat) and fallen(found) == {}
    assert found.entry.values == {"name": "x", "number": 5, "options": {"a": "b"}}
    found = flat(path, word=5, number="5", options={"a": "b"})
    assert fallen(found).keys() == {"word", "number"} and fallen(found)["word"] == "the kind accepts neither form of it"
    assert isinstance(found, Flat) and found.entry.values == {"name": "x", "options": {"a": "b"}}
    found = flat(path, word=5, number="5", fields={"options": "earlier"}, options={"a": "b"})
    assert fallen(found).keys() == {"word", "number", "options"}


def test_the_whole_of_it_is_said_on_request() -> None:
    values: dict[str, Any] = {"title": "x", "size": None, "speed": 7, "role": "PLAIN", "colour": "grey", "hosts": ["*"], "note": "",
              "users": [], "groups": ["all"], "until": None, "part": {"size": 1, "speed": 7}}  # fmt: skip
    found = flat(detail=WHOLE, **values)
    assert isinstance(found, Flat) and found.entry.values == {
        "name": "x", "title": "x", "until": None, "part": {"size": 1}
    }  # fmt: skip
    assert found.whole == {
        "name": "x", "title": "x", "speed": 7, "role": "PLAIN", "colour": "grey", "hosts": ["*"],
        "groups": ["all"], "until": None, "part": {"size": 1, "speed": 7},
    }  # fmt: skip
    assert flat(detail=Detail(full=("other",)), **values) == replace(
        found, live=one(DISK, "7", name="x", **values), whole=None
    )
    less = flat(detail=WHOLE, fields={"speed": "earlier"}, **values)
    assert isinstance(less, Flat) and less.whole is not None and "speed" not in less.whole


class Odd(Spec):
    """What has too much to say for one entry."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    first: Annotated[int | MISSING, ServerDefault(1, SCHEMA)] = MISSING
    second: int | MISSING = MISSING

    @model_validator(mode="after")
    def _first(self) -> Odd:
        if self.first == 1:
            raise ValueError("that is said by nobody")
        return self


def test_a_whole_that_no_model_takes_is_not_said() -> None:
    found = flat(made_up(Odd), detail=Detail(full=("odd",)), name="/", first=1)
    assert isinstance(found, Left)
    found = flat(made_up(Odd), detail=Detail(full=("odd",)), first=1, second=2)
    assert isinstance(found, Flat) and found.entry.values == {"name": "x", "second": 2}
    assert found.whole == {"name": "x", "second": 2}


@pytest.mark.parametrize(
    ("field", "value", "unset"),
    [
        ("size", None, True), ("size", 0, False), ("note", "", True), ("note", "-", True), ("note", "a", False),
        ("until", None, False), ("until", 0, False), ("until", "", True), ("on", False, False), ("on", True, False), ("on", None, True),
        ("on", 0, True), ("hosts", [], False), ("hosts", None, True), ("users", [], True), ("hosts", ["*"], False),
    ],
)  # fmt: skip
def test_nothing_is_to_be_said_of_what_is_cleared_where_the_system_takes_nothing(
    field: str, value: Any, unset: bool
) -> None:
    assert is_unset(DISK.field(field), value) is unset
