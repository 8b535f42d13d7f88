"""Every kind, by its case file: what is planned from a snapshot is what is planned live, but for what a snapshot withholds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.force import by_force
from tests.kinds.cases import Case
from tests.kinds.test_kinds import CASES, FEW, call_by_hand, changes_of, document, edited, made
from tests.kinds.test_kinds import lab as lab
from tests.lab import EVERYTHING, Lab, full_registry
from tests.review.compared import unauthored
from vastplan.app.files import plan as plan_file
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.app.record import record_snapshot
from vastplan.model.plan import Plan
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.schema.endpoint import AskedMembers

MAY_BE_WITHHELD = (
    "data.", "labels.", "annotations.", "is_physical_quota", "generation", "lifetime", "access_key_id", "secret_access_key", "url",
    "user", "password", "snapshot",
)  # fmt: skip
"""What holds a secret, and what no system shows."""


def by_address(plan: Plan) -> dict[str, Any]:
    """The actions by address; in which order an action's changes come does not matter."""
    told = (unauthored(one) for one in plan_file.plan_to_data(plan)["actions"])
    return {
        one["address"]: {**one, "changes": sorted(one["changes"], key=lambda change: change["path"])} for one in told
    }


def held_against(lab: Lab, snapshot: RecordedSnapshot) -> None:
    """The document as it is now, planned both ways."""
    live = make_plan(lab.workspace(), PlanOptions(tuple(lab.sites), consent=EVERYTHING)).plan
    told = PlanOptions(tuple(lab.sites), consent=EVERYTHING, snapshot=snapshot)
    offline = make_plan(lab.workspace(), told).plan
    untold = {one.address: one.message for one in offline.findings if one.code == "VP330"}
    for address, message in untold.items():
        paths = message.partition(":")[0].split(", ")
        assert all(path.startswith(MAY_BE_WITHHELD) for path in paths), f"{address}: {message}"
    there, here = by_address(live), by_address(offline)
    assert {name: one for name, one in here.items() if name not in untold} == {
        name: one for name, one in there.items() if name not in untold
    }
    assert here.keys() <= there.keys(), "a change that a live plan does not make"
    assert not offline.unknown
    assert offline.in_sync == live.in_sync - len([one for one in untold if one not in there])


def come_to_rest(lab: Lab, case: Case) -> None:
    """Wait until a clone is copied: until then a delete of it shows that it is not, whenever it is asked."""
    lab.write(document(lab, case, None))
    while any(
        one.name.startswith("unfinished") and one.value for action in lab.plan().actions for one in action.evidence
    ):
        time.sleep(0.1)
    lab.write(document(lab, case, case.get("entry", {})))


@pytest.mark.parametrize("case", by_force(CASES, *FEW), ids=str)
def test_offline_is_live(lab: Lab, case: Case, tmp_path: Path) -> None:
    made(lab, case)
    if case.by_hand:
        call_by_hand(lab, case)
    come_to_rest(lab, case)
    file = tmp_path / "snapshot.json"
    snapshot_file.save(record_snapshot(lab.workspace(), tuple(lab.sites)), file)
    snapshot = snapshot_file.load(file)
    held_against(lab, snapshot)
    for path, value in list(changes_of(case).items())[:2]:
        lab.write(document(lab, case, edited(case, path, value)))
        held_against(lab, snapshot)
    # Of whom nobody spoke when a snapshot was taken, it does not know what he has: that is unknown, and not a replacement.
    of_others = isinstance(full_registry().kinds[case.kind].endpoint.shape, AskedMembers)
    for path, value in [] if of_others else list(case.get("replace", {}).items())[:1]:
        lab.write(document(lab, case, edited(case, path, value)))
        held_against(lab, snapshot)
    lab.write(document(lab, case, None))
    held_against(lab, snapshot)
