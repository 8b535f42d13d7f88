"""What live objects will be called: told at once where nothing of a name moves, and just as by looking closely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from tests.engine.library import KINDS, SITE, at, ref
from vastplan.engine.live import new_names as module
from vastplan.engine.live.new_names import new_names
from vastplan.engine.live.observe import Live
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Values
from vastplan.schema.live import Attribute

LEFT_OUT = object()


def _path(values: Mapping[str, Any]) -> str | None:
    shelf = values.get("shelf")
    return None if isinstance(shelf, Ref) else f"{shelf}/{values.get('title')}"


BOOK = replace(
    KINDS["book"],
    attributes=(
        Attribute("path", (), _path, ("shelf", "title")),
        Attribute("lock", (), lambda values: values.get("lock") or f"lock-{values['title']}", ("lock", "title")),
        Attribute("id", ("id",)),
    ),
)


def told(values: Values, live: Values, defaults: tuple[str, ...] = ()) -> dict[str, Any]:
    """What a book will be called; the shelf `later` is not there yet, and any other is known by its own name."""

    def resolved(kind: Kind, given: Values) -> Values:
        assert kind is BOOK
        target = given["shelf"].target.name
        return {**given, "shelf": given["shelf"] if target == "later" else target}

    address, row = at("book", "x"), dict(live)
    there = Live(SITE, BOOK, "1", "x", row, {}, {})
    coming = new_names({"book": BOOK}, {address: Entry(address, values, defaults=defaults)}, {address: there}, resolved)
    return coming.get(address, {})


def _given(**values: Any) -> Values:
    return {name: value for name, value in values.items() if value is not LEFT_OUT}


def test_what_is_told_at_once_is_what_looking_closely_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    shelves, locks = ("s", ref("shelf", "s"), ref("shelf", "t"), ref("shelf", "later")), (LEFT_OUT, None, "", "p", "q")
    cases = [
        (
            _given(title=title, shelf=shelf, lock=lock, pages=1),
            _given(title="a", shelf=was, lock=locked, pages=2),
            defaults,
        )
        for title, shelf, lock, was, locked, defaults in product(
            "ab", shelves, locks, "st", locks, ((), ("lock",), ("title", "lock"))
        )
    ]
    at_once = [told(*case) for case in cases]
    monkeypatch.setattr(module, "_as_it_is", lambda *_: False)
    assert at_once == [told(*case) for case in cases]
    assert {frozenset(one) for one in at_once} == {
        frozenset(each) for each in ((), ("path",), ("lock",), ("path", "lock"))
    }


def test_nothing_is_resolved_for_what_is_called_as_it_is() -> None:
    def resolved(kind: Kind, values: Values) -> Values:
        raise AssertionError(f"{values} of {kind.name} were resolved")

    address = at("book", "x")
    kind = replace(BOOK, attributes=(Attribute("name", ("title",), lambda values: values["title"], ("title",)),))
    entry = Entry(address, {"title": "x", "shelf": ref("shelf", "s"), "pages": 2})
    live = Live(SITE, kind, "1", "x", {"title": "x", "shelf": "s", "pages": 1}, {}, {})
    assert new_names({"book": kind}, {address: entry}, {address: live}, resolved) == {}


def test_an_attribute_is_predicted_of_its_fields_alone() -> None:
    values = {"title": "x", "lock": "p"}
    assert Attribute("all", (), dict, ("title", "pages")).predicted(values) == {"title": "x"}
    assert Attribute("all", ()).predicted(values) is None
