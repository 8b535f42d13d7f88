"""Changes by hand, by the engine alone: what is left alone and what stands on it, and who is named for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.engine.library import KINDS, SITE, Bench, Library, action, at, entry, ref
from vastplan.engine.blame import traced, wire
from vastplan.engine.leave import Rule, leave, without
from vastplan.model.errors import Unreachable
from vastplan.model.plan import Action, Author, Plan, Verb
from vastplan.words.history import Sought, Trace
from vastplan.words.kind import Field, Shape

A = entry("shelf", "a", size=3, height=2, labels={"x": "y"})
BOOK = entry("book", "t", shelf=ref("shelf", "a"))
EVERYTHING = Rule("*", "let it be")


@pytest.fixture
def bench() -> Bench:
    found = Bench()
    found.done(A, BOOK)
    return found


def left(plan: Plan, *rules: Rule) -> tuple[dict[str, Action], list[str]]:
    actions, kept = leave({one.address: one for one in plan.actions}, rules)
    return {str(address): one for address, one in actions.items()}, [f"{one.address} {one.reason}" for one in kept]


def test_no_rule_leaves_nothing_alone(bench: Bench) -> None:
    bench.library.named("shelf", "a").update(size=9)
    actions, kept = left(bench.plan(A, BOOK))
    assert list(actions) == ["iad/shelf/a"] and kept == []


def test_a_field_and_an_object_of_another_name_are_not_meant(bench: Bench) -> None:
    bench.library.named("shelf", "a").update(size=9)
    for rule in (Rule("iad/shelf/b", "no"), Rule("*", "no", ("labels",))):
        actions, kept = left(bench.plan(A, BOOK), rule)
        assert list(actions) == ["iad/shelf/a"] and kept == []


def test_what_is_gone_is_left_so_and_what_stands_on_it_too(bench: Bench) -> None:
    bench.library.rows["shelf"].clear()
    bench.library.rows["book"].clear()
    plan = bench.plan(A, BOOK, entry("shelf", "z", after=(at("book", "t"),)))
    actions, kept = left(plan, Rule("iad/shelf/a", "let it be"))
    assert not actions
    assert kept == [
        "iad/shelf/a let it be",
        "iad/book/t it needs iad/shelf/a, which is left as it is",
        "iad/shelf/z it needs iad/book/t, which is left as it is",
    ]
    actions, kept = left(plan, Rule("iad/shelf/b", "another one"))
    assert len(actions) == 3 and kept == []


def test_a_field_is_left_and_the_rest_is_written(bench: Bench) -> None:
    bench.library.named("shelf", "a").update(size=9)
    changed = entry("shelf", "a", size=3, height=2, labels={"x": "z"})
    actions, kept = left(bench.plan(changed, BOOK), EVERYTHING)
    one = actions["iad/shelf/a"]
    assert ([change.path for change in one.changes], one.left, one.reason) == (
        ["labels.x"], ("size",), "the document changed",
    )  # fmt: skip
    assert kept == ["iad/shelf/a let it be"]


def test_what_is_replaced_keeps_nothing(bench: Bench) -> None:
    bench.library.named("shelf", "a").update(size=9)
    taller = entry("shelf", "a", size=3, height=4, labels={"x": "y"})
    actions, kept = left(bench.plan(taller, BOOK), EVERYTHING)
    one = actions["iad/shelf/a"]
    assert one.verb is Verb.REPLACE and kept == []
    assert one.notes == ("size cannot be left as it was changed by hand: the object is replaced",)


def test_a_released_field_is_still_released(bench: Bench) -> None:
    bench.library.named("shelf", "a").update(size=9)
    actions, _ = left(bench.plan(entry("shelf", "a", size=3, height=2), BOOK), EVERYTHING)
    assert (actions["iad/shelf/a"].verb, actions["iad/shelf/a"].released) == (Verb.RELEASE, ("labels.x",))


def test_values_without_some_leaves() -> None:
    values = {"name": "a", "size": 3, "labels": {"x": "y", "z": "w"}}
    assert without(KINDS["shelf"].fields, values, []) is values
    assert without(KINDS["shelf"].fields, values, ["labels.x", "size", "nothing"]) == {
        "name": "a",
        "labels": {"z": "w"},
    }


class Told(Library):
    """A library that remembers."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self._answer = answer

    def history(self, sought: Sequence[Sought]) -> Iterator[tuple[int, Trace]]:
        """What it was given, or the exception that it was given."""
        if isinstance(self._answer, Exception):
            raise self._answer
        yield from self._answer


