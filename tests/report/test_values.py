"""How values look in every report, and where two nested ones differ."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.reading import lines_run
from vastplan.model.plan import Cause, FieldChange
from vastplan.report.differences import before_after, difference
from vastplan.report.values import plain_value
from vastplan.report.view import of_change


@pytest.mark.parametrize("word", ["$ref", "$existing"])
def test_a_reference_that_is_called_like_what_was_there_is_shown_whole(word: str) -> None:
    after = {word: "iad/vip_pool/a"}
    change = FieldChange("vip_pool", "a", after, Cause.DEPENDENCY)
    assert before_after(change) == ("a", "iad/vip_pool/a")
    assert of_change(change).cause == "what it refers to is another object now, or has another name"
    assert before_after(FieldChange("pools", ["a"], [after], Cause.DOCUMENT)) == ("[a]", "[iad/vip_pool/a]")
    assert before_after(FieldChange("vip_pool", "b", after, Cause.DOCUMENT)) == ("b", "a")
    replaced = FieldChange("view", {"$ref": "iad/view/a"}, after, Cause.DEPENDENCY, known_after_apply=True)
    assert (before_after(replaced), of_change(replaced).cause) == (
        ("a", "(known after apply)"), "what it refers to is replaced",
    )  # fmt: skip


def _differences(before: Any, after: Any) -> list[str]:
    return [part.line() for part in difference(before, after).parts]


@pytest.mark.parametrize("text", ["not present", "x not present y", "(none)"])
def test_a_text_that_reads_like_an_absence_is_shown_as_it_is(text: str) -> None:
    before, after = [{"label": text}], [{"label": "other"}]
    assert _differences(before, after) == [f"~ [0].label: {text} → other"]
    assert _differences(after, before) == [f"~ [0].label: other → {text}"]


def test_what_is_on_one_side_only_is_added_or_removed() -> None:
    less: list[dict[str, Any]] = [{"name": "a"}]
    more: list[dict[str, Any]] = [{"name": "a", "label": "not present"}, {"name": "not present"}]
    assert _differences(less, more) == ["+ [0].label: not present", "+ [1]: {name: not present}"]
    assert _differences(more, less) == ["- [1]: {name: not present}", "- [0].label: not present"]


def test_an_item_in_front_makes_no_others_look_changed() -> None:
    before = [{"name": str(number)} for number in range(60)]
    found = difference(before, [{"name": "new"}, *before])
    assert ([part.line() for part in found.parts], found.unchanged) == (["+ [0]: {name: new}"], 60)


def test_an_edited_item_is_told_where_it_stands_and_a_moved_one_by_both_places() -> None:
    before: list[Any] = [{"every": "1h", "keep": 1}, "b", "c", "d"]
    assert _differences(before, [{"every": "2h", "keep": 1}, "b", "c", "d"]) == ["~ [0].every: 1h → 2h"]
    assert _differences(["a", "b", "c", "d"], ["b", "c", "d", "a"]) == ["> [0] to [3]: a"]
    assert _differences(["a", "a", "b"], ["a", "b", "b"]) == ["- [1]: a", "+ [2]: b"]


def test_mappings_are_compared_by_key_with_the_units_of_their_values() -> None:
    units = {"size": "bytes"}
    found = difference({"a": 1, "size": 1024, "b": [1]}, {"size": 2048, "c": "x", "b": [1, 2]}, "", units)
    assert [part.line() for part in found.parts] == ["- a: 1", "+ b[1]: 2", "+ c: x", "~ size: 1 KiB → 2 KiB"]
    assert found.unchanged == 0


@pytest.mark.parametrize(("before", "after"), [(1, "1"), (None, "(none)"), (["a", "b"], "[a, b]"), (True, "true")])
def test_two_values_never_look_alike(before: Any, after: Any) -> None:
    old, new = before_after(FieldChange("x", before, after, Cause.DOCUMENT))
    assert old != new


def test_a_text_that_reads_like_several_is_in_quotes_where_it_stands_among_others() -> None:
    assert plain_value(["a, b", "c", "", "d: e"]) == '["a, b", c, "", "d: e"]'
    assert plain_value({"k": "{x}", "::1": "::/0"}) == '{k: "{x}", ::1: ::/0}'


@pytest.mark.slow
@pytest.mark.parametrize("unordered", [True, False])
@pytest.mark.parametrize("shape", ["appended", "in front", "reversed", "all other"])
def test_the_work_grows_with_the_items(shape: str, unordered: bool) -> None:
    def steps(count: int) -> int:
        before: list[Any] = [{"name": f"h{number}"} for number in range(count)]
        other: list[Any] = [{"name": f"x{number}"} for number in range(count)]
        after = {
            "appended": before + other, "in front": other + before, "reversed": before[::-1], "all other": other
        }[shape]  # fmt: skip
        return lines_run(lambda: difference(before, after, unordered=unordered))

    assert steps(1_000) <= 12 * steps(100)
