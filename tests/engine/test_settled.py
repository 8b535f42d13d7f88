"""Writes whose answer is lost are read back, and sent again where nothing of them is there: on the made-up vendor, in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest

from tests.engine import library
from tests.engine.library import Bench, Library, at, entry
from tests.engine.test_carry import BOOK, LISTED, THICK, A, told, written
from vastplan.engine.applying import settle
from vastplan.model.errors import Conflict, Refused, Unclear, Unreachable
from vastplan.model.outcome import State
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, WRITE_ONLY
from vastplan.schema.types import MISSING, Name, Spec


@pytest.fixture
def bench() -> Bench:
    return Bench()


def lost(
    bench: Bench, verb: str, kind: str, *, happened: bool, times: int = 1, ended: bool = True,
    meanwhile: Callable[[], object] = lambda: None,
) -> None:  # fmt: skip
    """The answers of the next such writes are lost, whether they happened or not."""
    left = [times]

    def lose(said: str, on: Kind) -> None:
        if (said, on.name) == (verb, kind) and left[0]:
            left[0] -= 1
            meanwhile()
            raise Unclear("503", ended=ended)

    setattr(bench.library, "after" if happened else "before", lose)


def sent(bench: Bench, verb: str, kind: str) -> int:
    """How often it was sent."""
    return written(bench).count((verb, kind))


@pytest.mark.parametrize("times", [1, 2])
def test_a_create_of_which_nothing_is_there_is_sent_again(bench: Bench, times: int) -> None:
    lost(bench, "create", "shelf", happened=False, times=times)
    (outcome,) = bench.apply(bench.plan(A)).outcomes
    assert told(outcome) == (State.DONE, "") and sent(bench, "create", "shelf") == times + 1
    assert len(bench.library.rows["shelf"]) == 1 and not bench.part.intents
    assert bench.plan(A).actions == ()


def test_a_create_that_happened_is_not_sent_again(bench: Bench) -> None:
    lost(bench, "create", "shelf", happened=True)
    bench.done(A)
    assert sent(bench, "create", "shelf") == 1 and len(bench.library.rows["shelf"]) == 1


def test_it_is_sent_three_times_at_the_most(bench: Bench) -> None:
    lost(bench, "create", "shelf", happened=False, times=99)
    (outcome,) = bench.apply(bench.plan(A)).outcomes
    assert told(outcome) == (State.UNKNOWN, "503; it does not exist yet") and sent(bench, "create", "shelf") == 3


def test_a_system_that_may_still_be_at_work_is_sent_nothing_more(bench: Bench) -> None:
    lost(bench, "create", "shelf", happened=False, ended=False)
    (outcome,) = bench.apply(bench.plan(A)).outcomes
    assert told(outcome) == (State.UNKNOWN, "503; it does not exist yet") and sent(bench, "create", "shelf") == 1


def test_it_is_read_after_a_pause_and_only_where_the_exchange_has_ended(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(settle, "PAUSE", 0.5)
    monkeypatch.setattr("vastplan.engine.applying.settle.time.sleep", pauses.append)
    for ended in (True, False):
        lost(bench, "create", "shelf", happened=True, ended=ended)
        bench.done(A, *([entry("shelf", "b")] if not ended else []))
    assert pauses == [0.5]


@pytest.mark.parametrize("problem", [Conflict("taken", 409), Refused("taken", 400), Unreachable("away")])
@pytest.mark.parametrize("arrives", [True, False])
def test_one_that_arrives_while_it_is_sent_again_is_the_one(bench: Bench, problem: Exception, arrives: bool) -> None:
    """The first one took effect late, and so the second one is refused."""
    creates: list[str] = []

    def late(verb: str, kind: Kind) -> None:
        if verb == "create":
            creates.append(verb)
            if len(creates) == 1:
                raise Unclear("503", ended=True)
            if arrives:
                bench.library.put("shelf", name="a", size=3)
            raise problem

    bench.library.before = late
    (outcome,) = bench.apply(bench.plan(A)).outcomes
    if arrives:
        assert told(outcome) == (State.DONE, "") and len(bench.library.rows["shelf"]) == 1
        assert bench.part.entries["iad/shelf/a"].id == "n1"
    else:
        assert told(outcome) == (State.UNKNOWN, f"503; sent again: {problem}; it does not exist yet")
    assert len(creates) == 2


def test_what_has_its_identity_and_other_values_is_not_sent_again(bench: Bench) -> None:
    lost(bench, "create", "shelf", happened=False, meanwhile=lambda: bench.library.put("shelf", name="a", size=9))
    (outcome,) = bench.apply(bench.plan(A)).outcomes
    assert told(outcome) == (State.UNKNOWN, "503; an object with its identity exists, and has other values")
    assert sent(bench, "create", "shelf") == 1


@pytest.mark.parametrize("happened", [True, False])
def test_an_update_is_sent_again_where_nothing_has_changed(bench: Bench, happened: bool) -> None:
    bench.done(A)
    bench.library.said.clear()
    lost(bench, "update", "shelf", happened=happened)
    bench.done(entry("shelf", "a", size=4))
    assert sent(bench, "update", "shelf") == (1 if happened else 2)
    assert bench.library.named("shelf", "a")["size"] == 4


def test_an_update_is_sent_again_with_what_was_read_last(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that compares versions takes it only so."""
    bench.done(A)
    given: list[Any] = []
    update = Library.update

    def noted(self: Library, kind: Kind, locator: str, body: Any, fresh: Any) -> None:
        given.append(fresh["books"])
        update(self, kind, locator, body, fresh)

    monkeypatch.setattr(Library, "update", noted)
    lost(bench, "update", "shelf", happened=False, meanwhile=lambda: bench.library.named("shelf", "a").update(books=1))
    bench.done(entry("shelf", "a", size=4))
    assert given == [0, 1]