ANSWERS: dict[str, tuple[Any, Author]] = {
    "somebody": (
        [(0, Trace("eve", "2026-01-03T00:00:00+00:00", "put")), (0, Trace("bob", "2026-01-02T00:00:00+00:00"))],
        Author("eve", "2026-01-03T00:00:00+00:00", "put"),
    ),
    "of another place": (
        [(0, Trace("eve", "2026-01-03T00:00:00+00:00", "put", (("labels",),)))],
        Author(untold="the system does not tell"),
    ),
    "of that very place": (
        [(0, Trace("eve", "2026-01-03T00:00:00+00:00", "put", (("size", "unit"),)))],
        Author("eve", "2026-01-03T00:00:00+00:00", "put"),
    ),
    "at no time": ([(0, Trace("eve", "yesterday"))], Author(untold="the system does not tell")),
    "an outage": (Unreachable("down"), Author(untold="down")),
    "another form": (KeyError("who"), Author(untold="its records do not have the documented form (KeyError)")),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_who_did_it(name: str, bench: Bench) -> None:
    bench.library.named("shelf", "a").update(size=9)
    plan = bench.plan(A, BOOK)
    answer, author = ANSWERS[name]
    (one,) = traced(plan.actions, bench.part_by_address(), KINDS, {(SITE, "library"): Told(answer)})
    assert one.changes[0].author == author
    assert one.since == "2026-01-02T00:00:00+00:00"


@pytest.mark.parametrize(
    ("provider", "untold"), [(Library(), "the system does not tell"), (Unreachable("no such file"), "no such file")]
)
def test_nobody_to_ask(provider: Any, untold: str, bench: Bench) -> None:
    bench.library.rows["book"].clear()
    plan = bench.plan(A, BOOK)
    (one,) = traced(plan.actions, bench.part_by_address(), KINDS, {(SITE, "library"): provider})
    assert (one.verb, one.author) == (Verb.CREATE, Author(untold=untold))


def test_a_change_of_the_documents_has_no_author(bench: Bench) -> None:
    bench.library.named("shelf", "a").update(size=9)
    plan = bench.plan(entry("shelf", "a", size=3, height=2, labels={"x": "z"}), BOOK)
    told = Told([(0, Trace("eve", "2026-01-03T00:00:00+00:00"))])
    (one,) = traced(plan.actions, bench.part_by_address(), KINDS, {(SITE, "library"): told})
    assert {change.path: change.author is None for change in one.changes} == {"size": False, "labels.x": True}
    # and what nobody moved is not asked for
    assert action(bench.plan(entry("shelf", "b"), A, BOOK), "shelf", "b").author is None


def test_where_a_leaf_is_on_the_wire() -> None:
    fields = KINDS["shelf"].fields
    assert wire(fields, ("size",)) == ("size",)
    assert wire(fields, ("labels", "x")) == ("labels", "x")
    assert wire(fields, ("unknown",)) == ()
    assert wire(KINDS["book"].fields, ("shelf",)) == ("shelf_id",)
    outer = Field("limits", ("limits",), shape=Shape.STRUCT, fields=(Field("size", ("bytes",)),))
    assert wire((outer,), ("limits",)) == ("limits",)
    assert wire((outer,), ("limits", "size")) == ("limits", "bytes")
