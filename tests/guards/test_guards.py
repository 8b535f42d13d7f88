"""Every guard by its cases: what blocks, with which words and which way out, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guards.stage import Case, cases, planned
from vastplan.engine.guards.evaluate import GUARDS

CASES = cases()


def _name(case: Case) -> str:
    return f"{case['file']}: {case['name']}"


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_what_a_guard_says(case: Case) -> None:
    plan, _ = planned(case)
    found = {f"{one.address.kind}/{one.address.name}": one for one in plan.actions}
    blocks = {
        name: [[one.guard, one.message, one.fix] for one in action.blocked]
        for name, action in found.items()
        if action.blocked
    }
    assert blocks == case.get("blocks", {})
    assert [one.message for one in plan.findings] == case.get("warns", [])
    if "actions" in case:
        assert {name: action.verb.value for name, action in found.items()} == case["actions"]
    for name, seen in case.get("seen", {}).items():
        assert {one.name: one.value for one in found[name].evidence} == seen


def test_every_guard_has_a_case_that_blocks_and_one_that_does_not() -> None:
    said = {block[0] for case in CASES for found in case.get("blocks", {}).values() for block in found}
    assert said == {
        "approval", "deletes", "in-use", "orphans", "locked", "adopt", "emptied", "one-way", "shrink", "cannot-grow", "fixed", "below-use", "narrows",
        "opens-access", "unseen", "mass-change", "waits", "together", "other-document", "overlap", "copy", "in-the-way", "going-away", "no-source",
    }  # fmt: skip
    passing: list[Any] = [case for case in CASES if not case.get("blocks")]
    assert len(passing) > len(GUARDS)
