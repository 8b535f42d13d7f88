"""What somebody opened by hand is told before all else that moved, however much that is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from tests.conftest import Run
from tests.drift.stage import TIB, Hands
from tests.report.reading import drift
from vastplan.model.drift import Drift, DriftedField, DriftedObject, UnmanagedObject
from vastplan.model.plan import Cause
from vastplan.report.drift_markdown import drift_comment
from vastplan.report.junit import junit
from vastplan.report.markdown_escape import text_length
from vastplan.report.markdown_page import LIMIT
from vastplan.report.results import drift_results
from vastplan.report.sarif import sarif

POLICY = "iad/view_policy/team-a"


def field(path: str, *, opens: bool = False) -> DriftedField:
    return DriftedField(path, ["*"], [], Cause.SYSTEM, "", unordered=True, opens=opens)


def crowd() -> Drift:
    gone = [DriftedObject(f"iad/view/v{number}", "gone", (), "2026-01-01") for number in range(6_000)]
    quiet = [field(f"field-{number}") for number in range(50)]
    opened = DriftedObject("iad/view_policy/p", "changed", (*quiet, field("nfs_no_squash", opens=True)), opens=True)
    strangers = [UnmanagedObject("iad", "view", f"s{number}") for number in range(100)]
    rule = UnmanagedObject("iad", "view_policy", "theirs", opens=True)
    return replace(drift("empty"), drift=(*gone, opened), unmanaged=(*strangers, rule))


def test_a_comment_begins_with_what_was_opened() -> None:
    text = drift_comment(crowd())
    assert text_length(text) < LIMIT
    assert text.index("#### Lets somebody in (1)") < text.index("`nfs_no_squash`") < text.index("#### Gone (6,000)")
    listed = text[text.index("#### Nobody manages (101)") :].splitlines()
    assert listed[2] == "- `iad/view_policy` `theirs`"


@pytest.mark.slow
def test_so_do_the_other_reports() -> None:
    results = drift_results(crowd())
    found = json.loads(sarif(results, "0.0.0", PurePath("/repo")))["runs"][0]["results"]
    assert len(found) == 5_000 and found[0]["message"]["text"].startswith("iad/view_policy/p: nfs_no_squash ")
    assert "nfs_no_squash" in junit(results)


@pytest.mark.slow
def test_which_field_was_opened_is_told_by_the_kind(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    key = hands.row("iad", "viewpolicies", name="team-a")["id"]
    hands.call("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{key}/", {"nfs_no_squash": ["10.12.0.0/24", "*"]})
    hands.call("iad", "vast", "POST", "/api/v5/viewpolicies/", {"name": "theirs", "flavor": "NFS"})
    hands.quota(3 * TIB)
    found = json.loads(vastplan("drift", tmp_path / "hand.yaml", "--format", "json").out)
    opened = {one["address"]: (one["opens"], [one["opens"] for one in one["fields"]]) for one in found["drift"]}
    assert opened == {POLICY: (True, [True]), "iad/quota/q": (False, [False])}
    assert {one["name"]: one["opens"] for one in found["unmanaged"]}["theirs"]


@pytest.mark.slow
def test_what_was_closed_by_hand_opens_nothing(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    key = hands.row("iad", "viewpolicies", name="team-a")["id"]
    hands.call("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{key}/", {"nfs_no_squash": []})
    (one,) = json.loads(vastplan("drift", tmp_path / "hand.yaml", "--format", "json").out)["drift"]
    assert one["address"] == POLICY and not one["opens"]
