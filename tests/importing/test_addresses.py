"""How what is there is referred to: by its entry, by a name that it has alone, or not at all."""

from __future__ import annotations

from typing import Annotated

import pytest

from tests.importing.made_up import made_up, one, seen
from vastplan.engine.live.observe import Live, Observed
from vastplan.importing.addresses import Addresses
from vastplan.importing.model import object_key
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.live import Attribute
from vastplan.schema.markers import IDENTITY, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec


class Room(Spec):
    """What others stand in."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING


class Shelf(Spec):
    """What has a namespace; several namespaces may have one of a name."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    namespace: Annotated[Name, IDENTITY]
    room: Annotated[ReferenceName | MISSING, Refers("room.name")] = MISSING


class Box(Spec):
    """What refers to them."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    room: Annotated[ReferenceName | MISSING, Refers("room.name")] = MISSING


ROOM = made_up(Room, attributes=(Attribute("guid", ("guid",)),))
SHELF, BOX = made_up(Shelf, namespaced=True), made_up(Box)
KINDS = {kind.name: kind for kind in (ROOM, SHELF, BOX)}
BY_ID, BY_NAME, BY_GUID = Refers("room"), Refers("room.name"), Refers("room.guid")
HALL, CELLAR = one(ROOM, "1", name="hall", guid="g-1"), one(ROOM, "2", name="cellar", guid="g-2")
THERE = one(ROOM, "1", "pdx", name="there", guid="g-3")
THING = one(BOX, "7", name="thing", room="hall")


def addresses(observed: Observed, *entries: Live, unread: tuple[Live, ...] = ()) -> Addresses:
    """Of an import that has an entry `e-NAME` for each of these; `unread` stand on what could not be read."""
    names = {object_key(live): Address(live.site, live.kind.name, f"e-{live.name}") for live in entries}
    return Addresses(observed, KINDS, names, {object_key(live) for live in unread})


def seen_by(*objects: Live, unread: tuple[str, ...] = (), absent: tuple[str, ...] = ()) -> Observed:
    """Those objects; of sites that are `unread` or `absent` no rooms."""
    return seen(
        KINDS.values(), *objects, unread={(site, "room"): "denied" for site in unread},
        absent=[(site, "room") for site in absent],
    )  # fmt: skip


def test_what_has_an_entry_is_meant_by_that_and_all_else_by_its_name() -> None:
    known = addresses(seen_by(HALL, CELLAR, THING), HALL)
    assert known.named(THING, BY_ID, 1) == Ref(Address("iad", "room", "e-hall"))
    assert known.named(THING, BY_ID, "2") == Ref(Address("iad", "room", "cellar"), managed=False)
    assert known.named(THING, BY_NAME, "hall") == Ref(Address("iad", "room", "e-hall"))
    assert known.named(THING, BY_ID, 3) is None and known.named(THING, BY_NAME, "attic") is None
    known_by_name = known.existing(HALL), known.named(THING, BY_ID, "2")
    assert known_by_name[0] == Ref(Address("iad", "room", "hall"))
    assert [ref is not None and ref.managed for ref in known_by_name] == [False, False]
    entry = known.named(THING, BY_ID, 1)
    assert entry is not None and entry.managed


def test_what_is_the_same_on_another_site_is_another_object_but_for_what_is_unique_everywhere() -> None:
    known = addresses(seen_by(HALL, THERE), THERE)
    assert known.named(THING, BY_GUID, "g-3") == Ref(Address("pdx", "room", "e-there"))
    assert known.named(one(BOX, "7", "pdx", name="x"), BY_GUID, "g-1") == Ref(
        Address("iad", "room", "hall"), managed=False
    )
    assert known.named(THING, BY_NAME, "there") is None and known.unread("iad", BY_NAME, "there") == ""
    both = addresses(seen_by(HALL, one(ROOM, "9", "pdx", name="twin", guid="g-1")))
    assert both.named(THING, BY_GUID, "g-1") == Ref(Address("iad", "room", "hall"), managed=False), "this site first"


def test_of_several_kinds_the_first_that_has_it_is_meant() -> None:
    either = Refers("room", "box")
    known = addresses(seen_by(HALL, one(BOX, "1", name="a"), one(BOX, "2", name="b")))
    assert known.named(THING, either, 1) == Ref(Address("iad", "room", "hall"), managed=False)
    assert known.named(THING, either, 2) == Ref(Address("iad", "box", "b"), managed=False)


@pytest.mark.parametrize("entries", [0, 1])
def test_a_name_that_several_have_names_none_of_them(entries: int) -> None:
    twins = one(ROOM, "1", name="hall"), one(ROOM, "2", name="hall")
    known = addresses(seen_by(*twins), *twins[:entries])
    assert known.existing(twins[0]) is None
    assert known.named(THING, BY_NAME, "hall") is None
    assert known.named(THING, BY_ID, 2) is None


def test_in_namespaces_the_name_is_that_of_what_stands_beside() -> None:
    upper, lower = (
        one(SHELF, "1", name="top", namespace="a", room="hall"),
        one(SHELF, "2", name="top", namespace="b", room="cellar"),
    )
    known = addresses(seen_by(HALL, CELLAR, upper, lower))
    by_name = Refers("shelf.name")
    assert known.named(THING, by_name, "top") == Ref(Address("iad", "shelf", "a/top"), managed=False)
    other = one(BOX, "8", name="other", room="cellar")
    assert known.named(other, by_name, "top") == Ref(Address("iad", "shelf", "b/top"), managed=False)
    assert known.named(one(BOX, "9", name="nowhere"), by_name, "top") is None
    # by what one of them has alone it is that one, wherever it stands
    assert known.named(THING, Refers("shelf"), 2) == Ref(Address("iad", "shelf", "b/top"), managed=False)
    assert known.named(THING, Refers("shelf.path"), "b/top") == Ref(Address("iad", "shelf", "b/top"), managed=False)


@pytest.mark.parametrize("attribute", ["name", "path"])
def test_what_a_site_has_no_system_for_is_known_by_its_name(attribute: str) -> None:
    known = addresses(seen_by(absent=("iad",)))
    ref = known.named(THING, Refers(f"room.{attribute}"), "hall")
    assert ref == Ref(Address("iad", "room", "hall")) and not ref.managed
    assert known.named(THING, BY_ID, 1) is None and known.unread("iad", BY_ID, 1) == ""
    elsewhere = addresses(seen_by(absent=("pdx",)))
    assert elsewhere.named(THING, Refers(f"room.{attribute}"), "hall") is None


def test_what_could_not_be_read_is_told() -> None:
    known = addresses(seen_by(THERE, unread=("iad",)))
    assert known.unread("iad", BY_ID, 1) == "room"
    assert known.unread("iad", BY_GUID, "g-9") == "room"
    assert known.unread("iad", BY_GUID, "g-3") == "", "it is found on another site"
    assert known.unread("pdx", BY_ID, 1) == ""
    assert known.unread("pdx", BY_GUID, "g-9") == "room of iad"
    assert known.unread("pdx", BY_ID, 5) == "", "that it is not there is known"
    assert addresses(seen_by(THERE, unread=("iad", "pdx"))).unread("pdx", BY_GUID, "g-9") == "room", "this site first"


def test_of_several_kinds_the_first_that_could_not_be_read_is_told() -> None:
    either = Refers("room", "shelf", "box")
    unread = {("iad", "shelf"): "denied", ("iad", "box"): "denied"}
    known = addresses(seen(KINDS.values(), HALL, unread=unread))
    assert known.unread("iad", either, 5) == "shelf"
    assert known.unread("iad", either, 1) == ""


def test_what_stands_on_what_could_not_be_read_is_told_by_name() -> None:
    known = addresses(seen_by(HALL, CELLAR), unread=(HALL,))
    assert known.unread("iad", BY_ID, 1) == "room hall"
    assert known.unread("iad", BY_ID, 2) == ""
