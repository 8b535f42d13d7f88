"""Records of operations in a part: their event, their form on disk, and a part of before there were any."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.ledger.test_parts import EMPTY, after
from vastplan.ledger import events
from vastplan.ledger.codec import dump, load_part
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Attempt, Operation, Outcome

ONE = Operation(
    "1a", "move", "planned", "guid", "iad/protected_path/p", "iad", "pdx", "d", "then", covers=("iad/view/v",),
    attempts=(Attempt(1, "switch", "take over", "PATCH", "ab", "then", {"role": "SOURCE"}, Outcome.PENDING),),
)  # fmt: skip


def test_the_last_record_of_a_path_takes_the_place_of_the_one_before() -> None:
    later, other = replace(ONE, serial=2), replace(ONE, subject="other")
    part = after(events.operate(ONE), events.operate(other), events.operate(later))
    assert part.operations == {"guid": later, "other": other}
    assert load_part(dump(part), "it") == part


def test_a_part_without_any_says_nothing_of_them_and_one_of_before_has_none() -> None:
    whole = json.loads(dump(EMPTY))
    assert "operations" not in whole
    assert load_part(json.dumps({**whole, "version": 3}).encode(), "it") == EMPTY


@pytest.mark.parametrize("change", [{"subject": "another"}, {"phase": "x"}, {"began": None}])
def test_what_is_no_record_makes_no_ledger(change: dict[str, object]) -> None:
    whole = json.loads(dump(after(events.operate(ONE))))
    whole["operations"]["guid"] |= change
    with pytest.raises(VastplanError, match="it is not a ledger"):
        load_part(json.dumps(whole).encode(), "it")
