"""What a plan's text says of itself: nothing cut off that matters, no advice that does not help, no more fright than is due."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.reading import FORMATS, plan
from vastplan.model.address import Address
from vastplan.model.plan import Action, Cause, FieldChange, Plan, Verb
from vastplan.report.text import Style, plan_text

AT = Address("iad", "view", "a")
GONE = Action(AT, Verb.CREATE, "it is gone", deleted_outside=True)
CHANGED = Action(AT, Verb.UPDATE, "moved", (FieldChange("path", "/b", "/a", Cause.SYSTEM),))


def of(*actions: Action) -> Plan:
    return replace(plan("empty"), actions=actions)


def text(*actions: Action) -> str:
    return plan_text(of(*actions), Style(colour=False, width=60))


def test_accepting_is_not_offered_for_what_is_gone() -> None:
    assert "drift --accept" not in text(GONE) and "to keep an object gone" in text(GONE)
    assert "drift --accept ADDRESS writes the value" in text(CHANGED) and "gone" not in text(CHANGED)
    both = text(GONE, replace(CHANGED, address=AT._replace(name="b")))
    assert "drift --accept" in both and "to keep an object gone" in both


def test_who_is_behind_something_is_told_in_full() -> None:
    behind = tuple(f"iad/persistent_volume_claim/claim-number-{number}" for number in range(3))
    told = text(replace(CHANGED, dependents=behind, released=behind))
    assert [address for address in behind if told.count(address) != 2] == [] and "…" not in told
    assert all(len(line) <= 60 for line in told.splitlines() if line.lstrip().startswith("iad/"))


@pytest.mark.parametrize(
    ("action", "word", "summary"),
    [
        (Action(AT, Verb.RELEASE, "renamed", desired={"path": "/a"}), "record", "1 to record in the ledger"),
        (Action(AT, Verb.RELEASE, "left", desired={"path": "/a"}, released=("size",)), "release", "1 to release"),
        (Action(AT, Verb.RELEASE, "gone"), "release", "1 to release"),
    ],
    ids=["the ledger alone learns something", "a field is let go of", "an object is let go of"],
)
def test_what_the_ledger_alone_records_is_not_called_released(action: Action, word: str, summary: str) -> None:
    assert f"Plan: {summary}." in text(action)
    comment, page = FORMATS["md"](of(action)), FORMATS["html"](of(action))
    assert f"On `iad`: 1 to {word}\n" in comment and f". {word} <code>iad/view/a" in comment
    assert f'<td class="verb">. {word}</td>' in page
    assert ("Changes only the ledger" in comment) == (word == "record")


def test_what_is_affected_is_cut_with_a_way_to_see_all_of_it() -> None:
    many = tuple(f"iad/view/v{number}" for number in range(9))
    made = replace(
        plan("typical"),
        actions=tuple(replace(one, dependents=many) for one in plan("typical").actions if one.verb is Verb.DELETE),
    )
    address = str(made.actions[0].address)
    style = Style(colour=False, width=400)
    assert f"iad/view/v2 and 6 more (--expand {address})" in plan_text(made, style)
    for whole in (plan_text(made, style, whole=True), plan_text(made, style, expand=[address])):
        assert ", ".join(many) in whole and "more (--expand" not in whole
