"""Who is let in instead of somebody comes first, and he goes only when that was done. In memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import pytest

from tests.engine.library import KINDS, Bench, Catalogue, entry, ref
from vastplan.engine.matching.substitution import lets_in_by
from vastplan.model.errors import Refused
from vastplan.model.outcome import State
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.markers import SET, Opens, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName


class _Public(Catalogue):
    books: Annotated[list[ReferenceName] | MISSING, SET, Refers("book"), Wire("book_ids"), Opens(either=True)] = MISSING


_OPEN = {**KINDS, "catalogue": replace(KINDS["catalogue"], model=_Public)}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr("tests.engine.library.KINDS", _OPEN)
    bench = Bench()
    bench.done(*_SHELVED, _readers("old", "b"))
    return bench


_SHELVED = (entry("shelf", "s"), *(entry("book", name, shelf=ref("shelf", "s")) for name in ("a", "b")))


def _readers(name: str, *books: str, **more: Any) -> Entry:
    return entry("catalogue", name, books=[ref("book", book) for book in books], **more)


def _written(bench: Bench, *entries: Entry) -> list[str]:
    """What is done with catalogues, in order."""
    bench.library.said.clear()
    bench.done(*_SHELVED, *entries)
    return [verb for verb, kind in bench.library.said if kind == "catalogue" and verb not in ("list", "read")]


def test_the_new_one_comes_before_the_old_one_goes(bench: Bench) -> None:
    assert _written(bench, _readers("a-new", "b"), _readers("zz-new", "b")) == ["create", "create", "delete"]


def test_one_who_was_there_is_let_in_before_the_old_one_goes(bench: Bench) -> None:
    bench.done(*_SHELVED, _readers("old", "b"), _readers("zz", "a"))
    assert _written(bench, _readers("zz", "a", "b")) == ["update", "delete"]


@pytest.mark.parametrize("verb", ["create", "update"])
def test_the_old_one_stays_when_the_new_one_cannot_be_let_in(bench: Bench, verb: str) -> None:
    if verb == "update":
        bench.done(*_SHELVED, _readers("old", "b"), _readers("new"))

    def refuse(said: str, kind: Kind) -> None:
        if (said, kind.name) == (verb, "catalogue"):
            raise Refused("nobody is called so")

    bench.library.before = refuse
    receipt = bench.apply(bench.plan(*_SHELVED, _readers("new", "b")))
    states = {outcome.address: outcome.state for outcome in receipt.outcomes}
    assert states == {"iad/catalogue/new": State.FAILED, "iad/catalogue/old": State.SKIPPED}
    assert bench.library.named("catalogue", "old")


def test_the_old_one_does_not_wait_for_who_has_nothing_to_do_with_it(bench: Bench) -> None:
    bench.done(*_SHELVED, _readers("old", "b"), _readers("there", "b"), entry("shelf", "t"))

    def refuse(said: str, kind: Kind) -> None:
        if said in ("create", "update"):
            raise Refused("no")

    bench.library.before = refuse
    one_more = _readers("there", "b", shelf=ref("shelf", "s"))
    plan = bench.plan(*_SHELVED, _readers("new", "a"), one_more, entry("shelf", "u"))
    receipt = bench.apply(plan)
    states = {outcome.address: outcome.state for outcome in receipt.outcomes}
    assert states["iad/catalogue/old"] is State.DONE and states["iad/shelf/t"] is State.DONE, states
    assert states["iad/catalogue/new"] is State.FAILED


def test_only_what_lets_in_counts() -> None:
    assert lets_in_by(_OPEN["catalogue"]) and not lets_in_by(KINDS["catalogue"]) and not lets_in_by(KINDS["shelf"])
