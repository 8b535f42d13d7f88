"""A list whose order means nothing is told by what is added and what is removed, in every report, references by their name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.report.reading import DRIFT_FORMATS, FORMATS, drift, plan
from vastplan.model.address import Address
from vastplan.model.drift import Drift, DriftedField, DriftedObject, IgnoredDrift
from vastplan.model.plan import Action, Author, Cause, FieldChange, IgnoredChange, Plan, Verb
from vastplan.report.differences import difference
from vastplan.report.sets import set_change

BEFORE = [{"$ref": "lab/namespace/nlp-apps"}, {"$ref": "lab/project/team-a"}]
AFTER = [{"$existing": "lab/project/team-a"}, {"$ref": "lab/project/red"}]
AT = Address("lab", "admission_policy", "gold")


def change(cause: Cause = Cause.DOCUMENT, *, unordered: bool = True) -> FieldChange:
    return FieldChange("namespaces", BEFORE, AFTER, cause, unordered=unordered)


def planned(*changes: FieldChange) -> Plan:
    return replace(plan("empty"), actions=(Action(AT, Verb.UPDATE, "the document changed", changes),))


def test_what_stays_is_not_told_and_what_moves_is_told_by_name() -> None:
    found = set_change(BEFORE, AFTER)
    assert (found.removed, found.added) == (("nlp-apps",), ("red",))
    assert found.planned() == "removes nlp-apps; adds red"
    assert found.found("what was applied") == "has red besides what was applied, and lacks nlp-apps"
    assert set_change(["a"], []).found("what was applied") == "lacks a of what was applied"
    assert not set_change(BEFORE, BEFORE[::-1]) and not set_change(None, AFTER)


def test_two_that_are_called_alike_are_told_apart() -> None:
    found = set_change([{"$ref": "iad/namespace/a"}], [{"$ref": "iad/project/a"}, "b"])
    assert (found.removed, found.added) == (("namespace a",), ("project a", "b"))
    found = set_change([{"$ref": "iad/project/a"}], [{"$ref": "pdx/project/a"}])
    assert (found.removed, found.added) == (("iad/project/a",), ("pdx/project/a",))


def test_many_are_counted_on_one_line() -> None:
    assert set_change([], [f"h{number}" for number in range(15)]).planned().endswith("h10, h11 and 3 more")


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ("xml", ["\nnamespaces: - nlp-apps\nnamespaces: + red\nnamespaces: 1 unchanged<"]),
        ("sarif", ["update: the document changed; namespaces: - nlp-apps; namespaces: + red; namespaces: 1 unchanged"]),
        ("txt", ["\n        - nlp-apps\n        + red\n        1 unchanged\n"]),
        (
            "md",
            ["- `namespaces` (document changed); 1 unchanged:\n- `namespaces` `- nlp-apps`\n- `namespaces` `+ red`\n"],
        ),
        ("html", ['namespaces: removed</code></th><td><code dir="auto">nlp-apps<', "namespaces: added<", ">red<"]),
        ("json", ['"unordered": true']),
    ],
)
def test_a_plan_says_what_is_added_and_removed(ending: str, expected: list[str]) -> None:
    text = FORMATS[ending](planned(change()))
    assert [part for part in expected if part not in text] == []
    assert "(none)" not in text and "[0]" not in text


@pytest.mark.parametrize("ending", ["txt", "md"])
def test_what_was_changed_by_hand_is_undone_and_left_in_the_same_words(ending: str) -> None:
    text = FORMATS[ending](planned(replace(change(Cause.SYSTEM), author=Author("ann", "2026-01-02", ""))))
    assert "removes nlp-apps; adds red" in text.replace("`", "")
    left = IgnoredChange(AT, "a test", changes=(change(Cause.SYSTEM),))
    text = FORMATS[ending](replace(plan("empty"), left=(left,)))
    told = "stays with nlp-apps, which the document does not list, and without red, which the document lists"
    assert f"namespaces {told}" in text.replace("`", "")


def drifted(**fields: Any) -> Drift:
    field = DriftedField(
        **{"path": "hosts", "live": ["b", "c"], "applied": ["a", "b"], "cause": Cause.SYSTEM, "unit": "", **fields},
        unordered=True,
    )
    return replace(drift("empty"), drift=(DriftedObject("lab/view_policy/x", "changed", (field,)),))


@pytest.mark.parametrize("ending", ["txt", "md", "html", "xml", "sarif"])
def test_drift_says_what_there_is_more_and_less(ending: str) -> None:
    text = DRIFT_FORMATS[ending](drifted()).replace("`", "")
    assert "has c besides what was applied, and lacks a" in text
    both = drifted(cause=Cause.BOTH, applied=None, wanted=["b"])
    assert "has c besides what the document says" in DRIFT_FORMATS[ending](both).replace("`", "")


def test_ignored_drift_does_too() -> None:
    ignored = IgnoredDrift("lab/view_policy/x", "hosts", ["b"], ["a", "b"], "", "a test", unordered=True)
    assert "hosts lacks a of what was applied: a test" in DRIFT_FORMATS["txt"](
        replace(drift("empty"), ignored=(ignored,))
    )


def test_nothing_of_a_secret_list_is_told() -> None:
    hidden = planned(replace(change(), sensitive=True))
    assert all("nlp-apps" not in FORMATS[ending](hidden) for ending in ("txt", "md", "html"))
    told = DRIFT_FORMATS["txt"](drifted(sensitive=True))
    assert "hosts  is (sensitive), was applied as (sensitive)" in told


def test_in_a_list_with_an_order_a_reference_is_one_value_with_a_name() -> None:
    def lines(before: Any, after: Any) -> list[str]:
        return [part.line() for part in difference(before, after).parts]

    assert lines(BEFORE, AFTER) == ["- [0]: nlp-apps", "+ [1]: red"]
    assert lines([{"$ref": "a/namespace/x"}], [{"$ref": "a/project/x"}]) == ["- [0]: namespace x", "+ [0]: project x"]
    assert lines([{"to": {"$ref": "a/view/x"}}], [{"to": {"$ref": "b/view/x"}}]) == ["~ [0].to: a/view/x → b/view/x"]
    assert lines([{"to": [{"$ref": "a/view/x"}]}], [{"to": [{"$ref": "a/view/y"}]}]) == [
        "- [0].to[0]: x", "+ [0].to[0]: y",
    ]  # fmt: skip
