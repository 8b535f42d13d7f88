"""What somebody changed by hand: left alone where a rule says so, and told who it was where a system can. In memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.library import KINDS, SITE, Bench, Library, action, at, entry, ref
from vastplan.engine.deciding.ignore import IgnoreRule, drop_leaves, ignore
from vastplan.engine.matching.attribution import attribute
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Action, Author, Verb
from vastplan.schema.field import Field
from vastplan.schema.history import ChangedObject, Trace
from vastplan.schema.kind import Kind
from vastplan.schema.shapes.list_map import LIST_MAP
from vastplan.schema.shapes.map import MAP
from vastplan.schema.shapes.struct import STRUCT
from vastplan.schema.walk import wire

A, BOOK = entry("shelf", "a", size=3, height=2, labels={"x": "1"}), entry("book", "t", shelf=ref("shelf", "a"))
WHEN = "2026-01-03T00:00:00+00:00"


@pytest.fixture
def bench() -> Bench:
    return Bench()


def left(bench: Bench, plan: Any, *rules: IgnoreRule) -> tuple[list[str], list[tuple[str, str]]]:
    """What is still done, and what is left alone with its reason."""
    kept, found = ignore({one.address: one for one in plan.actions}, rules)
    return sorted(map(str, kept)), [(str(one.address), one.reason) for one in found]


def test_what_needs_something_that_is_left_gone_is_left_too(bench: Bench) -> None:
    late = entry("reading", "r", after=(at("book", "t"),))

    def held(verb: str, kind: Kind) -> None:
        for row in bench.library.rows["reading"].values():
            row["state"] = "held"

    bench.library.after = held
    bench.done(A, BOOK, late)
    for name in ("shelf", "book", "reading"):
        bench.library.rows[name].clear()
    plan = bench.plan(A, BOOK, late)
    everything = ["iad/book/t", "iad/reading/r", "iad/shelf/a"]
    assert left(bench, plan) == left(bench, plan, IgnoreRule("iad/shelf/other", "x")) == (everything, [])
    assert left(bench, plan, IgnoreRule("iad/shelf/a", "x", fields=("size",))) == (everything, [])
    assert left(bench, plan, IgnoreRule("iad/shelf/*", "later")) == (
        [],
        [
            ("iad/shelf/a", "later"),
            ("iad/book/t", "it needs iad/shelf/a, which is left as it is"),
            ("iad/reading/r", "it needs iad/book/t, which is left as it is"),
        ],
    )
    assert left(bench, plan, IgnoreRule("*/r", "later")) == (
        ["iad/book/t", "iad/shelf/a"],
        [("iad/reading/r", "later")],
    )
    going = replace(action(plan, "book", "t"), verb=Verb.DELETE)
    kept, _ = ignore(
        {going.address: going, at("shelf", "a"): action(plan, "shelf", "a")}, [IgnoreRule("*/shelf/a", "later")]
    )
    assert set(kept) == {going.address}


def test_what_is_replaced_cannot_be_left_in_part(bench: Bench) -> None:
    bench.done(A)
    bench.library.named("shelf", "a").update(size=9, height=1)
    plan = bench.plan(A)
    rule = IgnoreRule("iad/shelf/a", "tried out", fields=("size",))
    kept, found = ignore({one.address: one for one in plan.actions}, [rule])
    assert found == () and kept[at("shelf", "a")].changes == plan.actions[0].changes
    assert kept[at("shelf", "a")].notes == ("size cannot keep its changed value: the object is replaced",)


SIZE, LABEL = (
    IgnoreRule("*/shelf/*", "tried out", fields=("size",), until="2026-09-01"),
    IgnoreRule("iad/shelf/a.labels.*", "a team's own"),
)


@pytest.mark.parametrize(
    ("rules", "document", "verb", "reason", "done", "left_alone"),
    [
        ((SIZE,), {}, Verb.UPDATE, "changed outside vastplan", ["labels.x"], [["size"]]),
        ((LABEL,), {}, Verb.UPDATE, "changed outside vastplan", ["size"], [["labels.x"]]),
        ((SIZE, LABEL), {}, None, "", [], [["size"], ["labels.x"]]),
        ((IgnoreRule("iad/shelf/a", "all of it"), SIZE), {}, None, "", [], [["labels.x", "size"]]),
        ((IgnoreRule("*", "only the map", fields=("labels",)),), {}, Verb.UPDATE, "changed outside vastplan", ["size"], [["labels.x"]]),
        ((SIZE, LABEL), {"open": True}, Verb.UPDATE, "the document changed", ["open"], [["size"], ["labels.x"]]),
        ((SIZE, LABEL), {"height": None}, Verb.RELEASE,
         "it stays managed, without fields that the document no longer has: these keep their values", [], [["size"], ["labels.x"]]),
        ((SIZE,), {"size": 5}, Verb.UPDATE, "changed outside vastplan", ["labels.x"], [["size"]]),
        ((SIZE, LABEL), {"size": 5, "open": True}, Verb.UPDATE, "the document changed", ["open"], [["size"], ["labels.x"]]),
        ((replace(SIZE, document=True),), {"size": 5}, Verb.UPDATE, "", ["labels.x", "size"], []),
        ((replace(SIZE, document=True),), {}, Verb.UPDATE, "changed outside vastplan", ["labels.x"], [["size"]]),
        ((IgnoreRule("iad/shelf/b", "another"),), {}, Verb.UPDATE, "", ["labels.x", "size"], []),
    ],
)  # fmt: skip
def test_what_is_left_alone_and_what_is_done_beside_it(
    rules: tuple[IgnoreRule, ...],
    document: Any,
    verb: Any,
    reason: str,
    done: list[str],
    left_alone: list[list[str]],
    bench: Bench,
) -> None:
    bench.done(A)
    bench.library.named("shelf", "a").update(size=9, labels={"x": "2"})
    values = {key: value for key, value in {**A.values, **document}.items() if value is not None}
    plan = bench.plan(replace(A, values=values))
    kept, found = ignore({one.address: one for one in plan.actions}, rules)
    assert sorted(sorted(change.path for change in one.changes) for one in found) == sorted(left_alone)
    assert {one.until for one in found} <= {"", "2026-09-01"}
    if verb is None:
        assert kept == {}
        return
    (one,) = kept.values()
    assert (one.verb, sorted(change.path for change in one.changes)) == (verb, done)
    assert one.reason == reason or not reason
    assert one.left == tuple(sorted(path for paths in left_alone for path in paths))


def test_what_need_not_be_replaced_any_more_is_updated_for_what_is_left_of_it(bench: Bench) -> None:
    bench.done(A)
    bench.library.named("shelf", "a").update(size=9, height=1)
    plan = bench.plan(A)
    assert [(one.verb, one.reason) for one in plan.actions] == [(Verb.REPLACE, "height cannot be changed in place")]
    kept, _ = ignore({one.address: one for one in plan.actions}, [IgnoreRule("*", "as it is", fields=("height",))])
    assert [(one.verb, one.reason) for one in kept.values()] == [(Verb.UPDATE, "changed outside vastplan")]


def test_values_without_what_is_left() -> None:
    fields = KINDS["shelf"].fields
    values = {"name": "a", "size": 3, "labels": {"x": "1", "y": "2"}}
    assert drop_leaves(fields, values, []) is values
    assert drop_leaves(fields, values, ["size", "labels.x", "nothing"]) == {"name": "a", "labels": {"y": "2"}}
    assert values["labels"] == {"x": "1", "y": "2"}


# Who


class Remembers:
    """A system that remembers, or not."""

    def __init__(self, *traces: Trace | Exception) -> None:
        self.traces = traces
        self.sought: Sequence[ChangedObject] = ()

    def history(self, sought: Sequence[ChangedObject]) -> Iterator[tuple[int, Trace]]:
        self.sought = sought
        for one in self.traces:
            if isinstance(one, Exception):
                raise one
            yield 0, one


def remembering(provider: Any) -> dict[tuple[str, str], Any]:
    """The one system."""
    return {(SITE, "library"): provider}


def told(bench: Bench, provider: Any) -> Action:
    """The one action, with who it was."""
    bench.done(A)
    bench.library.named("shelf", "a").update(size=9, labels={"x": "2"})
    plan = bench.plan(A)
    (found,) = attribute(plan.actions, bench.part_by_address(), KINDS, remembering(provider))
    assert found.since == "2026-01-02T00:00:00+00:00"
    return found


@pytest.mark.parametrize(
    ("provider", "why"),
    [
        (VastplanError("no way in"), "no way in"),
        (None, "the system does not say who"),
        (Library(), "the system does not say who"),
        (Remembers(), "the system does not say who"),
        (Remembers(Trace("x", "noon")), "the system does not say who"),
        (Remembers(Trace("x", WHEN), VastplanError("cut\x1b off")), "cut"),
        (Remembers(Trace("x", WHEN), KeyError("user")), "its records do not have the documented form (KeyError)"),
    ],
)
def test_what_a_system_does_not_tell(bench: Bench, provider: Any, why: str) -> None:
    authors = {change.author for change in told(bench, provider).changes}
    (one,) = authors
    assert one is not None and one.who == "" and one.untold.startswith(why) and "\x1b" not in one.untold


def test_who_changed_which_field_last(bench: Bench) -> None:
    memory = Remembers(
        Trace("ann", WHEN, "size", (("size",),)), Trace("bob", WHEN.replace("03T", "04T"), "labels", (("labels", "x"),)),
        Trace("eve", WHEN.replace("03T", "05T"), "other", (("open",),)),
    )  # fmt: skip
    found = told(bench, memory)
    assert {change.path: change.author for change in found.changes} == {
        "size": Author("ann", WHEN, "size"), "labels.x": Author("bob", WHEN.replace("03T", "04T"), "labels"),
    }  # fmt: skip
    assert [(one.id, one.locator, one.since) for one in memory.sought] == [("n1", "n1", found.since)]


def test_the_last_trace_of_that_very_place_counts(bench: Bench) -> None:
    memory = Remembers(
        Trace("ann", WHEN, "put", (("size", "unit"),)), Trace("bob", WHEN.replace("03T", "02T"), "put", (("size",),)),
        Trace("eve", WHEN.replace("03T", "05T"), "put", (("open",),)),
    )  # fmt: skip
    assert {change.path: change.author for change in told(bench, memory).changes} == {
        "size": Author("ann", WHEN, "put"), "labels.x": Author(untold="the system does not say who"),
    }  # fmt: skip


def test_what_the_document_changed_has_no_author(bench: Bench) -> None:
    bench.done(A, entry("shelf", "b", size=3), entry("shelf", "c", size=3))
    bench.library.named("shelf", "a").update(size=9)
    bench.library.rows["shelf"].pop(bench.library.named("shelf", "c")["id"])
    plan = bench.plan(
        replace(A, values={**A.values, "open": True}), entry("shelf", "b", size=4), entry("shelf", "c", size=3), entry("shelf", "d"),
    )  # fmt: skip
    owned = {at("shelf", name): bench.part.entries[f"iad/shelf/{name}"] for name in "abc"}
    memory = Remembers(Trace("ann", WHEN))
    found = {one.address.name: one for one in attribute(plan.actions, owned, KINDS, remembering(memory))}
    assert {name: bool(one.since) for name, one in found.items()} == {"a": True, "b": True, "c": True, "d": False}
    assert {change.path: change.author for change in found["a"].changes} == {"size": Author("ann", WHEN), "open": None}
    assert [change.author for change in found["b"].changes] == [None] and len(memory.sought) == 2
    assert found["c"].author == Author(untold="the system does not say who") and found["d"].author is None


def test_where_a_leaf_is_on_the_wire() -> None:
    inner = Field("power", ("watts",))
    light = Field("light", ("spec", "light"), shape=STRUCT, fields=(inner,))
    rooms = Field("rooms", ("rooms",), shape=LIST_MAP, fields=(inner,), key=("name",))
    labels = Field("labels", ("meta", "labels"), shape=MAP)
    fields = (light, rooms, labels)
    assert wire(fields, ("light", "power")) == ("spec", "light", "watts")
    assert wire(fields, ("light",)) == ("spec", "light")
    assert wire(fields, ("light", "nothing")) == ("spec", "light")
    assert wire(fields, ("rooms", "a", "power")) == ("rooms",)
    assert wire(fields, ("labels", "x")) == ("meta", "labels", "x")
    assert wire(fields, ("nothing",)) == ()
    assert wire(KINDS["book"].fields, ("shelf",)) == ("shelf_id",)


def test_what_names_something_that_is_left_with_another_name_is_left_too(bench: Bench) -> None:
    names, gone = entry("catalogue", "c", shelf=ref("shelf", "a")), entry("catalogue", "gone")
    bench.done(A, names, gone)
    bench.library.named("shelf", "a")["name"] = bench.library.named("catalogue", "c")["shelf"] = "z"
    bench.library.rows["catalogue"].pop(bench.library.named("catalogue", "gone")["id"])
    everything = {("iad/shelf/a", Verb.UPDATE), ("iad/catalogue/c", Verb.UPDATE), ("iad/catalogue/gone", Verb.CREATE)}
    assert {(str(one.address), one.verb) for one in bench.plan(A, names, gone).actions} == everything
    bench.ignore = (IgnoreRule("iad/shelf/*", "they call it z", fields=("name",)),)
    plan = bench.plan(A, names, gone)
    assert [(str(one.address), one.verb) for one in plan.actions] == [("iad/catalogue/gone", Verb.CREATE)]
    assert [(str(one.address), one.reason) for one in plan.left] == [("iad/shelf/a", "they call it z")]
