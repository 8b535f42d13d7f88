"""What an operation is at work on is left alone until it has ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from tests.guards import stage
from vastplan.model.operation import Operation, Phase, last_of_each
from vastplan.model.site_ledger import SiteLedger

MOVE = Operation(
    "1a", "move", "planned", "guid", "iad/protected_path/p", "iad", "pdx", "d", "then", covers=("iad/tenant/t",)
)
CASE: dict[str, Any] = {"desired": {"tenant/t": {"name": "t"}, "tenant/u": {"name": "u"}}}


def blocked(operation: Operation, what: str = "message") -> dict[str, list[tuple[str, str]]]:
    """The guards that stop something, with what they say, by address."""
    ledger = stage.ledger

    def with_operation(case: stage.Case) -> dict[str, SiteLedger]:
        return {site: replace(part, operations={"guid": operation}) for site, part in ledger(case).items()}

    with patch.object(stage, "ledger", with_operation):
        plan, _ = stage.planned(CASE)
    return {str(one.address): [(block.guard, getattr(block, what)) for block in one.blocked] for one in plan.actions}


@pytest.mark.parametrize(
    ("operation", "at"),
    [(MOVE, "none yet"), (replace(MOVE, stage="freeze"), "freeze"), (replace(MOVE, phase=Phase.ABORTING), "none yet")],
)
def test_it_stops_what_it_covers_and_nothing_else(operation: Operation, at: str) -> None:
    told = f"the move 1a of iad/protected_path/p to pdx is under way (stage {at}): vastplan changes nothing of it until that ends"
    assert blocked(operation) == {"iad/tenant/t": [("under-way", told)], "iad/tenant/u": []}


def test_one_on_a_single_site_goes_nowhere() -> None:
    told = "the restore 1a of iad/protected_path/p is under way (stage none yet): vastplan changes nothing of it until that ends"
    assert blocked(replace(MOVE, kind="restore", target="iad"))["iad/tenant/t"] == [("under-way", told)]


@pytest.mark.parametrize("phase", [Phase.DONE, Phase.ABORTED])
def test_one_that_has_ended_stops_nothing(phase: Phase) -> None:
    assert blocked(replace(MOVE, phase=phase)) == {"iad/tenant/t": [], "iad/tenant/u": []}


def test_the_part_that_knows_more_is_believed() -> None:
    ended = replace(MOVE, phase=Phase.DONE, serial=9)
    assert last_of_each([[MOVE], [ended], [MOVE]]) == (ended,)
    other = replace(MOVE, subject="other", began="before")
    assert last_of_each([[MOVE, other]]) == (other, MOVE)


def test_one_of_a_project_is_told_by_that_and_past_its_point_of_no_return_nobody_is_told_to_give_up() -> None:
    of_project = replace(MOVE, facts={"whole": "iad/project/team", "past return": "switch"})
    assert blocked(of_project)["iad/tenant/t"][0][1].startswith("the move 1a of iad/project/team to pdx is under way")
    for operation, back in ((MOVE, True), (of_project, False)):
        ((_, fix),) = blocked(operation, "fix")["iad/tenant/t"]
        taken_back = "continue it, or take it back: vastplan move status PATH, vastplan move abort PATH 1a"
        assert fix == (taken_back if back else "continue it, or see its state: vastplan move status PATH")