@pytest.mark.parametrize("change", [{"size": 9}, {"open": True}])
def test_an_update_is_not_sent_again_over_a_change_by_somebody_else(bench: Bench, change: dict[str, Any]) -> None:
    bench.done(entry("shelf", "a", size=3, open=False))
    lost(
        bench, "update", "shelf", happened=False,
        meanwhile=lambda: bench.library.named("shelf", "a").update(change),
    )  # fmt: skip
    (outcome,) = bench.apply(bench.plan(entry("shelf", "a", size=4, open=False))).outcomes
    assert told(outcome) == (State.UNKNOWN, "503") and sent(bench, "update", "shelf") == 1


class Safe(Spec):
    """Never shows its code."""

    name: Annotated[Name, IDENTITY]
    code: Annotated[str | MISSING, WRITE_ONLY] = MISSING


@pytest.mark.parametrize("happened", [True, False])
def test_an_update_that_no_read_shows_is_not_taken_for_done(
    bench: Bench, happened: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = Kind(Safe, name="safe", system="library", section="safes", endpoint=Endpoint("safes"))
    monkeypatch.setattr(library, "KINDS", {**library.KINDS, "safe": kind})
    bench.library.rows["safe"] = {}
    bench.done(Entry(at("safe", "s"), {"name": "s", "code": "1"}))
    new = Entry(at("safe", "s"), {"name": "s", "code": "2"})
    lost(bench, "update", "safe", happened=happened)
    (outcome,) = bench.apply(bench.plan(new)).outcomes
    assert told(outcome) == (State.UNKNOWN, "503") and sent(bench, "update", "safe") == 1
    bench.done(new)
    assert bench.library.named("safe", "s")["code"] == "2" and bench.plan(new).actions == ()


@pytest.mark.parametrize("happened", [True, False])
def test_a_delete_is_sent_again_where_the_object_is_as_it_was(bench: Bench, happened: bool) -> None:
    bench.done(A)
    lost(bench, "delete", "shelf", happened=happened)
    bench.done()
    assert sent(bench, "delete", "shelf") == (1 if happened else 2)
    assert not bench.library.rows["shelf"] and not bench.part.entries


def test_a_delete_is_not_sent_again_to_what_has_changed(bench: Bench) -> None:
    bench.done(A)
    lost(bench, "delete", "shelf", happened=False, meanwhile=lambda: bench.library.named("shelf", "a").update(size=9))
    (outcome,) = bench.apply(bench.plan()).outcomes
    assert told(outcome) == (State.UNKNOWN, "503; it still exists") and sent(bench, "delete", "shelf") == 1


def test_a_delete_is_not_sent_to_another_object_of_that_place(bench: Bench) -> None:
    bench.done(A)

    def another() -> None:
        row = bench.library.named("shelf", "a")
        row["id"] = "n9"

    lost(bench, "delete", "shelf", happened=False, meanwhile=another)
    bench.done()
    assert sent(bench, "delete", "shelf") == 1 and bench.library.rows["shelf"]


@pytest.mark.parametrize("happened", [True, False])
def test_a_detach_is_sent_again_where_it_still_refers(bench: Bench, happened: bool) -> None:
    bench.done(A, BOOK, LISTED)
    plan = bench.plan(A, THICK, LISTED)
    bench.library.said.clear()
    lost(bench, "update", "catalogue", happened=happened)
    assert {outcome.state for outcome in bench.apply(plan).outcomes} == {State.DONE}
    assert bench.library.named("catalogue", "c")["book_ids"] == [bench.library.named("book", "t")["id"]]
    assert sent(bench, "update", "catalogue") == (2 if happened else 3)


@pytest.mark.parametrize("happened", [True, False])
def test_what_only_an_update_takes_is_sent_again(bench: Bench, happened: bool) -> None:
    lost(bench, "update", "shelf", happened=happened)
    bench.done(entry("shelf", "a", size=3, sign="A to K"))
    assert bench.library.named("shelf", "a")["sign"] == "A to K"
    assert sent(bench, "update", "shelf") == (1 if happened else 2)
