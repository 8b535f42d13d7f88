"""What is said above an entry: who uses it, by site."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.lab import REGISTRY_KINDS, full_registry
from vastplan.engine.live.observe import Live, Observed, ObservedCollection
from vastplan.engine.live.users import index_users
from vastplan.importing.comment import comments, rooms_of
from vastplan.importing.flatten import Flat
from vastplan.importing.model import object_key
from vastplan.importing.place import Placed
from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.schema.entries import Entry, EntryType

CLASS, CLAIM = REGISTRY_KINDS["storage_class"], REGISTRY_KINDS["persistent_volume_claim"]
TYPE: EntryType = full_registry().types["storage_class"]


def live(site: str, kind: Any, name: str, **values: Any) -> Live:
    """An object of the cluster of a site."""
    where = str(values.get("namespace", ""))
    return Live(site, kind, f"{site}-{where}-{name}", name, {"name": name, **values}, {"name": name}, {})


def said(users: dict[str, list[str]], notes: dict[str, str]) -> list[str]:
    """The comment of a class that is on these sites, with claims in these namespaces."""
    classes = {site: live(site, CLASS, "gold") for site in users}
    collections: dict[tuple[str, str], ObservedCollection] = {}
    for site, namespaces in users.items():
        claims = [
            live(site, CLAIM, str(number), namespace=namespace, storage_class="gold")
            for number, namespace in enumerate(namespaces)
        ]
        collections |= {
            (site, "storage_class"): ObservedCollection([classes[site]]),
            (site, "persistent_volume_claim"): ObservedCollection(claims),
        }
    index = index_users(Observed(collections), [CLASS])
    entries = {site: Entry(Address(site, "storage_class", "gold"), {}) for site in users}
    flats = {entry.address: Flat(classes[site], entry, {}, {}) for site, entry in entries.items()}
    written = [
        Written(entry, (object_key(classes[site]),), notes[site]) for site, entry in entries.items() if site in notes
    ]
    keys = tuple(object_key(one) for one in classes.values())
    return list(comments(written, flats, index)(Placed(TYPE, "gold", {}, keys, tuple(users))))


@pytest.mark.parametrize(
    ("users", "notes", "lines"),
    [
        ({"iad": ["a", "b", "a"]}, {"iad": "open"}, ["claims: a 2, b 1; open"]),
        ({"iad": ["a"], "pdx": ["a"]}, {"iad": "open", "pdx": "open"}, ["claims: a 1; open"]),
        ({"iad": ["a"], "pdx": []}, {"iad": "x", "pdx": "x"}, ["iad: claims: a 1; x", "pdx: claims: none; x"]),
        ({"iad": ["a"], "pdx": ["a"]}, {"pdx": "open"}, ["pdx: claims: a 1; open"]),
        ({"iad": ["a"]}, {}, []),
        ({"iad": ["a"]}, {"iad": ""}, []),
        ({"iad": ["\x1b[2J"]}, {"iad": "b\nc"}, ["claims: \\x1b[2J 1; b\\x0ac"]),
    ],
)
def test_who_uses_what_is_open_is_said_by_site(
    users: dict[str, list[str]], notes: dict[str, str], lines: list[str]
) -> None:
    assert said(users, notes) == lines


def test_who_cannot_be_read_is_not_nobody() -> None:
    one = live("iad", CLASS, "gold")
    unread = ObservedCollection(error="no answer")
    index = index_users(
        Observed({("iad", "storage_class"): ObservedCollection([one]), ("iad", "persistent_volume_claim"): unread}),
        [CLASS],
    )
    assert rooms_of(index, one) is None


def test_who_uses_it_in_two_ways_is_counted_in_both() -> None:
    (claims,) = CLASS.used_by
    twice = replace(CLASS, used_by=(claims, replace(claims, name="more", kind="namespace")))
    one = live("iad", twice, "gold")
    used = [live("iad", CLAIM, name, namespace=room, storage_class="gold") for name, room in (("x", "a"), ("y", "b"))]
    more = [live("iad", REGISTRY_KINDS["namespace"], "z", namespace="a", storage_class="gold")]
    there = {("iad", "storage_class"): ObservedCollection([one]), ("iad", "namespace"): ObservedCollection(more)}
    entry = Entry(Address("iad", "storage_class", "gold"), {})
    key = object_key(one)

    def both(found: ObservedCollection) -> tuple[object, list[str]]:
        index = index_users(Observed({**there, ("iad", "persistent_volume_claim"): found}), [twice])
        comment = comments([Written(entry, (key,), "open")], {entry.address: Flat(one, entry, {}, {})}, index)
        return rooms_of(index, one), list(comment(Placed(TYPE, "gold", {}, (key,), ("iad",))))

    bare = comments(
        [Written(entry, (key,))], {entry.address: Flat(one, entry, {}, {})}, index_users(Observed(there), [])
    )
    assert list(bare(Placed(TYPE, "gold", {}, (key,), ("iad",)))) == [], "nothing has to be said"
    assert both(ObservedCollection(used)) == ({"a": 2, "b": 1}, ["claims: a 1, b 1; more: a 1; open"])
    unread = both(ObservedCollection(error="no answer"))
    assert unread == (None, ["claims: not known, they could not be read; more: a 1; open"])


def test_of_many_rooms_the_first_are_named_and_the_others_counted() -> None:
    (line,) = said({"iad": [f"room-{number:02}" for number in range(11)] + ["z" * 90]}, {"iad": "open"})
    assert "room-07 1" in line and "room-08" not in line and "4 more" in line
    assert said({"iad": ["z" * 80]}, {"iad": "open"}) == [f"claims: {'z' * 80} 1; open"]
    (line,) = said({"iad": ["z" * 81]}, {"iad": "open"})
    assert "z" * 80 not in line
