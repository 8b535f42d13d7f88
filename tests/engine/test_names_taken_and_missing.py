"""What an apply would be refused for, known when it is planned: a key that names nothing, and a name that another object has by default."""

from __future__ import annotations

from typing import Annotated

import pytest

from tests.engine import library
from tests.engine.library import KINDS, Bench, action, entry
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, WITNESS, ListMap, Refers, SameAs, ServerDefault
from vastplan.schema.types import MISSING, Name, Spec


class Share(Spec):
    """How much of a shelf somebody may use."""

    books: int


class Reader(Spec):
    """Has shares of shelves, by their names, and a card, which is the reader's own name where nobody says another."""

    name: Annotated[Name, IDENTITY]
    shares: Annotated[
        dict[str, Share] | MISSING, ListMap(("shelf", "name"), refers=Refers("shelf"), writes=("shelf", "id"))
    ] = MISSING
    card: Annotated[str | MISSING, ServerDefault(SameAs("name"), WITNESS)] = MISSING


READER = Kind(
    Reader, name="reader", system="library", section="readers", endpoint=Endpoint("readers"), unique=(("card",),)
)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(library, "KINDS", {**KINDS, "reader": READER})
    made = Bench()
    made.library.rows["reader"] = {}
    return made


def test_a_key_that_names_nothing_is_missing(bench: Bench) -> None:
    bench.library.put("shelf", name="near")
    plan = bench.plan(entry("reader", "ann", shares={"near": {"books": 1}, "far": {"books": 2}}))
    (block,) = action(plan, "reader", "ann").blocked
    assert (block.guard, block.message) == ("missing", "shares refers to shelf far, which does not exist on iad")
    assert block.fix == "known: near; write another name, or create it first"


@pytest.mark.parametrize(
    ("card", "text"),
    [
        (None, "its card would be ann, which reader bob (not in the ledger) has, and this plan does not change that"),
        ("zoe", ""),
    ],
)
def test_a_name_that_is_left_out_is_the_one_that_the_system_takes(bench: Bench, card: str | None, text: str) -> None:
    bench.library.put("reader", name="bob", card="ann")
    plan = bench.plan(entry("reader", "ann", **({"card": card} if card else {})))
    assert [block.message for block in action(plan, "reader", "ann").blocked] == ([text] if text else [])
