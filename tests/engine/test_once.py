"""What is made once: not again when it is gone, and not otherwise when it is there."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import pytest

from tests.engine import library
from tests.engine.library import Bench, Library, action, at, entry
from vastplan.engine.values.creation import created_source, recorded_source
from vastplan.model.errors import Unclear
from vastplan.model.plan import Plan, Verb
from vastplan.model.site_ledger import REDACTED_DIGEST, UNKNOWN_DIGEST
from vastplan.schema.creation import Once
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import Attribute
from vastplan.schema.markers import CREATED_WITH, IDENTITY, IMMUTABLE, WRITE_ONLY, CreatedWith
from vastplan.schema.types import MISSING, Name, Spec


class Print(Spec):
    """A print of a book, from a plate that nobody shows again."""

    name: Annotated[Name, IDENTITY]
    plate: Annotated[str, WRITE_ONLY, IMMUTABLE]
    paper: Annotated[str | MISSING, IMMUTABLE] = MISSING
    shown: bool | MISSING = MISSING


PRINT = Kind(
    Print,
    name="print",
    system="library",
    section="prints",
    endpoint=Endpoint("prints"),
    attributes=(Attribute("number", ("number",)), Attribute("plate_made", ("plate_made",))),
    once=Once("another print is another entry", ("number", "plate_made")),
)


class Binding(Spec):
    """How a book is bound: one that is sewn is not bound otherwise, nor is another one sewn."""

    name: Annotated[Name, IDENTITY]
    by: Annotated[str, IMMUTABLE, CreatedWith("sewn", another="take it apart first")] = "glued"
    colour: Annotated[str | MISSING, IMMUTABLE] = MISSING


class Copy(Spec):
    """What is written off another book when it is made."""

    name: Annotated[Name, IDENTITY]
    of: Annotated[str | MISSING, IMMUTABLE, CREATED_WITH] = MISSING
    colour: Annotated[str | MISSING, IMMUTABLE] = MISSING


COPY = Kind(Copy, name="copy", system="library", section="copies", endpoint=Endpoint("copies"))
BINDING = Kind(Binding, name="binding", system="library", section="bindings", endpoint=Endpoint("bindings"))
FIRST = {"plate": "a", "paper": "grey"}


class Press(Library):
    """A library whose answer to a create tells when the plate was made, and no later one does."""

    def create(self, kind: Kind, body: Row) -> Row:
        """A print."""
        made = super().create(kind, {**body, "number": 7})
        return {**made, "plate_made": "1450"}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setitem(library.KINDS, "print", PRINT)
    monkeypatch.setitem(library.KINDS, "binding", BINDING)
    monkeypatch.setitem(library.KINDS, "copy", COPY)
    one = Bench()
    monkeypatch.setattr(one, "library", Press())
    one.providers[library.SITE, "library"] = one.library
    return one


def codes(plan: Plan) -> list[str]:
    return [finding.code for finding in plan.findings]


def test_what_it_was_made_of_is_noted_and_stays(bench: Bench) -> None:
    bench.done(entry("print", "p", **FIRST))
    wanted = {"number": "7", "plate_made": "1450"}
    assert bench.part.entries[str(at("print", "p"))].made_of == wanted
    bench.done(entry("print", "p", **FIRST, shown=True))
    assert bench.part.entries[str(at("print", "p"))].made_of == wanted
    assert bench.plan(entry("print", "p", **FIRST, shown=True)).actions == ()


def test_what_is_gone_is_told_and_not_made_again(bench: Bench) -> None:
    bench.done(entry("print", "p", **FIRST))
    bench.library.rows["print"].clear()
    plan = bench.plan(entry("print", "p", **FIRST, shown=True))
    assert plan.actions == () and codes(plan) == ["VP349"]
    assert plan.findings[0].message == (
        "it was created (number 7, plate_made 1450) and is gone: it is created once and never recreated"
    )
    assert plan.findings[0].fix == (
        "another print is another entry; vastplan ledger forget PATH iad/print/p lets the next apply recreate it; or take it out of the document"
    )
    plan = bench.plan(entry("print", "p", plate="b", paper="grey"))
    assert plan.actions == () and codes(plan) == ["VP350"]
    assert "plate cannot be changed afterwards" in plan.findings[0].message
    assert action(bench.plan(), "print", "p").verb is Verb.RELEASE


def test_of_the_means_to_another_object_it_is_not_said_to_take_it_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert PRINT.once is not None
    monkeypatch.setitem(library.KINDS, "print", replace(PRINT, once=replace(PRINT.once, means=True)))
    bench.done(entry("print", "p", **FIRST))
    bench.library.rows["print"].clear()
    assert (
        bench.plan(entry("print", "p", **FIRST)).findings[0].fix
        == "another print is another entry; vastplan ledger forget PATH iad/print/p lets the next apply recreate it"
    )


def test_another_one_of_its_name_is_somebody_elses(bench: Bench) -> None:
    bench.done(entry("print", "p", **FIRST))
    bench.library.rows["print"].clear()
    bench.library.put("print", name="p", paper="grey", number=8)
    found = action(bench.plan(entry("print", "p", **FIRST)), "print", "p")
    assert found.verb is Verb.ADOPT and found.reason == (
        "what was created (number 7, plate_made 1450) is gone, and the object of that name was created outside vastplan since"
    )


def test_what_is_gone_is_not_made_again_of_something_else(bench: Bench) -> None:
    bench.done(entry("copy", "c", of="first", colour="red"))
    bench.library.rows["copy"].clear()
    assert action(bench.plan(entry("copy", "c", of="first", colour="blue")), "copy", "c").verb is Verb.CREATE
    for otherwise in ({}, {"of": "second"}):
        plan = bench.plan(entry("copy", "c", **otherwise))
        assert plan.actions == () and codes(plan) == ["VP350"]
        assert plan.findings[0].message.startswith(
            "it is gone and was created with of, which the document has changed since"
        )
        assert "vastplan ledger forget PATH iad/copy/c lets the next apply recreate it" in plan.findings[0].fix
    mine = bench.part.entries[str(at("copy", "c"))]
    bench.owns(str(at("copy", "c")), replace(mine, fields=dict.fromkeys(mine.fields, UNKNOWN_DIGEST)))
    assert action(bench.plan(entry("copy", "c")), "copy", "c").verb is Verb.CREATE


@pytest.mark.parametrize("digest", [UNKNOWN_DIGEST, REDACTED_DIGEST])
def test_what_cannot_be_told_of_one_that_is_gone_is_no_other_choice(bench: Bench, digest: str) -> None:
    bench.done(entry("print", "p", **FIRST))
    bench.library.rows["print"].clear()
    address = str(at("print", "p"))
    mine = bench.part.entries[address]
    bench.owns(address, replace(mine, fields=dict.fromkeys(mine.fields, digest), made_of={}))
    plan = bench.plan(entry("print", "p", plate="b", paper="white"))
    assert codes(plan) == ["VP349"] and plan.findings[0].message.startswith("it was created and is gone")


@pytest.mark.parametrize("changes", [{"plate": "b"}, {"paper": "white"}])
def test_nothing_of_how_it_was_made_is_changed(bench: Bench, changes: dict[str, str]) -> None:
    bench.done(entry("print", "p", **FIRST))
    plan = bench.plan(entry("print", "p", **{**FIRST, **changes}))
    assert plan.actions == () and codes(plan) == ["VP350"]
    assert f"{next(iter(changes))} cannot be changed afterwards" in plan.findings[0].message


def test_one_that_somebody_made_otherwise_is_not_taken_over(bench: Bench) -> None:
    bench.library.put("print", name="p", paper="white", number=3)
    assert codes(bench.plan(entry("print", "p", **FIRST))) == ["VP350"]
    bench.done(entry("print", "q", **FIRST))
    bench.library.named("print", "p")["paper"] = "grey"
    assert (
        action(bench.plan(entry("print", "p", **FIRST), entry("print", "q", **FIRST)), "print", "p").verb is Verb.ADOPT
    )


def test_after_an_answer_that_is_lost_what_is_seen_is_noted(bench: Bench) -> None:
    def lost(verb: str, _kind: Kind) -> None:
        if verb == "create":
            bench.library.named("print", "p")["number"] = 7
            raise Unclear("no answer")

    bench.library.after = lost
    bench.apply(bench.plan(entry("print", "p", **FIRST)))
    assert bench.part.entries[str(at("print", "p"))].made_of == {"number": "7"}
    assert bench.plan(entry("print", "p", **FIRST)).actions == ()


def test_of_what_is_made_again_nothing_is_noted() -> None:
    shelf = library.KINDS["shelf"]
    assert (created_source(shelf, {"name": "s"}), recorded_source(shelf, {"name": "s"})) == ({}, {})


@pytest.mark.parametrize(("before", "after"), [("sewn", "glued"), ("glued", "sewn"), ("stapled", "sewn")])
def test_what_is_made_so_is_not_made_otherwise(bench: Bench, before: str, after: str) -> None:
    bench.done(entry("binding", "b", by=before, colour="red"))
    plan = bench.plan(entry("binding", "b", by=after, colour="blue"))
    assert plan.actions == () and codes(plan) == ["VP350"]
    assert "and by cannot be changed afterwards" in plan.findings[0].message
    assert plan.findings[0].fix == "take it apart first"


def test_between_other_values_it_is_replaced_and_what_else_changes_is(bench: Bench) -> None:
    bench.done(entry("binding", "b", by="glued"), entry("binding", "c", by="sewn", colour="red"))
    plan = bench.plan(entry("binding", "b", by="stapled"), entry("binding", "c", by="sewn", colour="blue"))
    assert [action(plan, "binding", name).verb for name in "bc"] == [Verb.REPLACE, Verb.REPLACE]
