"""What nobody lists and is asked for one by one: planned, made, and found again where a create got no answer. In memory."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from tests.engine import library
from tests.engine.library import SITE, Bench, Library, at, ref
from vastplan.engine.live.names import names_to_read
from vastplan.engine.live.read import observe
from vastplan.model.errors import Unclear
from vastplan.model.outcome import State
from vastplan.model.plan import Verb
from vastplan.schema.endpoint import Asked, Endpoint
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import Attribute
from vastplan.schema.markers import IDENTITY, IMMUTABLE, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec

SHAPE = Asked("reader", "shelf_id", "shelves", "shelf", {"loans": 0})


class Loans(Spec):
    """How many books a reader may take from a shelf."""

    shelf: Annotated[ReferenceName, Refers("shelf.name"), IDENTITY, IMMUTABLE]
    reader: Annotated[Name, IDENTITY, IMMUTABLE]
    loans: int | MISSING = MISSING


def _path(values: Any) -> str | None:
    shelf = values.get("shelf")
    return f"{shelf}/{values['reader']}" if isinstance(shelf, str) else None


LOANS = Kind(
    Loans, read_by_name=True, name="loans", system="library", section="loans", endpoint=Endpoint("loans", shape=SHAPE),
    attributes=(Attribute("path", ("id",), _path, ("shelf", "reader")),),
)  # fmt: skip
SHELF = Entry(at("shelf", "s"), {"name": "s"})
ANN = Entry(at("loans", "ann"), {"shelf": ref("shelf", "s"), "reader": "ann", "loans": 3})


class Desk(Library):
    """Says what somebody may, and of whom it says so to nobody."""

    def __init__(self) -> None:
        super().__init__()
        self.rows["loans"] = {}

    def pages(self, kind: Kind) -> Any:
        """Of loans none."""
        assert kind.name != "loans", "nobody lists them"
        return super().pages(kind)

    def create(self, kind: Kind, body: Row) -> Row:
        """A new row."""
        if kind.name != "loans":
            return super().create(kind, body)
        self.before("create", kind)
        key = f"{body['shelf']}/{body['reader']}"
        self.rows["loans"][key] = {**body, "id": key}
        self.after("create", kind)
        return dict(self.rows["loans"][key])


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(library, "KINDS", {**library.KINDS, "loans": LOANS})
    named = names_to_read(library.KINDS, (SHELF, ANN), {})
    monkeypatch.setattr(library, "observe", lambda wanted, of, ledger: observe(wanted, of, ledger, named))
    bench = Bench()
    bench.library = Desk()
    bench.providers = {(SITE, "library"): bench.library}
    return bench


def test_it_is_made_and_seen_where_it_is_asked_for(bench: Bench) -> None:
    bench.done(SHELF, ANN)
    assert bench.library.rows["loans"]["s/ann"]["loans"] == 3
    assert bench.part.entries["iad/loans/ann"].locator == "s/ann" and not bench.plan(SHELF, ANN).actions
    bench.library.rows["loans"]["s/ann"]["loans"] = 4
    assert [one.verb for one in bench.plan(SHELF, ANN).actions] == [Verb.UPDATE]


@pytest.mark.parametrize("carried_out", [True, False])
def test_after_a_create_without_an_answer_it_is_asked_for(bench: Bench, carried_out: bool) -> None:
    bench.done(SHELF)

    def lost(verb: str, kind: Kind) -> None:
        if (verb, kind.name) == ("create", "loans"):
            raise Unclear("no answer")

    setattr(bench.library, "after" if carried_out else "before", lost)
    (outcome,) = bench.apply(bench.plan(SHELF, ANN)).outcomes
    if carried_out:
        assert outcome.state is State.DONE and not bench.plan(SHELF, ANN).actions
    else:
        assert (outcome.state, outcome.message) == (State.UNKNOWN, "no answer; it does not exist yet")
        bench.library.before = lambda verb, kind: None
        bench.done(SHELF, ANN)
