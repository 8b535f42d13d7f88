"""Why an object is left: the first reason that fits, with what would change that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import pytest

from tests.importing.made_up import made_up, one, seen
from vastplan.engine.live.observe import Live
from vastplan.engine.live.owners import Owners, owners
from vastplan.engine.matching.match import match
from vastplan.importing.classify import Classified, classify, leave
from vastplan.importing.lookup import Lookup
from vastplan.importing.model import LeftReason, Selection, object_key
from vastplan.model.address import Address
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY
from vastplan.schema.provider import Mark
from vastplan.schema.types import MISSING, Name, Spec


class Room(Spec):
    """One by its name."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING


class Key(Spec):
    """Taken only when it is asked for."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    namespace: Annotated[Name, IDENTITY]


class Pair(Spec):
    """What a system copies to the other site."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING


ROOM, KEY, PAIR = made_up(Room), made_up(Key, on_request=True, namespaced=True), made_up(Pair, mirrored=True)
KINDS: dict[str, Kind] = {kind.name: kind for kind in (ROOM, KEY, PAIR)}
NOBODY, EVERYTHING = owners("mine", {}), Selection()


def sorted_out(
    *objects: Live,
    document: tuple[Address, ...] = (),
    ledger: Mapping[Address, Owned] | None = None,
    selection: Selection = EVERYTHING,
    others: Owners = NOBODY,
    importable: frozenset[str] = frozenset(KINDS),
) -> Classified:
    """What becomes of these objects, beside a document with entries of these addresses, and a ledger."""
    observed = seen(KINDS.values(), *objects)
    desired = {address: Entry(address, {"name": address.name}) for address in document}
    sites: dict[str, SiteLedger] = {}
    for address, owned in (ledger or {}).items():
        sites[address.site] = SiteLedger("mine", address.site, "lineage", "key", entries={str(address): owned})
    matches = match(KINDS, observed, sites, desired)
    return classify(Lookup(observed), matches, others, selection, importable)


def reasons(found: Classified) -> dict[str, LeftReason]:
    return {f"{left.site}/{left.name}": left.reason for left in found.left}


def test_what_nobody_has_may_become_an_entry_in_the_order_of_sites_and_names() -> None:
    objects = [
        one(ROOM, "1", "pdx", name="a"), one(ROOM, "2", name="c"), one(ROOM, "3", name="b"), one(PAIR, "4", name="z"),
    ]  # fmt: skip
    found = sorted_out(*objects)
    assert [(live.site, live.name) for live in found.free] == [("iad", "z"), ("iad", "b"), ("iad", "c"), ("pdx", "a")]
    assert (found.left, found.kept, dict(found.managed)) == ((), (), {})
    assert sorted_out(*objects[::-1]).free == found.free
    assert [live.name for live in sorted_out(*objects, importable=frozenset({"pair"})).free] == ["z"]


def test_what_the_document_has_stays_its_own() -> None:
    hall, yard = one(ROOM, "1", name="hall"), one(ROOM, "2", name="yard")
    address = Address("iad", "room", "hall")
    found = sorted_out(hall, yard, document=(address,))
    assert found.free == (yard,) and found.kept == (hall,) and found.managed == {object_key(hall): address}
    assert reasons(found) == {"iad/hall": LeftReason.MANAGED} and str(address) in found.left[0].why


def test_what_the_document_has_dropped_is_not_taken_in_again() -> None:
    hall, address = one(ROOM, "1", name="hall"), Address("iad", "room", "old-hall")
    found = sorted_out(hall, ledger={address: Owned("1", "1")})
    assert found.free == found.kept == () and not found.managed
    (left,) = found.left
    assert left.reason is LeftReason.PENDING and "iad/room/old-hall" in left.why
    assert (
        left.fix
        == "put iad/room/old-hall back, write renamed_from: old-hall if it has a new name, or type vastplan ledger forget PATH iad/room/old-hall"
    )


def test_a_former_object_goes_by_itself_and_is_not_put_back() -> None:
    former, entry = Address("iad", "room", "hall#1"), Address("iad", "room", "hall")
    objects, ledger = (one(ROOM, "1", name="a"), one(ROOM, "2", name="hall")), {former: Owned("1", "1")}
    left = {each.name: each for each in sorted_out(*objects, document=(entry,), ledger=ledger).left}
    assert left["a"].reason is LeftReason.MANAGED and not left["a"].fix
    assert left["a"].why == (
        "it is a former object of iad/room/hall, which the document has: it is deleted when its overlap has ended"
    )
    (without,) = sorted_out(one(ROOM, "1", name="a"), ledger=ledger).left
    assert without.reason is LeftReason.PENDING
    assert without.fix == "put iad/room/hall back, or type vastplan ledger forget PATH 'iad/room/hall#1'"


