"""Live objects found by what others share with them."""

from __future__ import annotations

from typing import Annotated

from tests.importing.made_up import made_up, one, seen
from vastplan.engine.live.observe import Live
from vastplan.importing.lookup import Lookup
from vastplan.schema.markers import IDENTITY, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec


class Room(Spec):
    """What others stand in."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING


class Pair(Spec):
    """What a system copies to the other site."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    room: Annotated[ReferenceName | MISSING, Refers("room")] = MISSING
    door: Annotated[ReferenceName | MISSING, Refers("room.name")] = MISSING
    either: Annotated[ReferenceName | MISSING, Refers("room", "pair.name")] = MISSING
    size: int | MISSING = MISSING


ROOM, PAIR = made_up(Room), made_up(Pair, mirrored=True)


def lookup(*objects: Live) -> Lookup:
    return Lookup(seen((ROOM, PAIR), *objects))


def test_what_shares_its_fields_is_found_on_the_same_site() -> None:
    here, there = one(PAIR, "1", name="a", room=1, size=2), one(PAIR, "1", "pdx", name="a", room=1, size=2)
    half = one(PAIR, "2", name="b", room=1, size=3)
    found = lookup(here, there, half)
    asking = one(ROOM, "1", name="a", size=2)
    for _ in range(2):
        assert found.equal(asking, "pair", (("name", "name"),)) == [here]
        assert found.equal(here, "pair", (("room", "room"),)) == [here, half]
        assert found.equal(here, "pair", (("room", "room"), ("size", "size"))) == [here]
        assert found.equal(asking, "pair", (("size", "size"), ("name", "name"))) == [here]
        assert found.equal(there, "pair", (("room", "room"),)) == [there]
        assert found.equal(half, "room", (("name", "name"),)) == []


def test_what_a_field_names() -> None:
    hall = one(ROOM, "1", name="hall")
    pair = one(PAIR, "7", name="p", room=1, door="hall", size=0, either="p")
    found = lookup(hall, pair)
    assert [found.named_in(pair, field) for field in ("room", "door", "size", "either")] == ["hall", "hall", "0", "p"]
    assert found.named_in(pair, "name") == "p"
    lost = one(PAIR, "8", name="lost", room=5, door="gone", either="gone")
    assert found.named_in(lost, "room") == "", "an id is in no name"
    assert found.named_in(lost, "door") == "gone" and found.named_in(lost, "size") == ""
    assert found.named_in(lost, "either") == "gone"


def copy(id: str, site: str, name: str = "p") -> Live:
    live = one(PAIR, id, site, name=name)
    live.system_owned = True
    return live


def test_a_copy_has_a_source_on_another_site() -> None:
    mine, theirs = one(PAIR, "1", name="p"), copy("2", "pdx")
    found = lookup(mine, theirs, copy("3", "pdx", "alone"), one(ROOM, "4", name="p"))
    for _ in range(2):
        assert found.has_source(theirs)
        assert not found.has_source(mine), "the only source is itself"
        assert not found.has_source(copy("3", "pdx", "alone")), "nothing on another site is called so"
    only_copies = lookup(copy("1", "iad"), copy("2", "pdx"))
    assert not only_copies.has_source(copy("2", "pdx")), "a copy is no source"
    unmirrored = lookup(one(ROOM, "4", name="p"))
    assert not unmirrored.has_source(one(ROOM, "5", "pdx", name="p")), "no system copies rooms"
