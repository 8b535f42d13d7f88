"""Values that only the create answers: what refers to them in the same apply gets them, and nobody else does."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import pytest

from tests.engine import library
from tests.engine.library import Bench, Library, at, ref
from vastplan.model.outcome import State
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import Attribute
from vastplan.schema.markers import IDENTITY, WRITE_ONLY, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec

SECRET = "opens-every-door"


class Card(Spec):
    """A reader's card; its number is printed once."""

    name: Annotated[Name, IDENTITY]


class Locker(Spec):
    """Opens with the number of a card."""

    name: Annotated[Name, IDENTITY]
    number: Annotated[ReferenceName | MISSING, Refers("card.number", blocks_delete=False), WRITE_ONLY] = MISSING


CARD = Kind(
    Card, name="card", system="library", section="cards",
    endpoint=Endpoint("cards", answered_once=(("number",),)), attributes=(Attribute("number", ("number",)),),
)  # fmt: skip
LOCKER = Kind(Locker, name="locker", system="library", section="lockers", endpoint=Endpoint("lockers"))


class Printing(Library):
    """Says a card's number when the card is made, and never again."""

    def create(self, kind: Kind, body: Row) -> Row:
        """A new row."""
        row = super().create(kind, body)
        return {**row, "number": SECRET} if kind.name == "card" else row


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A library with cards."""
    monkeypatch.setattr(library, "KINDS", {**library.KINDS, "card": CARD, "locker": LOCKER})
    made = Bench()
    made.library = Printing()
    made.library.rows |= {"card": {}, "locker": {}}
    made.providers = {(library.SITE, "library"): made.library}
    return made


def entries() -> list[Entry]:
    """A card, and a locker that opens with it."""
    locker: dict[str, Any] = {"name": "l", "number": ref("card", "c")}
    return [Entry(at("card", "c"), {"name": "c"}), Entry(at("locker", "l"), locker)]


def test_what_refers_to_it_gets_it_and_nothing_else_holds_it(bench: Bench) -> None:
    plan = bench.plan(*entries())
    receipt = bench.apply(plan, parallel=4)
    assert {outcome.state for outcome in receipt.outcomes} == {State.DONE}, receipt
    assert bench.library.named("locker", "l")["number"] == SECRET
    kept = json.dumps([asdict(bench.part), asdict(receipt)], default=str)
    assert SECRET not in kept and SECRET not in repr(plan)
    assert not bench.plan(*entries()).actions  # it cannot be read again, and nothing wants to


def test_a_later_apply_cannot_have_it(bench: Bench) -> None:
    card, locker = entries()
    bench.done(card)
    (outcome,) = bench.apply(bench.plan(card, locker)).outcomes
    assert outcome.state is State.FAILED
    assert "which does not exist" in outcome.message and not bench.library.rows["locker"]
    assert "iad/locker/l" not in bench.part.entries