@pytest.mark.parametrize(
    ("change", "reason", "says"),
    [
        ({"system_owned": True}, LeftReason.SYSTEM, "product"),
        ({"controller": "csi"}, LeftReason.MADE, "csi"),
        ({"owners": ("StatefulSet web",)}, LeftReason.MADE, "StatefulSet"),
        ({"mark": Mark("theirs")}, LeftReason.OTHER, "theirs"),
        # the first that fits
        ({"system_owned": True, "mark": Mark("theirs")}, LeftReason.SYSTEM, "product"),
        ({"controller": "csi", "mark": Mark("theirs")}, LeftReason.OTHER, "theirs"),
    ],
)
def test_what_is_nobodys_to_manage_is_left(change: dict[str, Any], reason: LeftReason, says: str) -> None:
    found = sorted_out(replace(one(ROOM, "1", name="hall"), **change), selection=Selection(without=("*",)))
    assert reasons(found) == {"iad/hall": reason} and says in found.left[0].why and found.free == ()
    assert bool(found.left[0].fix) is (reason is LeftReason.OTHER)


def test_the_copy_of_what_another_site_has_follows_that() -> None:
    source, copy = one(PAIR, "1", name="p"), replace(one(PAIR, "2", "pdx", name="p"), system_owned=True)
    alone = replace(one(PAIR, "3", "pdx", name="alone"), system_owned=True)
    assert sorted_out(source, one(PAIR, "2", "pdx", name="p")).left == (), "neither is a copy"
    found = sorted_out(source, copy, alone)
    assert found.free == (source,) and reasons(found) == {"pdx/p": LeftReason.MIRROR, "pdx/alone": LeftReason.SYSTEM}
    # a system that shows both ends alike: the second end of one that the document has
    both = sorted_out(source, one(PAIR, "2", "pdx", name="p"), document=(Address("iad", "pair", "p"),))
    assert reasons(both) == {"iad/p": LeftReason.MANAGED, "pdx/p": LeftReason.MIRROR} and both.free == ()


def test_some_kinds_are_taken_when_they_are_asked_for() -> None:
    key = one(KEY, "1", name="door", namespace="home")
    found = sorted_out(key)
    assert reasons(found) == {"iad/home/door": LeftReason.UNASKED}
    assert found.left[0].fix == "--take '*/key/home/door'" and "unless you ask for it" in found.left[0].why
    assert sorted_out(key, selection=Selection(take=("*/key/home/door",))).free == (key,)
    assert reasons(sorted_out(key, selection=Selection(take=("*/key/other",)))) == {"iad/home/door": LeftReason.UNASKED}


def test_of_twins_none_is_taken() -> None:
    twins = [one(ROOM, id_, name="hall") for id_ in ("9", "10")]
    found = sorted_out(*twins, one(ROOM, "9", "pdx", name="hall"), one(ROOM, "11", name="attic"))
    assert [(live.site, live.id) for live in found.free] == [("iad", "11"), ("pdx", "9")]
    assert [(left.id, left.reason) for left in found.left] == [("10", LeftReason.TWINS), ("9", LeftReason.TWINS)]
    assert all("10, 9" in left.why and left.fix for left in found.left)


def test_what_somebody_leaves_out_is_left_out() -> None:
    rooms = one(ROOM, "1", name="hall"), one(ROOM, "2", name="attic")
    found = sorted_out(*rooms, selection=Selection(without=("iad/room/hall",)))
    assert found.free == rooms[1:] and reasons(found) == {"iad/hall": LeftReason.UNSELECTED}
    assert found.left[0].why.startswith("--except")
    assert {left.why.split()[0] for left in sorted_out(*rooms, selection=Selection(kinds=("pair",))).left} == {"--kind"}


def test_what_is_left_is_told_as_people_call_it() -> None:
    room = leave(one(ROOM, "1", name="hall"), LeftReason.FORM, "why", "fix", "path")
    assert (room.site, room.kind, room.id, room.name) == ("iad", "room", "1", "hall")
    assert (room.reason, room.why, room.fix, room.path) == (LeftReason.FORM, "why", "fix", "path")
    key = leave(one(KEY, "2", name="door", namespace="home"), LeftReason.FORM, "why")
    assert (key.name, key.fix, key.path) == ("home/door", "", "")
