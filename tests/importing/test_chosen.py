"""What a composition would choose the same is not said, and what is to be said as a whole is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from tests.importing.made_up import made_up, one
from vastplan.importing.composition_choices import without_what_is_chosen
from vastplan.importing.flatten import Flat
from vastplan.importing.full_values import full_entries
from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, entry_type
from vastplan.schema.markers import IDENTITY
from vastplan.schema.types import MISSING, Name, Spec


class Lamp(Spec):
    """Its bulb and its plug are chosen where it does not say them."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    bulb: str | MISSING = MISSING
    plug: str | MISSING = MISSING
    cord: str | MISSING = MISSING
    size: int | MISSING = MISSING


class Bulb(Spec):
    """What lamps choose among."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING


LAMP, BULB = made_up(Lamp, section="lamps"), made_up(Bulb, section="bulbs")


def _compose(entry: Entry, scope: Scope) -> Iterator[Entry]:
    """The only bulb there is, and a plug of every bulb's name; a lamp of that size takes none."""
    bulbs = [bulb.address.name for bulb in scope.of(entry.address.site, "bulb")]
    values = dict(entry.values)
    if "bulb" not in values:
        if len(bulbs) != 1:
            scope.refuse(entry, "VP231", "several")
            return
        values["bulb"] = bulbs[0]
    values.setdefault("plug", "round")
    values.setdefault("cord", "long")
    if values.get("size") == 9:
        scope.refuse(entry, "VP232", "too large")
    yield entry.standing_for(values)


REGISTRY = Registry(
    {"lamp": LAMP, "bulb": BULB},
    {"lamp": Composition("lamp", _compose, chooses=frozenset({"bulb", "plug"}))},
    {kind.section: entry_type(kind) for kind in (LAMP, BULB)},
)


def entry(kind: str, name: str, **values: Any) -> Entry:
    return Entry(Address("iad", kind, name), {"name": name, **values})


def written(*entries: Entry) -> list[Written]:
    return [
        Written(one, (("iad", one.address.kind, one.address.name),), f"note of {one.address.name}") for one in entries
    ]


def shorter(*entries: Entry, known: tuple[Entry, ...] = (), defaults: dict[str, Any] | None = None) -> dict[str, Any]:
    """The values of the entries, by their names."""
    given = {} if defaults is None else {"defaults": defaults}
    found = without_what_is_chosen(written(*entries), known, {}, REGISTRY, **given)
    assert [replace(one, entry=each) for one, each in zip(found, entries, strict=True)] == written(*entries)
    return {one.entry.address.name: {k: v for k, v in one.entry.values.items() if k != "name"} for one in found}


def test_what_would_be_chosen_is_not_said() -> None:
    bulb = entry("bulb", "warm")
    assert shorter(bulb, entry("lamp", "a", bulb="warm", plug="round", size=1)) == {"warm": {}, "a": {"size": 1}}
    assert shorter(entry("lamp", "a", bulb="warm"), known=(bulb,)) == {"a": {}}, "of those that the document has"
    assert shorter(bulb, entry("lamp", "a", bulb="cold", plug="flat"))["a"] == {"bulb": "cold", "plug": "flat"}
    assert shorter(bulb, entry("lamp", "a", plug="round", bulb="cold"))["a"] == {"bulb": "cold"}, "one of them"
    assert shorter(bulb, entry("lamp", "a", cord="long"))["a"] == {"cord": "long"}, (
        "no choice, but filled in all the same"
    )


def test_what_nothing_chooses_is_said() -> None:
    two = entry("bulb", "warm"), entry("bulb", "cold")
    found = shorter(*two, entry("lamp", "a", bulb="warm", plug="round"), entry("lamp", "b", bulb="cold"))
    assert (found["a"], found["b"]) == ({"bulb": "warm"}, {"bulb": "cold"})


def test_what_the_document_says_for_all_is_not_left_to_choice() -> None:
    lamp = entry("bulb", "warm"), entry("lamp", "a", bulb="warm", plug="round")
    assert shorter(*lamp, defaults={"lamps": {"bulb": "cold"}})["a"] == {"bulb": "warm"}
    assert shorter(*lamp, defaults={"bulbs": {"bulb": "cold"}})["a"] == {}


def test_what_cannot_be_composed_stays_as_it_is() -> None:
    found = shorter(
        entry("bulb", "warm"), entry("lamp", "a", bulb="warm", plug="round", size=9), entry("lamp", "b", bulb="warm")
    )
    assert found["a"] == {"bulb": "warm", "plug": "round", "size": 9}
    assert found["b"] == {}, "what is wrong with one says nothing of the next"


def flat(values: dict[str, Any], whole: dict[str, Any] | None) -> Flat:
    lamp = one(LAMP, "1", name="a")
    return Flat(lamp, entry("lamp", "a", **values), {}, {}, whole=whole)


def full(said: dict[str, Any], alone: dict[str, Any], whole: dict[str, Any] | None) -> dict[str, Any]:
    """What an entry says that the way back wrote so, of an object that alone would say that, and as a whole this."""
    (found,) = full_entries(written(entry("lamp", "a", **said)), {Address("iad", "lamp", "a"): flat(alone, whole)})
    assert found.stands_for and found.note == "note of a"
    return {name: value for name, value in found.entry.values.items() if name != "name"}


def test_an_entry_is_said_as_a_whole_where_somebody_asked_for_that() -> None:
    assert full({"size": 1}, {"size": 1}, None) == {"size": 1}
    assert full({"size": 1}, {"size": 1}, {"size": 1, "plug": "round"}) == {"size": 1, "plug": "round"}
    assert full({"size": 1}, {"size": 1}, {"size": {"w": 1, "h": 2}}) == {"size": {"w": 1, "h": 2}}
    (other,) = full_entries(
        written(entry("lamp", "b", size=1)), {Address("iad", "lamp", "a"): flat({}, {"plug": "round"})}
    )
    assert other.entry.values == {"name": "b", "size": 1}


def test_what_the_way_back_says_otherwise_stays_so() -> None:
    assert full({"size": 2}, {"size": 1}, {"size": 1, "plug": "round"}) == {"size": 2, "plug": "round"}
    assert full({}, {"bulb": "warm"}, {"bulb": "warm", "plug": "round"}) == {"plug": "round"}
    assert full({"bulb": None}, {}, {"bulb": "warm"}) == {"bulb": None}
