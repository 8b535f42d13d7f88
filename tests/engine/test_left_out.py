"""What an open operation is about and the document does not have any more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vastplan.engine.live.open_operations import missing_entries
from vastplan.model.address import Address
from vastplan.model.operation import Operation, Phase
from vastplan.schema.entries import Entry

MOVE = Operation("m1", "move", "planned", "g", "iad/protected_path/v", "iad", "pdx", "doc", "2026-01-01T00:00:00Z")
RESTORE = replace(MOVE, id="r1", kind="restore", address="iad/volume/v", target="iad", stage="copy")
PATH = Entry(Address("iad", "protected_path", "v"), {}, origin="iad/volume/v")


@pytest.mark.parametrize("operation", [MOVE, RESTORE])
def test_it_is_told_with_the_way_back(operation: Operation) -> None:
    (told,) = missing_entries([operation], (), {"iad", "pdx"})
    assert told.code == "VP353" and told.address == operation.address
    stage = operation.stage or "none yet"
    assert told.message.endswith(f"its {operation.kind} {operation.id} is under way (stage {stage})")
    assert told.fix.startswith("put it back as it was")
    assert told.fix.endswith(f"give up: vastplan {operation.kind} abort PATH {operation.id}")


def test_past_the_point_of_no_return_it_is_only_put_back() -> None:
    (told,) = missing_entries([replace(MOVE, facts={"past return": "switch"})], (), {"iad", "pdx"})
    assert "abort" not in told.fix


@pytest.mark.parametrize("operation", [MOVE, RESTORE])
def test_what_the_document_has_on_either_site_is_not_told(operation: Operation) -> None:
    assert not [*missing_entries([operation], (PATH,), {"iad", "pdx"})]
    assert not [
        *missing_entries([MOVE], (replace(PATH, address=Address("pdx", "protected_path", "v")),), {"iad", "pdx"})
    ]


def test_what_has_ended_and_what_is_of_a_site_that_is_not_looked_at_is_not_told() -> None:
    assert not [*missing_entries([replace(MOVE, phase=Phase.ABORTED), replace(MOVE, phase=Phase.DONE)], (), {"iad"})]
    assert not [*missing_entries([MOVE], (), {"pdx"})]
