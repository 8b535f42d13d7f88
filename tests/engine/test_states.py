"""What a system reports of its own objects: seen by plans, noticed by an apply, and text from outside wherever it is shown."""

from __future__ import annotations

import pytest

from tests.engine.library import Bench, at, entry
from vastplan.engine.state.object_states import unfinished_findings
from vastplan.model.finding import Severity
from vastplan.model.live_state import Condition
from vastplan.model.outcome import State


def test_what_begins_to_go_after_the_plan_is_stale_and_not_written_into() -> None:
    bench = Bench()
    bench.done(entry("shelf", "s"), entry("catalogue", "c"))
    plan = bench.plan(entry("shelf", "s"), entry("catalogue", "c", shelf="s"))
    bench.library.named("catalogue", "c")["state"] = "ending"
    (outcome,) = bench.apply(plan).outcomes
    assert (outcome.state, outcome.message) == (State.STALE, "it is being deleted: ending; plan again")
    assert "shelf" not in bench.library.named("catalogue", "c")


def test_an_apply_does_not_wait_for_what_others_make_well() -> None:
    bench = Bench()
    bench.library.after = lambda verb, kind: bench.library.named("catalogue", "c").update(state="empty")
    bench.done(entry("catalogue", "c"))
    (row,) = bench.plan(entry("catalogue", "c")).states
    assert (row.address, row.state.condition, row.state.word) == ("iad/catalogue/c", Condition.ON_ITS_WAY, "empty")


@pytest.mark.parametrize(
    ("state", "findings", "notes"),
    [
        ("held", [], []),
        ("announced", [], [("VP356", Severity.NOTE, "it is not ready yet: announced, no \\x1b[31mreader")]),
        ("cancelled", [("VP355", Severity.WARNING, "it is not well: cancelled, no \\x1b[31mreader")], []),
        ("ending", [("VP354", Severity.WARNING, "it is being deleted: ending, no \\x1b[31mreader")], []),
    ],
)  # fmt: skip
def test_each_state_has_its_finding_and_its_reason_is_inert(state: str, findings: object, notes: object) -> None:
    bench = Bench()
    row = bench.library.put("reading", name="r", state="held")
    bench.consent = bench.consent.__class__(adopt=True)
    bench.done(entry("reading", "r"))
    row |= {"state": state, "why": "no \x1b[31mreader"}
    bench.library.rows["reading"][row["id"]] = row
    plan = bench.plan(entry("reading", "r"))
    assert not plan.actions
    assert [(one.code, one.severity, one.message) for one in plan.findings] == findings
    unfinished = unfinished_findings(plan.states, {at("reading", "r"): entry("reading", "r")})
    assert [(one.code, one.severity, one.message) for one in unfinished] == notes
    assert list(unfinished_findings(plan.states, {})) == []
