"""A plan says what systems call the objects that its values refer to, where their addresses do not."""

from __future__ import annotations

from tests.engine.library import Bench, action, entry, ref
from vastplan.model.plan import FieldChange, Plan
from vastplan.report.view import of_change


def shelf_change(plan: Plan) -> FieldChange:
    (change,) = (change for change in action(plan, "catalogue", "c").changes if change.path == "shelf")
    return change


def test_a_name_that_the_address_does_not_show_is_in_the_plan() -> None:
    bench = Bench()
    shelves = [entry("shelf", "first", name="oak"), entry("shelf", "second", name="second")]
    change = shelf_change(bench.plan(*shelves, entry("catalogue", "c", name="c", shelf=ref("shelf", "first"))))
    assert change.after == {"$ref": "iad/shelf/first"} and change.names == {"iad/shelf/first": "oak"}, (
        "it follows from the document"
    )
    bench.done(*shelves, entry("catalogue", "c", name="c", shelf=ref("shelf", "first")))
    change = shelf_change(bench.plan(*shelves, entry("catalogue", "c", name="c", shelf=ref("shelf", "second"))))
    assert change.names == {"iad/shelf/first": "oak"}
    assert (of_change(change).before, of_change(change).after) == ("oak", "second")


def test_an_id_is_not_shown_in_place_of_an_address() -> None:
    bench = Bench()
    books = [entry("shelf", "s", name="s"), entry("book", "b", title="b", shelf=ref("shelf", "s"))]
    bench.done(*books)
    plan = bench.plan(*books, entry("catalogue", "c", name="c", books=[ref("book", "b")]))
    (change,) = (change for change in action(plan, "catalogue", "c").changes if change.path == "books")
    assert change.names == {} and of_change(change).after == "[b]"


def test_the_name_of_an_object_that_no_document_knows_is_not_known() -> None:
    plan = Bench().plan(entry("catalogue", "c", name="c", shelf=ref("shelf", "lost", managed=False)))
    assert shelf_change(plan).names == {}
