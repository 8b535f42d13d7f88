"""What guards may ask for is said before there is a plan (for the rights that take it): no less than any plan then reads."""

from __future__ import annotations

import pytest

from tests.guards.stage import Case, cases, kinds, planned
from vastplan.engine.guards.evidence_reads import may_be_read, second_read
from vastplan.model.plan import Verb

SYSTEMS = {"iad": frozenset({"vast", "kubernetes", "runai"})}
CASES = [pytest.param(case, id=f"{case['file']}-{number}") for number, case in enumerate(cases())]


@pytest.mark.parametrize("case", CASES)
def test_no_plan_reads_more_for_an_action_than_may_be_read(case: Case) -> None:
    for address, action in planned(case)[0].by_address().items():
        read = {name for _, name in second_read(kinds(), {address: action}, SYSTEMS)}
        assert read <= may_be_read(kinds(), address.kind), (address, action.verb)


def test_the_cases_read_something_for_deletes_and_for_others() -> None:
    read = {
        action.verb
        for case in cases()
        for address, action in planned(case)[0].by_address().items()
        if second_read(kinds(), {address: action}, SYSTEMS)
    }
    assert {Verb.DELETE, Verb.UPDATE} <= read


def test_what_hangs_on_it_what_would_be_cut_off_and_what_is_reached_by_it() -> None:
    assert {"persistent_volume_claim"} <= may_be_read(kinds(), "admission_binding")  # by the policy that it enforces
    assert {"persistent_volume_claim"} <= may_be_read(kinds(), "admission_policy")
    assert may_be_read(kinds(), "s3_lifecycle_rule") == {
        "clone",
        "snapshot",
        "tenant",
    }  # of the view whose objects it deletes
