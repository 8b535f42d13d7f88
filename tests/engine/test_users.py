"""Who uses what, by room, and which objects share one identity: over observations made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.engine.library import KINDS, SITE
from vastplan.engine.live.creator import ITSELF, creator_of
from vastplan.engine.live.observe import Live, Observed, ObservedCollection
from vastplan.engine.live.twins import twins
from vastplan.engine.live.users import by_used, index_users
from vastplan.model.value import Reason, Unknown
from vastplan.schema.access import LetsIn
from vastplan.schema.dependents import UsedBy
from vastplan.schema.kind import Kind

# A book stands on shelves by name; a catalogue lists books of its own shelf by title.
ON = UsedBy("book", "books", "name", "shelf", "pages")
IN = UsedBy("catalogue", "catalogues", "title", "books", "shelf", same_room=True)
SHELF, BOOK, CATALOGUE = (
    replace(KINDS["shelf"], used_by=(ON,)),
    replace(KINDS["book"], used_by=(IN,)),
    KINDS["catalogue"],
)


def live(kind: Kind, number: str, site: str = SITE, **values: Any) -> Live:
    named = {"id": number, "name": values.get("name", values.get("title"))}
    return Live(site, kind, number, number, values, named, {})


def seen(*objects: Live, **unread: str) -> Observed:
    """Those objects, and of the other kinds that nothing is there, or why it is not known."""
    collections = {
        (SITE, name): ObservedCollection(error=unread.get(name, "")) for name in ("shelf", "book", "catalogue")
    }
    for one in objects:
        collections.setdefault((one.site, one.kind.name), ObservedCollection()).objects.append(one)
    return Observed(collections)


def test_users_by_room_in_order() -> None:
    shelf, other = live(SHELF, "1", name="a"), live(SHELF, "2", name="b")
    books = [
        live(BOOK, "9", title="z", shelf="a", pages="north"), live(BOOK, "8", title="y", shelf="a", pages="north"),
        live(BOOK, "7", title="x", shelf="a", pages="east"), live(BOOK, "6", title="w", shelf=None, pages="east"),
    ]  # fmt: skip
    index = index_users(seen(shelf, other, *books), [SHELF])
    (users,) = index.of(shelf)
    assert users.rule is ON and users.counts == {"east": 1, "north": 2}
    assert not isinstance(users.rooms, Unknown)
    assert list(users.rooms) == ["east", "north"]
    assert [user.name for user in users.rooms["north"]] == ["y", "z"]
    assert [users.counts for users in index.of(other)] == [{}]
    assert index.of(books[0]) == (), "its kind was not asked for"


def test_a_name_holds_in_its_room_where_the_rule_says_so() -> None:
    here, there = live(BOOK, "1", title="t", shelf="a"), live(BOOK, "2", title="t", shelf="b")
    catalogues = [
        live(CATALOGUE, "3", name="c", books=["t", "t", "u"], shelf="a"),
        live(CATALOGUE, "4", name="d", books=["t"], shelf="b"),
    ]
    index = index_users(seen(here, there, *catalogues), [BOOK])
    assert [users.counts for users in index.of(here)] == [{"a": 1}]
    assert [users.counts for users in index.of(there)] == [{"b": 1}]


def test_what_could_not_be_read_is_not_nobody() -> None:
    shelf = live(SHELF, "1", name="a")
    (users,) = index_users(seen(shelf, book="503"), [SHELF]).of(shelf)
    assert users.rooms == users.counts == Unknown("503", Reason.UNREAD)
    nowhere = Observed(
        {(SITE, "shelf"): ObservedCollection([shelf]), (SITE, "book"): ObservedCollection(error="none", absent=True)}
    )
    assert [users.counts for users in index_users(nowhere, [SHELF]).of(shelf)] == [{}]


def test_users_of_a_value_that_no_object_is() -> None:
    books = [live(BOOK, "1", title="x", shelf=["p", "q"]), live(BOOK, "2", title="y", shelf=["q"])]
    found = by_used(seen(*books), SITE, "book", "shelf")
    assert not isinstance(found, Unknown)
    assert {used: [one.name for one in users] for used, users in found.items()} == {"p": ["x"], "q": ["x", "y"]}


def test_twins_are_those_of_one_site_and_identity() -> None:
    objects = [
        live(BOOK, "3", title="t", shelf="1"), live(BOOK, "1", title="t", shelf="1"),
        live(BOOK, "2", title="t", shelf="2"), live(BOOK, "1", "pdx", title="t", shelf="2"),
    ]  # fmt: skip
    observed = seen(*objects)
    assert twins(observed, BOOK) == {(SITE, "1"): ("1", "3"), (SITE, "3"): ("1", "3")}
    assert twins(observed, SHELF) == {}


def test_who_made_an_object_for_itself() -> None:
    book, shelf = live(BOOK, "1", title="t"), live(replace(SHELF, lets_in=LetsIn("nobody reads")), "1", name="a")
    assert creator_of(book) == creator_of(shelf) == ""
    for maker, *owners in (("StatefulSet", "StatefulSet web", "Job a"), ("kube-controller-manager",) * 2):
        owned = [replace(one, owners=tuple(owners)) for one in (book, shelf)]
        assert [creator_of(one) for one in owned] == [maker, ""]
        assert creator_of(replace(owned[1], controller="a driver")) == "a driver"
    assert creator_of(replace(book, system_owned=True, owners=("Job a",))) == ITSELF
