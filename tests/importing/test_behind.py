"""Which new entries an object is there for: its own, else all those that need it, however far."""

from __future__ import annotations

from typing import Any

from vastplan.app.importing.entry_places import Behind
from vastplan.model.address import Address
from vastplan.model.finding import Where
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def at(name: str) -> Address:
    return Address("iad", "view", name)


def entry(name: str, line: int | None, *after: str, **values: Any) -> Entry:
    """An object that comes from a line, or from none."""
    where = None if line is None else Where("new.yaml", line, 1)
    return Entry(at(name), values, where, after=tuple(map(at, after)))


def behind(name: str, *entries: Entry, old: int = 9) -> list[int]:
    """The lines that an object is there for; line `old` is an old one."""
    lines = Behind(entries, lambda where: where.line if where is not None and where.line != old else None)
    found = lines.lines(at(name))
    assert lines.lines(at(name)) == found, "asked again"
    return sorted(found)


def test_what_has_a_line_is_there_for_that_one() -> None:
    assert behind("a", entry("a", 1), entry("b", 2, "a")) == [1]


def test_what_has_none_is_there_for_all_that_need_it() -> None:
    rule = entry("rule", None)
    needing = [entry("a", 1, "rule"), entry("b", 2, "rule"), entry("c", 3), entry("d", 4, view=Ref(at("rule")))]
    assert behind("rule", rule, *needing) == [1, 2, 4]
    assert behind("rule", *needing) == [1, 2, 4], "even where nothing makes it"
    assert behind("rule", rule, entry("a", 1, "b")) == []


def test_what_needs_it_by_something_between_does_need_it() -> None:
    between = [entry("rule", None), entry("one", None, "rule"), entry("two", None, "rule")]
    assert behind("rule", *between, entry("a", 1, "one"), entry("b", 2, "two"), entry("c", 3, "one", "two")) == [
        1,
        2,
        3,
    ]
    circle = [entry("rule", None, "one"), entry("one", None, "rule"), entry("a", 1, "one")]
    assert behind("rule", *circle) == [1]


def test_what_an_old_line_needs_is_not_asked_of_those_that_need_that() -> None:
    old = entry("old", 9, "rule")
    assert behind("rule", entry("rule", None), old, entry("a", 1, "old")) == []
    assert behind("rule", entry("rule", None), old, entry("b", 2, "rule"), entry("a", 1, "old")) == [2]
