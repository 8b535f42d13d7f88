"""How values look in every report, and where two nested ones differ."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.model.plan import Cause, FieldChange
from vastplan.report.values import before_after, inner_differences
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


def _differences(before: Any, after: Any) -> list[tuple[str, str, str]]:
    return [*inner_differences(FieldChange("rules", before, after, Cause.DOCUMENT))]


@pytest.mark.parametrize("text", ["not present", "x not present y", "(none)"])
def test_a_text_that_reads_like_an_absence_is_shown_as_it_is(text: str) -> None:
    before, after = [{"label": text}], [{"label": "other"}]
    assert _differences(before, after) == [("[0].label", text, "other")]
    assert _differences(after, before) == [("[0].label", "other", text)]


def test_what_is_absent_on_one_side_is_none_there() -> None:
    less: list[dict[str, Any]] = [{"name": "a"}]
    more: list[dict[str, Any]] = [{"name": "a", "label": "not present"}, {"name": "not present"}]
    assert sorted(_differences(less, more)) == [
        ("[0].label", "(none)", "not present"),
        ("[1]", "(none)", "{name: not present}"),
    ]
    assert sorted(_differences(more, less)) == [
        ("[0].label", "not present", "(none)"),
        ("[1]", "{name: not present}", "(none)"),
    ]
