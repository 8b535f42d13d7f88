"""Schedules, peers and protected paths: what a case file cannot say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.kinds.vast import protected_path, protection_policy, replication_peer
from vastplan.model.plan import Verb
from vastplan.schema.codec import decode_row
from vastplan.sim.tables import load_table


@pytest.mark.parametrize(
    ("every", "seconds"), [("90m", 5400), ("24H", 86400), ("1d", 86400), ("4W", 2419200), ("1M", 2592000)]
)
def test_spans_are_seconds_whatever_the_unit_they_come_in(every: str, seconds: int) -> None:
    frame = {"every": every, "start-at": "2026-01-31T02:00:00Z", "keep-local": None, "keep-remote": "7D"}
    values = decode_row(protection_policy.KIND, {"frames": [frame]})
    assert values["frames"] == [
        {"every": seconds, "start_at": "2026-01-31 02:00:00", "keep_local": None, "keep_remote": 7 * 86400}
    ]


@pytest.mark.parametrize("answered", [7, "7"])
def test_a_policy_id_may_come_as_a_number_or_as_text(answered: object) -> None:
    assert decode_row(protected_path.KIND, {"protection_policy_id": answered}) == {"protection_policy": "7"}


@pytest.mark.parametrize(
    ("kind", "path"),
    [(protected_path.KIND, "/protectedpaths/{id}/"), (replication_peer.KIND, "/nativereplicationremotetargets/{id}/")],
)
def test_every_state_that_is_waited_for_is_one_that_the_vendor_has(kind: Any, path: str) -> None:
    table = load_table("vast-5.5")
    operation = table.operation("GET", path)
    assert operation is not None
    states = set(table.fields(operation.responses["200"])["state"]["enum"])
    well, failed, leaving = kind.states.well, kind.states.failed, kind.states.leaving
    assert well and failed and leaving and well | failed | leaving <= states
    assert not (well & failed or well & leaving or failed & leaving)


def test_an_indestructible_schedule_stays_so(tmp_path: Path) -> None:
    frames = [{"every": "1h", "keep_local": "1d"}]
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"snapshot_schedules": {"hourly": {"frames": frames, "indestructible": True}}})
        lab.converge()
        lab.write({"snapshot_schedules": {"hourly": {"frames": frames, "indestructible": False}}})
        (action,) = lab.plan().actions
        assert action.verb is Verb.UPDATE
        assert [block.guard for block in action.blocked] == ["one-way"]


def test_the_prefix_is_the_entrys_name_unless_it_is_given(tmp_path: Path) -> None:
    frames = [{"every": "1h", "keep_local": "1d"}]
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"snapshot_schedules": {"hourly": {"frames": frames}, "daily": {"frames": frames, "prefix": "day"}}})
        lab.converge()
        prefixes = {row["name"]: row["prefix"] for row in lab.rows("iad", "protection_policy")}
        assert prefixes == {"hourly": "hourly", "daily": "day"}
